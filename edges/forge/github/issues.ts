import { NotFoundError, ValidationError } from '../errors.ts'
import type { ForgePort, IssueQuery } from '../port.ts'
import { pageAt, repositoryParamsOf, type GithubClient } from './client.ts'
import { commentOf, isMergeRequest, issueOf, numberIn, reviewCommentOf } from './records.ts'
import * as schema from './schema.ts'

type IssuePart = Pick<
  ForgePort,
  | 'listIssues'
  | 'issueHistory'
  | 'issue'
  | 'createIssue'
  | 'editIssue'
  | 'closeIssue'
  | 'reopenIssue'
  | 'listComments'
  | 'listCommentsSince'
  | 'createComment'
  | 'editComment'
  | 'ensureLabels'
  | 'changeLabels'
>

const PAGE = { per_page: 100 }
/** Who changes meanwhile comes first, and is read as a change: no page loses anybody. */
const HISTORY = { ...PAGE, state: 'all', sort: 'updated', direction: 'desc' } as const

export function issuePart(client: GithubClient): IssuePart {
  return { ...threads(client), ...comments(client), ...labels(client) }
}

function threads(
  client: GithubClient,
): Pick<
  IssuePart,
  'listIssues' | 'issueHistory' | 'issue' | 'createIssue' | 'editIssue' | 'closeIssue' | 'reopenIssue'
> {
  return {
    async issueHistory(path, from) {
      const { items, ...rest } = await client.page('list issues', schema.Issue, (octokit) =>
        octokit.rest.issues.listForRepo({ ...repositoryParamsOf(path), ...HISTORY, ...pageAt(from) }),
      )
      return { items: items.filter((issue) => !isMergeRequest(issue)).map(issueOf), ...rest }
    },
    async listIssues(path, query = {}) {
      const found = await client.list('list issues', schema.Issue, (rest) =>
        rest.paginate(rest.rest.issues.listForRepo, { ...repositoryParamsOf(path), ...PAGE, ...issueQuery(query) }),
      )
      return found.filter((issue) => !isMergeRequest(issue)).map(issueOf)
    },
    async issue(path, number) {
      const found = await client.read('read issue', schema.Issue, (rest) =>
        rest.rest.issues.get({ ...repositoryParamsOf(path), issue_number: number }),
      )
      if (isMergeRequest(found)) throw new NotFoundError('read issue', `#${number} is a merge request`)
      return issueOf(found)
    },
    async createIssue(path, { title, body, labels = [] }) {
      return issueOf(
        await client.read('create issue', schema.Issue, (rest) =>
          rest.rest.issues.create({ ...repositoryParamsOf(path), title, body, labels: [...labels] }),
        ),
      )
    },
    async editIssue(path, number, change) {
      return issueOf(
        await client.read('edit issue', schema.Issue, (rest) =>
          rest.rest.issues.update({ ...repositoryParamsOf(path), issue_number: number, ...change }),
        ),
      )
    },
    closeIssue: (path, number) =>
      client.send('close issue', (rest) =>
        rest.rest.issues.update({ ...repositoryParamsOf(path), issue_number: number, state: 'closed' }),
      ),
    reopenIssue: (path, number) =>
      client.send('reopen issue', (rest) =>
        rest.rest.issues.update({ ...repositoryParamsOf(path), issue_number: number, state: 'open' }),
      ),
  }
}

function issueQuery(query: IssueQuery): { state: 'open' | 'all'; sort: 'updated'; direction: 'asc'; since?: string } {
  const since = query.since === undefined ? {} : { since: new Date(query.since).toISOString() }
  return { state: query.state ?? 'all', sort: 'updated', direction: 'asc', ...since }
}

function comments(
  client: GithubClient,
): Pick<IssuePart, 'listComments' | 'listCommentsSince' | 'createComment' | 'editComment'> {
  return {
    async listComments(path, on, number) {
      const found = await client.list('list comments', schema.Comment, (rest) =>
        rest.paginate(rest.rest.issues.listComments, { ...repositoryParamsOf(path), ...PAGE, issue_number: number }),
      )
      return found.map((comment) => commentOf(comment, on, number))
    },
    async listCommentsSince(path, sinceMs) {
      const since = new Date(sinceMs).toISOString()
      const plain = await client.list('list comments', schema.Comment, (rest) =>
        rest.paginate(rest.rest.issues.listCommentsForRepo, {
          ...repositoryParamsOf(path),
          ...PAGE,
          since,
          sort: 'updated',
        }),
      )
      const inline = await client.list('list line comments', schema.ReviewComment, (rest) =>
        rest.paginate(rest.rest.pulls.listReviewCommentsForRepo, {
          ...repositoryParamsOf(path),
          ...PAGE,
          since,
          sort: 'updated',
        }),
      )
      return [
        ...plain.map((comment) =>
          commentOf(comment, comment.html_url.includes('/pull/') ? 'mr' : 'issue', numberIn(comment.issue_url)),
        ),
        ...inline.map((comment) => reviewCommentOf(comment, numberIn(comment.pull_request_url))),
      ]
    },
    async createComment(path, on, number, body) {
      const made = await client.read('create comment', schema.Comment, (rest) =>
        rest.rest.issues.createComment({ ...repositoryParamsOf(path), issue_number: number, body }),
      )
      return commentOf(made, on, number)
    },
    async editComment(path, ref, body) {
      const comment_id = Number(ref.id)
      if (!Number.isInteger(comment_id)) throw new ValidationError('edit comment', `${ref.id} is no plain comment`)
      const made = await client.read('edit comment', schema.Comment, (rest) =>
        rest.rest.issues.updateComment({ ...repositoryParamsOf(path), comment_id, body }),
      )
      return commentOf(made, ref.on, ref.number)
    },
  }
}

function labels(client: GithubClient): Pick<IssuePart, 'ensureLabels' | 'changeLabels'> {
  return {
    async ensureLabels(path, wanted) {
      const there = await client.list('list labels', schema.NamedLabel, (rest) =>
        rest.paginate(rest.rest.issues.listLabelsForRepo, { ...repositoryParamsOf(path), ...PAGE }),
      )
      const known = new Set(there.map((label) => label.name.toLowerCase()))
      for (const label of wanted.filter(({ name }) => !known.has(name.toLowerCase()))) {
        await client
          .send('create label', (rest) => rest.rest.issues.createLabel({ ...repositoryParamsOf(path), ...label }))
          .catch(alreadyThere)
      }
    },
    async changeLabels(path, number, { add, remove }) {
      const repositoryParams = { ...repositoryParamsOf(path), issue_number: number }
      if (add.length > 0)
        await client.send('add labels', (rest) => rest.rest.issues.addLabels({ ...repositoryParams, labels: [...add] }))
      for (const name of remove) {
        await client
          .send('remove label', (rest) => rest.rest.issues.removeLabel({ ...repositoryParams, name }))
          .catch(notThere)
      }
    },
  }
}

/** Somebody else made it in between. Any other refusal is of its name or its description. */
function alreadyThere(error: unknown): void {
  if (!(error instanceof ValidationError && error.message.includes('already_exists'))) throw error
}

function notThere(error: unknown): void {
  if (!(error instanceof NotFoundError)) throw error
}
