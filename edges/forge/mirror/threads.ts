/** The mirror in the words that bundle and tools read. */
import { isBot } from '../../../machines/rules/accounts.ts'
import { sameLogin } from '../../../machines/rules/logins.ts'
import type {
  MirroredComment as Comment,
  MirroredIssue as Issue,
  MirroredMergeRequest as MergeRequest,
  ThreadPage,
  ThreadQuery,
  ThreadReader,
} from '../../ports/threads.ts'
import { hasTopicOf, standingTopic } from '../marker.ts'
import { maintainersOf, repositoryNamed, type ProjectDirectory } from '../projects.ts'
import type { ForgeAccount } from '../port.ts'
import { isDoubted, writerOf } from './facts/hands.ts'
import type { Mirror } from './mirror.ts'
import { isGone, openGate, reporterGate, type Gate } from './facts/gate.ts'
import type { MirroredComment, MirroredIssue, MirroredMergeRequest, MirroredSubject } from './facts/records.ts'
import type { SubjectFilter } from './store/subjects.ts'

/** A Task may own it all the same, and has to know where it stands. */
const noWords = { title: '', body: '' }

type Judge = (account: ForgeAccount) => boolean

interface Accounts {
  readonly isBot: Judge
  readonly isOwn: Judge
}

type MirrorRows = Pick<Mirror, 'issue' | 'mergeRequest' | 'comments' | 'issues' | 'mergeRequests'>
type GateOf = (project: string, repository: string) => Promise<Gate>

/** All that was said, for whoever decides anything. */
export function threadReader(mirror: MirrorRows, directory: ProjectDirectory): ThreadReader {
  return readerOf(mirror, directory, async () => openGate)
}

/** What agents may read (INTAKE-9). */
export function gatedThreadReader(
  mirror: MirrorRows & Pick<Mirror, 'people'>,
  directory: ProjectDirectory,
): ThreadReader {
  const reader = readerOf(mirror, directory, (project, repository) => reporterGate(mirror, project, repository))
  return {
    ...reader,
    comments: async (project, repository, number, on) => {
      const found = await (on === 'issue' ? mirror.issue : mirror.mergeRequest)(project, repository, number)
      return found !== undefined && isGone(found) ? [] : reader.comments(project, repository, number, on)
    },
  }
}

function readerOf(mirror: MirrorRows, directory: ProjectDirectory, gateOf: GateOf): ThreadReader {
  async function accountsOf(projectId: string, name: string): Promise<Accounts> {
    const project = await directory.project(projectId)
    const repository = project && repositoryNamed(project, name)
    if (project === undefined) return { isBot: (account) => account.bot, isOwn: () => false }
    const settings = {
      botLogin: project.scm.botLogin,
      engineLogins: project.upgradeEngineLogins,
      humanBots: repository === undefined ? project.scm.maintainerLogins : maintainersOf(project, repository),
    }
    return {
      isBot: (account) => isBot({ login: account.login, ...(account.bot ? { type: 'Bot' } : {}) }, settings),
      isOwn: (account) => sameLogin(account.login, settings.botLogin),
    }
  }
  return {
    issue: async (project, repository, number) => {
      const found = await mirror.issue(project, repository, number)
      if (found === undefined) return undefined
      const issue = toIssue(found, (await accountsOf(project, repository)).isBot)
      return (await gateOf(project, repository)).reads(found) ? issue : { ...issue, ...noWords }
    },
    mergeRequest: async (project, repository, number) => {
      const found = await mirror.mergeRequest(project, repository, number)
      if (found === undefined) return undefined
      const mergeRequest = toMergeRequest(found, (await accountsOf(project, repository)).isBot)
      return (await gateOf(project, repository)).reads(found) ? mergeRequest : { ...mergeRequest, ...noWords }
    },
    comments: async (project, repository, number, on) => {
      const accounts = await accountsOf(project, repository)
      const gate = await gateOf(project, repository)
      const living = (await mirror.comments(project, repository, on, number)).filter(
        (comment) => comment.deletedAt === undefined && !isDoubted(comment) && gate.hears(comment),
      )
      return living
        .filter(
          ({ comment }) => comment.withoutWords !== true && (comment.body !== '' || comment.verdict !== undefined),
        )
        .filter(({ comment }) => !(accounts.isOwn(comment.author) && hasTopicOf(comment.body, standingTopic)))
        .map((comment) => toComment(comment, accounts.isBot))
    },
    issues: async (project, repository, query) => {
      const { isBot: isBotAccount } = await accountsOf(project, repository)
      const gate = await gateOf(project, repository)
      const isWanted = (row: MirroredIssue): boolean =>
        gate.reads(row) && (query.labels ?? []).every((label) => row.issue.labels.includes(label))
      const list = (filter: SubjectFilter): Promise<readonly MirroredIssue[]> => mirror.issues(project, filter)
      const { items, ...rest } = await pageOf(list, { ...query, repository }, isWanted)
      return { items: items.map((row) => toIssue(row, isBotAccount)), ...rest }
    },
    mergeRequests: async (project, repository, query) => {
      const { isBot: isBotAccount } = await accountsOf(project, repository)
      const gate = await gateOf(project, repository)
      const list = (filter: SubjectFilter): Promise<readonly MirroredMergeRequest[]> =>
        mirror.mergeRequests(project, filter)
      const { items, ...rest } = await pageOf(list, { ...query, repository }, (row) => gate.reads(row))
      return { items: items.map((row) => toMergeRequest(row, isBotAccount)), ...rest }
    },
  }
}

/** At once from the store, and of one call: who looks for a rare label goes on with `next`. */
const batchRows = 200
const mostLookedAt = 5000

async function pageOf<Row extends MirroredSubject>(
  list: (filter: SubjectFilter) => Promise<readonly Row[]>,
  { repository, state, since, limit = mostLookedAt, after }: ThreadQuery & { readonly repository: string },
  isWanted: (row: Row) => boolean,
): Promise<ThreadPage<Row>> {
  const items: Row[] = []
  const filter = {
    repository,
    limit: batchRows,
    ...(state && state !== 'all' ? { state } : {}),
    ...(since === undefined ? {} : { since }),
  }
  let next = after
  for (let looked = 0; looked < mostLookedAt; looked += batchRows) {
    const rows = await list({ ...filter, ...(next === undefined ? {} : { after: next }) })
    for (const row of rows) {
      if (items.length === limit) return { items, next: next! }
      next = { updatedAt: row.updatedAt, number: row.number }
      if (isWanted(row)) items.push(row)
    }
    if (rows.length < batchRows) return { items }
  }
  return { items, ...(next === undefined ? {} : { next }) }
}

function toIssue({ repository, issue, updatedAt, complete }: MirroredIssue, isBotAccount: Judge): Issue {
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
    complete,
  }
}

function toMergeRequest(
  { repository, mergeRequest, notes, updatedAt, complete }: MirroredMergeRequest,
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
    complete,
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
