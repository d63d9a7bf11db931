import type { MirroredComment as ThreadComment, MirroredIssue as ThreadIssue, MirroredMergeRequest as ThreadMergeRequest, ThreadQuery, ThreadReader } from '../../ports/threads.ts'
import type { Mirror } from './mirror.ts'
import type { MirroredComment, MirroredIssue, MirroredMergeRequest } from './records.ts'

const DEFAULT_LIMIT = 100

/** The mirror in the words of the tools' API. */
export function threadReaderOf(mirror: Mirror): ThreadReader {
  return {
    async issue(project, repository, number) {
      const row = await mirror.issue(project, repository, number)
      return row === undefined || row.notes.deleted === true ? undefined : issueOf(row)
    },
    async mergeRequest(project, repository, number) {
      const row = await mirror.mergeRequest(project, repository, number)
      return row && mergeRequestOf(row)
    },
    async comments(project, repository, number, on) {
      const thread = await mirror.comments(project, repository, on, number)
      return thread.filter((one) => one.deletedAt === undefined && !isEmptyReview(one)).map(commentOf)
    },
    async issues(project, repository, query) {
      const rows = await mirror.issues(project, { repository, ...stateOf(query) })
      return pick(rows.filter((row) => row.notes.deleted !== true).map(issueOf), query)
    },
    async mergeRequests(project, repository, query) {
      return pick((await mirror.mergeRequests(project, { repository, ...stateOf(query) })).map(mergeRequestOf), query)
    },
  }
}

function stateOf({ state }: ThreadQuery): { readonly state?: string } {
  return state === undefined || state === 'all' ? {} : { state }
}

function pick<T extends { readonly labels: readonly string[]; readonly updatedAt: number }>(rows: readonly T[], { since = 0, labels = [], limit = DEFAULT_LIMIT }: ThreadQuery): readonly T[] {
  const wanted = labels.map((label) => label.toLowerCase())
  const fits = (row: T): boolean => wanted.every((label) => row.labels.some((one) => one.toLowerCase() === label))
  return rows.filter((row) => row.updatedAt >= since && fits(row)).slice(0, limit)
}

/** A review whose words are all on lines. */
function isEmptyReview({ comment }: MirroredComment): boolean {
  return comment.sort === 'review' && comment.body.trim() === ''
}

function issueOf({ repository, number, issue }: MirroredIssue): ThreadIssue {
  const { state, title, author, body, url, labels, updatedAt } = issue
  return { repository, number, state, title, author: author.login, bot: author.bot, body, url, labels, updatedAt }
}

function mergeRequestOf({ repository, number, mergeRequest: found, notes }: MirroredMergeRequest): ThreadMergeRequest {
  const { state, title, author, body, url, labels, updatedAt, draft, headSha, headBranch, baseBranch, mergeable } = found
  return {
    repository, number, state, title, author: author.login, bot: author.bot, body, url, labels, updatedAt,
    draft, headSha, headBranch, baseBranch, mergeable, ci: notes.ci,
  }
}

function commentOf({ comment, bodyHash }: MirroredComment): ThreadComment {
  const { id, author, body, createdAt, updatedAt, path, line, inReplyTo } = comment
  return {
    id, author: author.login, bot: author.bot, body, bodyHash, createdAt, updatedAt,
    ...(path === undefined ? {} : { path }),
    ...(line === undefined ? {} : { line }),
    ...(inReplyTo === undefined ? {} : { inReplyTo }),
  }
}
