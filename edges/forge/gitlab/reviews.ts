/**
 * Reviews on GitLab, which has none as things of their own: approvals and requested changes are marks of a person, comments
 * on lines are discussions, and the text of a review is a comment.
 */
import { BrokenAnswerError, NotFoundError, ValidationError } from '../errors.ts'
import type { ForgeComment, ForgePort } from '../port.ts'
import { apiPathOf, type GitlabClient } from './client.ts'
import type { Visibility } from './issues.ts'
import { positionOf, type Position } from './positions.ts'
import {
  commentOf,
  heardIn,
  inlineOf,
  isInline,
  isReview,
  reviewOf,
  threadOf,
  verdictOf,
  withReviewMark,
  type Verdict,
} from './records.ts'
import * as schema from './schema.ts'

type ReviewPart = Pick<ForgePort, 'listReviews' | 'postReview' | 'reply'>

export function reviewPart(client: GitlabClient, visibility: Visibility): ReviewPart {
  return {
    async listReviews(path, number) {
      const thread = threadOf(client.webURL, path, 'mr', number)
      const discussions = await listDiscussions(client, path, number)
      const all = [
        ...(await listVerdicts(client, path, number, discussions)).map((one) => verdictOf(one, thread)),
        ...discussions.flatMap(({ notes }) => {
          const shown = heardIn(notes, visibility.includeConfidential)
          return [
            ...shown.filter(isInline).map((note) => inlineOf(note, thread, notes[0]?.id)),
            ...shown.filter((note) => !isInline(note) && isReview(note, 'mr')).map((note) => reviewOf(note, thread)),
          ]
        }),
      ]
      return all.toSorted((left, right) => left.createdAt - right.createdAt)
    },
    postReview: (path, number, review) => postReview(client, path, number, review),
    async reply(path, number, to, body) {
      const thread = threadOf(client.webURL, path, 'mr', number)
      const apiPath = apiPathOf(path, 'merge_requests', number)
      const inline = /^inline-(\d+)$/.exec(to)?.[1]
      if (inline === undefined) {
        const request = { method: 'POST', apiPath: `${apiPath}/notes`, body: { body } } as const
        return commentOf(await client.read('reply', schema.Note, request), thread)
      }
      const discussions = await listDiscussions(client, path, number)
      const discussion = discussions.find(({ notes }) => notes.some(({ id }) => id === Number(inline)))
      if (discussion === undefined) throw new NotFoundError('reply', `there is no comment ${to}`)
      const made = await client.read('reply', schema.Note, {
        method: 'POST',
        apiPath: `${apiPath}/discussions/${encodeURIComponent(discussion.id)}/notes`,
        body: { body },
      })
      return inlineOf(made, thread, discussion.notes[0]?.id)
    },
  }
}

function listDiscussions(client: GitlabClient, path: string, number: number): Promise<schema.Discussion[]> {
  return client.list('list discussions', schema.Discussion, {
    apiPath: apiPathOf(path, 'merge_requests', number, 'discussions'),
  })
}

/** Newest first. */
function listVersions(client: GitlabClient, path: string, number: number): Promise<schema.Version[]> {
  return client.list('list versions', schema.Version, {
    apiPath: apiPathOf(path, 'merge_requests', number, 'versions'),
  })
}

/** What GitLab writes into the thread when somebody requests changes: the one place that has the moment. */
const requestedWords = /^requested changes/i

async function listVerdicts(
  client: GitlabClient,
  path: string,
  number: number,
  discussions: readonly schema.Discussion[],
): Promise<readonly Verdict[]> {
  const apiPath = apiPathOf(path, 'merge_requests', number)
  const { approved_by = [] } = await client.read('read approvals', schema.Approvals, {
    apiPath: `${apiPath}/approvals`,
  })
  const reviewers = await client.list('list reviewers', schema.Reviewer, { apiPath: `${apiPath}/reviewers` })
  const system = discussions.flatMap(({ notes }) => notes).filter((note) => note.system === true)
  const momentOf = (user: schema.Account | null | undefined, words: RegExp): string | undefined =>
    system.findLast((note) => note.author?.id === user?.id && words.test(note.body ?? ''))?.created_at
  const given: Omit<Verdict, 'sha'>[] = [
    ...approved_by.map(({ user, approved_at }) => ({
      by: user,
      verdict: 'approved' as const,
      at: momentIn(approved_at ?? momentOf(user, /^approved this merge request/i)),
    })),
    ...reviewers
      .filter(({ state }) => state === 'requested_changes')
      .map(({ user, created_at }) => ({
        by: user,
        verdict: 'changesRequested' as const,
        at: momentIn(momentOf(user, requestedWords) ?? created_at),
      })),
  ]
  if (given.length === 0) return []
  const versions = await listVersions(client, path, number)
  return given.map((one) => ({ ...one, ...seenHead(versions, one.at) }))
}

