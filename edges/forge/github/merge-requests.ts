import { ConflictError } from '../errors.ts'
import type { ForgePort } from '../port.ts'
import { pageAt, repositoryParamsOf, type GithubClient } from './client.ts'
import { mergeFailureOf } from './failure.ts'
import { commentOf, commitOf, fileOf, mergeRequestOf, reviewCommentOf, reviewOf } from './records.ts'
import * as schema from './schema.ts'

type MergeRequestPart = Pick<
  ForgePort,
  | 'listMergeRequests'
  | 'mergeRequestHistory'
  | 'mergeRequest'
  | 'mergeRequestCommits'
  | 'files'
  | 'diff'
  | 'listReviews'
  | 'createMergeRequest'
  | 'mergeMergeRequest'
  | 'postReview'
  | 'reply'
>

const PAGE = { per_page: 100 }
const HISTORY = { ...PAGE, state: 'all', sort: 'updated', direction: 'desc' } as const

export function mergeRequestPart(client: GithubClient): MergeRequestPart {
  return { ...reading(client), ...writing(client) }
}

function reading(
  client: GithubClient,
): Pick<
  MergeRequestPart,
  | 'listMergeRequests'
  | 'mergeRequestHistory'
  | 'mergeRequest'
  | 'mergeRequestCommits'
  | 'files'
  | 'diff'
  | 'listReviews'
> {
  return {
    async mergeRequestHistory(path, from) {
      const { items, ...rest } = await client.page('list merge requests', schema.PullRequest, (octokit) =>
        octokit.rest.pulls.list({ ...repositoryParamsOf(path), ...HISTORY, ...pageAt(from) }),
      )
      return { items: items.map(mergeRequestOf), ...rest }
    },
    async listMergeRequests(path, { since, state = 'all', headBranch } = {}) {
      const repositoryParams = repositoryParamsOf(path)
      const head = headBranch === undefined ? {} : { head: `${repositoryParams.owner}:${headBranch}` }
      const found = await client.list('list merge requests', schema.PullRequest, (rest) =>
        // Newest first, so that paging can end where nothing has changed since.
        rest.paginate(
          rest.rest.pulls.list,
          { ...repositoryParams, ...PAGE, ...head, state, sort: 'updated', direction: 'desc' },
          (page, done) => {
            const oldest = page.data.at(-1)
            if (since !== undefined && oldest !== undefined && Date.parse(oldest.updated_at) < since) done()
            return page.data
          },
        ),
      )
      return found.map(mergeRequestOf).filter((one) => since === undefined || one.updatedAt >= since)
    },
    async mergeRequest(path, number) {
      return mergeRequestOf(
        await client.read('read merge request', schema.PullRequest, (rest) =>
          rest.rest.pulls.get({ ...repositoryParamsOf(path), pull_number: number }),
        ),
      )
    },
    async mergeRequestCommits(path, number) {
      const found = await client.list('list commits of a merge request', schema.ListedCommit, (rest) =>
        rest.paginate(rest.rest.pulls.listCommits, { ...repositoryParamsOf(path), ...PAGE, pull_number: number }),
      )
      return found.map(commitOf)
    },
    async files(path, number) {
      const found = await client.list('list files', schema.File, (rest) =>
        rest.paginate(rest.rest.pulls.listFiles, { ...repositoryParamsOf(path), ...PAGE, pull_number: number }),
      )
      return found.map(fileOf)
    },
    async diff(path, number) {
      return client.read('read diff', schema.Text, (rest) =>
        rest.rest.pulls.get({ ...repositoryParamsOf(path), pull_number: number, mediaType: { format: 'diff' } }),
      )
    },
    listReviews: (path, number) => listReviews(client, path, number),
  }
}

/** A review and its line comments come from two lists. What the first one shows was submitted with a review of the second. */
async function listReviews(
  client: GithubClient,
  ...[path, number]: Parameters<ForgePort['listReviews']>
): ReturnType<ForgePort['listReviews']> {
  const repositoryParams = { ...repositoryParamsOf(path), ...PAGE, pull_number: number }
  const inline = await client.list('list line comments', schema.ReviewComment, (rest) =>
    rest.paginate(rest.rest.pulls.listReviewComments, repositoryParams),
  )
  const reviews = await client.list('list reviews', schema.Review, (rest) =>
    rest.paginate(rest.rest.pulls.listReviews, repositoryParams),
  )
  const all = [
    ...reviews.map((review) => reviewOf(review, number)),
    ...inline.map((comment) => reviewCommentOf(comment, number, reviews)),
  ]
  return all.toSorted((left, right) => left.createdAt - right.createdAt)
}

function writing(
  client: GithubClient,
): Pick<MergeRequestPart, 'createMergeRequest' | 'mergeMergeRequest' | 'postReview' | 'reply'> {
  return {
    async createMergeRequest(path, { branch, base, title, body }) {
      const made = await client.read('create merge request', schema.PullRequest, (rest) =>
        rest.rest.pulls.create({ ...repositoryParamsOf(path), head: branch, base, title, body }),
      )
      return mergeRequestOf(made)
    },
    async mergeMergeRequest(path, number, { sha, method }) {
      const operation = 'merge merge request'
      const octokit = await client.rest()
      const answer = await octokit.rest.pulls
        .merge({ ...repositoryParamsOf(path), pull_number: number, sha, merge_method: method })
        .catch((error: unknown) => Promise.reject(mergeFailureOf(operation, error)))
      const { sha: commit, merged } = await client.read(operation, schema.Merged, async () => answer)
      if (!merged) throw new ConflictError(operation, 'the forge answered that it did not merge')
      return commit
    },
    async postReview(path, number, { sha, body, lines }) {
      const comments = lines.map(({ path: file, line, body: text }) => ({
        path: file,
        line,
        side: 'RIGHT',
        body: text,
      }))
      const made = await client.read('post review', schema.Review, (rest) =>
        rest.rest.pulls.createReview({
          ...repositoryParamsOf(path),
          pull_number: number,
          commit_id: sha,
          event: 'COMMENT',
          body,
          comments,
        }),
      )
      return reviewOf(made, number)
    },
    async reply(path, number, to, body) {
      const comment_id = Number(/^inline-(\d+)$/.exec(to)?.[1] ?? 0)
      if (comment_id > 0) {
        const made = await client.read('reply', schema.ReviewComment, (rest) =>
          rest.rest.pulls.createReplyForReviewComment({
            ...repositoryParamsOf(path),
            pull_number: number,
            comment_id,
            body,
          }),
        )
        return reviewCommentOf(made, number)
      }
      const made = await client.read('reply', schema.Comment, (rest) =>
        rest.rest.issues.createComment({ ...repositoryParamsOf(path), issue_number: number, body }),
      )
      return commentOf(made, 'mr', number)
    },
  }
}
