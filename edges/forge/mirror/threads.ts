/** The mirror in the words that bundle and tools read. */
import { isBot } from '../../../machines/rules/accounts.ts'
import { sameLogin } from '../../../machines/rules/logins.ts'
import type {
  MirroredComment as Comment,
  MirroredIssue as Issue,
  MirroredMergeRequest as MergeRequest,
  ThreadReader,
} from '../../ports/threads.ts'
import { hasTopicOf, standingTopic } from '../marker.ts'
import type { ProjectDirectory } from '../projects.ts'
import type { ForgeAccount } from '../port.ts'
import { writerOf } from './hands.ts'
import type { Mirror } from './mirror.ts'
import type { MirroredComment, MirroredIssue, MirroredMergeRequest } from './records.ts'

type Judge = (account: ForgeAccount) => boolean

interface Accounts {
  readonly isBot: Judge
  readonly isOwn: Judge
}

export function threadReader(mirror: Mirror, directory: ProjectDirectory): ThreadReader {
  async function accountsOf(projectId: string): Promise<Accounts> {
    const project = await directory.project(projectId)
    if (project === undefined) return { isBot: (account) => account.bot, isOwn: () => false }
    const settings = {
      botLogin: project.scm.botLogin,
      engineLogins: project.upgradeEngineLogins,
      humanBots: project.scm.maintainerLogins,
    }
    return {
      isBot: (account) => isBot({ login: account.login, ...(account.bot ? { type: 'Bot' } : {}) }, settings),
      isOwn: (account) => sameLogin(account.login, settings.botLogin),
    }
  }
  return {
    issue: async (project, repository, number) => {
      const found = await mirror.issue(project, repository, number)
      return found && toIssue(found, (await accountsOf(project)).isBot)
    },
    mergeRequest: async (project, repository, number) => {
      const found = await mirror.mergeRequest(project, repository, number)
      return found && toMergeRequest(found, (await accountsOf(project)).isBot)
    },
    comments: async (project, repository, number, on) => {
      const accounts = await accountsOf(project)
      const living = (await mirror.comments(project, repository, on, number)).filter(
        (comment) => comment.deletedAt === undefined,
      )
      return living
        .filter(({ comment }) => comment.body !== '' || comment.verdict !== undefined)
        .filter(({ comment }) => !(accounts.isOwn(comment.author) && hasTopicOf(comment.body, standingTopic)))
        .map((comment) => toComment(comment, accounts.isBot))
    },
    issues: async (project, repository, { state, since, labels, limit }) => {
      const { isBot: isBotAccount } = await accountsOf(project)
      const found = await mirror.issues(project, { repository, ...(state && state !== 'all' ? { state } : {}) })
      return found
        .map((issue) => toIssue(issue, isBotAccount))
        .filter(
          (issue) => issue.updatedAt >= (since ?? 0) && (labels ?? []).every((label) => issue.labels.includes(label)),
        )
        .slice(0, limit)
    },
    mergeRequests: async (project, repository, { state, since, limit }) => {
      const { isBot: isBotAccount } = await accountsOf(project)
      const found = await mirror.mergeRequests(project, { repository, ...(state && state !== 'all' ? { state } : {}) })
      return found
        .map((mr) => toMergeRequest(mr, isBotAccount))
        .filter((mr) => mr.updatedAt >= (since ?? 0))
        .slice(0, limit)
    },
  }
}

function toIssue({ repository, issue, updatedAt }: MirroredIssue, isBotAccount: Judge): Issue {
  const { number, state, title, body, url, labels, author } = issue
  return {
    repository,
    number,
    state,
    title,
    body,
    url,
    labels,
    author: author.login,
    bot: isBotAccount(author),
    updatedAt,
  }
}

function toMergeRequest(
  { repository, mergeRequest, notes, updatedAt }: MirroredMergeRequest,
  isBotAccount: Judge,
): MergeRequest {
  const { number, state, title, body, url, labels, author, draft, headSha, headBranch, baseBranch, mergeable } =
    mergeRequest
  const ci = notes.ciSha === headSha ? notes.ci : 'none'
  return {
    repository,
    number,
    state,
    title,
    body,
    url,
    labels,
    author: author.login,
    bot: isBotAccount(author),
    draft,
    headSha,
    headBranch,
    baseBranch,
    ci,
    mergeable,
    updatedAt,
  }
}

/** A review without words still says its verdict. */
function toComment(row: MirroredComment, isBotAccount: Judge): Comment {
  const { comment, bodyHash, editedBy } = row
  const { id, author, body, createdAt, updatedAt, path, line, inReplyTo, verdict } = comment
  return {
    id,
    author: author.login,
    ...(writerOf(row) === 'author' ? {} : { editedBy: editedBy || 'unknown' }),
    bot: isBotAccount(author),
    body: body === '' && verdict !== undefined ? `(review: ${verdict})` : body,
    bodyHash,
    createdAt,
    updatedAt,
    ...(path === undefined ? {} : { path }),
    ...(line === undefined ? {} : { line }),
    ...(inReplyTo === undefined ? {} : { inReplyTo }),
  }
}