function momentIn(text: string | null | undefined): number {
  return typeof text === 'string' ? Date.parse(text) : 0
}

/**
 * GitLab keeps no head with an approval: it is the newest that was there before. One of the very same moment may have come
 * after it, so it counts only where no other was there. Of an unknown moment nobody knows the head.
 */
function seenHead(versions: readonly schema.Version[], at: number): { readonly sha?: string } {
  const oldestFirst = versions.toSorted(
    (left, right) => Date.parse(left.created_at) - Date.parse(right.created_at) || left.id - right.id,
  )
  const seen =
    oldestFirst.findLast(({ created_at }) => Date.parse(created_at) < at) ??
    oldestFirst.find(({ created_at }) => Date.parse(created_at) === at)
  return seen === undefined ? {} : { sha: seen.head_commit_sha }
}

type NewReview = Parameters<ForgePort['postReview']>[2]

/** As drafts that are published at once: one mail for all, and nothing of it where one part is refused. */
async function postReview(
  client: GitlabClient,
  path: string,
  number: number,
  { sha, body, lines }: NewReview,
): Promise<ForgeComment> {
  const drafts = apiPathOf(path, 'merge_requests', number, 'draft_notes')
  const positions = await positionsOf(client, path, number, { sha, lines })
  const text = withReviewMark(body, sha)
  // Publishing takes every draft of the account, also one that an earlier try has left.
  await dropDrafts(client, drafts)
  try {
    await draft(client, drafts, { note: text })
    for (const [at, line] of lines.entries()) await draft(client, drafts, { note: line.body, position: positions[at] })
  } catch (error) {
    if (error instanceof ValidationError) await dropDrafts(client, drafts)
    throw error
  }
  await client.send('publish review', { method: 'POST', apiPath: `${drafts}/bulk_publish` })
  return findReview(client, path, number, text)
}

async function draft(client: GitlabClient, apiPath: string, body: object): Promise<void> {
  await client.send('draft review', { method: 'POST', apiPath, body })
}

async function dropDrafts(client: GitlabClient, apiPath: string): Promise<void> {
  for (const { id } of await client.list('list drafts', schema.DraftNote, { apiPath }))
    await client.send('drop draft', { method: 'DELETE', apiPath: `${apiPath}/${id}` })
}

/** A line is named by its head and by the two commits that it is compared with. Only the newest head's diff is at hand. */
async function positionsOf(
  client: GitlabClient,
  path: string,
  number: number,
  { sha, lines }: Pick<NewReview, 'sha' | 'lines'>,
): Promise<readonly Position[]> {
  const versions = await listVersions(client, path, number)
  if (!versions.some((one) => one.head_commit_sha === sha))
    throw new ValidationError('post review', `${sha} was never the head of !${number}`)
  if (lines.length === 0) return []
  const [newest] = versions
  if (newest?.head_commit_sha !== sha)
    throw new ValidationError('post review', `${sha} is no longer the head of !${number}`)
  const apiPath = apiPathOf(path, 'merge_requests', number, 'diffs')
  const files = await client.list('list files', schema.FileDiff, { apiPath })
  return lines.map((one) => {
    const position = positionOf(newest, files, one)
    if (position !== undefined) return position
    throw new ValidationError('post review', `${one.path}:${one.line} is not part of the diff`)
  })
}

/** Publishing answers nothing. A review that nobody sees yet is asked for again, and found by its marks. */
async function findReview(client: GitlabClient, path: string, number: number, text: string): Promise<ForgeComment> {
  const { items } = await client.page('list comments', schema.Note, {
    apiPath: apiPathOf(path, 'merge_requests', number, 'notes'),
    query: { order_by: 'created_at', sort: 'desc' },
  })
  const note = items.find(({ body }) => (body ?? '').trim() === text.trim())
  if (note === undefined) throw new BrokenAnswerError('post review: the forge does not list the review')
  return reviewOf(note, threadOf(client.webURL, path, 'mr', number))
}
