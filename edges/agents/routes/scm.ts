import { Type, type Static } from 'typebox'
import type { HttpApp } from '../../../http/app.ts'
import { clampLimit, decodeCursor, encodeCursor, listQuery, page, type Page } from '../../../http/problems/list.ts'
import { invalidInput, Problem, type Fault } from '../../../http/problems/problem.ts'
import type { MirroredComment, MirroredIssue, MirroredMergeRequest } from '../../ports/threads.ts'
import { entryOf } from '../argument-faults.ts'
import { refuseForeignProject, requirePod } from '../caller.ts'
import { createCiReads } from '../ci-reads.ts'
import type { AgentApiDeps } from '../deps.ts'
import { accessRepository } from '../forge-access.ts'

export const ScmRead = Type.Object({
  kind: Type.Union(['issues', 'mr', 'comments', 'commits', 'ci'].map((kind) => Type.Literal(kind))),
  repo: Type.String({ description: 'Repository name, as repo_list gives it.' }),
  project: Type.Optional(Type.String()),
  number: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Required for ci and comments; one issue or merge request for issues and mr.',
    }),
  ),
  is_pr: Type.Optional(Type.Boolean({ description: 'comments only: the thread of the merge request.' })),
  state: Type.Optional(Type.Union(['open', 'closed', 'merged', 'all'].map((state) => Type.Literal(state)))),
  since: Type.Optional(Type.String({ format: 'date-time', description: 'issues and mr only.' })),
  labels: Type.Optional(Type.String({ description: 'issues only; comma-separated.' })),
  since_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3650, description: 'commits only (default 30).' })),
  limit: listQuery.limit,
  cursor: listQuery.cursor,
})
export type ScmRead = Static<typeof ScmRead>

/** Which argument goes with which kind (TOOL-SCM-READ-3); any other is told, not ignored. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  issues: ['number', 'state', 'since', 'labels', 'limit', 'cursor'],
  mr: ['number', 'state', 'since', 'limit', 'cursor'],
  comments: ['number', 'is_pr', 'limit', 'cursor'],
  commits: ['since_days', 'limit'],
  ci: ['number'],
}

/** Which argument is missing or is not allowed with the kind; the tool asks it before it calls. */
export function scmReadFaults(query: Partial<ScmRead>): Fault[] {
  const { kind } = query
  if (kind === undefined) return []
  const extra = Object.keys(query).filter(
    (name) => !['kind', 'repo', 'project', ...entryOf(allowed, kind)].includes(name),
  )
  const faults = extra.map(
    (name) => ({ in: 'query', path: `/${name}`, message: `is not allowed with kind=${kind}` }) as const,
  )
  const missing = ['ci', 'comments'].includes(kind) && query.number === undefined
  const state =
    kind === 'issues' && query.state === 'merged'
      ? [{ in: 'query', path: '/state', message: 'an issue is open, closed or all' } as const]
      : []
  return [
    ...faults,
    ...state,
    ...(missing ? [{ in: 'query', path: '/number', message: `is required for kind=${kind}` } as const] : []),
  ]
}

export function scmRoute(app: HttpApp, deps: AgentApiDeps): void {
  const ci = createCiReads(deps)
  app.get(
    '/tasks/:task/scm',
    { schema: { params: Type.Object({ task: Type.String() }), querystring: ScmRead, summary: 'Read the forge' } },
    async (request) => {
      const { claims } = await requirePod(request, deps, request.params.task)
      const query = request.query
      const faults = scmReadFaults(query)
      if (faults.length > 0) throw invalidInput(faults)
      refuseForeignProject(claims, query.project)
      const access = await accessRepository(deps, claims.project, query.repo)
      const number = query.number ?? 0
      const limit = clampLimit(query.limit)
      switch (query.kind) {
        case 'ci':
          return ci(access, number)
        case 'comments':
          return readComments(deps, claims.project, { ...query, number }, limit)
        case 'commits': {
          const since = deps.clock.now() - (query.since_days ?? 30) * 24 * 60 * 60 * 1000
          return { items: await access.forge.commits(access.path, { since, limit }) }
        }
        default:
          return listThreads(deps, claims.project, query, limit)
      }
    },
  )
}

/** What the mirror lacks is no empty thread (TOOL-SCM-READ-23). */
async function readComments(
  { gatedThreads }: AgentApiDeps,
  project: string,
  { repo, number, is_pr, cursor }: ScmRead & { readonly number: number },
  limit: number,
): Promise<object> {
  const on = is_pr ? 'mr' : 'issue'
  const subject = await (is_pr ? gatedThreads.mergeRequest : gatedThreads.issue)(project, repo, number)
  const answer = newestComments(await gatedThreads.comments(project, repo, number, on), limit, cursor)
  if (subject?.complete) return answer
  return { ...answer, hint: subject === undefined ? unknownHint(repo, number, on) : unreadHint }
}

const unreadHint =
  'The mirror has not read this whole thread yet, so comments may be missing. It reads such threads every 30 minutes, newest change first.'

function unknownHint(repo: string, number: number, on: 'issue' | 'mr'): string {
  return on === 'mr'
    ? `The mirror has no merge request ${number} of ${repo}.`
    : `The mirror has no issue ${number} of ${repo}. The thread of a merge request needs is_pr=true.`
}

const CommentKey = Type.Object({ at: Type.Integer(), id: Type.String() })
type CommentKey = Static<typeof CommentKey>
const ThreadKey = Type.Object({ updatedAt: Type.Integer(), number: Type.Integer() })

/** The newest of a thread, oldest first; the cursor goes on with what was written before. */
function newestComments(thread: readonly MirroredComment[], limit: number, cursor: string | undefined): Page<object> {
  const from = cursor === undefined ? undefined : decodeCursor(CommentKey, cursor)
  const newestFirst = thread.filter((comment) => from === undefined || isBefore(comment, from)).toReversed()
  const { items, ...rest } = page(newestFirst.slice(0, limit + 1), limit, ({ id, createdAt }) => ({
    at: createdAt,
    id,
  }))
  return { items: items.toReversed().map(toComment), ...rest }
}

/** In the order of a thread: by time, then by id, of which the forge counts up. */
function isBefore({ id, createdAt }: MirroredComment, { at, id: last }: CommentKey): boolean {
  if (createdAt !== at) return createdAt < at
  return id.length === last.length ? id < last : id.length < last.length
}

async function listThreads(deps: AgentApiDeps, project: string, query: ScmRead, limit: number): Promise<object> {
  const mr = query.kind === 'mr'
  if (query.number !== undefined) {
    const one = await (mr
      ? deps.gatedThreads.mergeRequest(project, query.repo, query.number)
      : deps.gatedThreads.issue(project, query.repo, query.number))
    if (one === undefined)
      throw new Problem('not-found', `${query.repo} has no ${mr ? 'merge request' : 'issue'} ${query.number}`)
    return { items: [{ ...toItem(one), body: one.body }] }
  }
  const labels = query.labels?.split(',').map((label) => label.trim())
  const filter = {
    state: query.state ?? 'open',
    limit,
    ...(query.since && { since: Date.parse(query.since) }),
    ...(labels && { labels }),
    ...(query.cursor !== undefined && { after: decodeCursor(ThreadKey, query.cursor) }),
  }
  const { items, next } = await (mr
    ? deps.gatedThreads.mergeRequests(project, query.repo, filter)
    : deps.gatedThreads.issues(project, query.repo, filter))
  return { items: items.map(toItem), ...(next && { nextCursor: encodeCursor(next) }) }
}

function toItem(thread: MirroredIssue | MirroredMergeRequest): object {
  const { number, title, state, author, bot, labels, url, updatedAt } = thread
  const own =
    'headSha' in thread
      ? {
          headSha: thread.headSha,
          headBranch: thread.headBranch,
          ci: thread.ci,
          mergeable: thread.mergeable,
          draft: thread.draft,
        }
      : {}
  return { number, title, state, author, bot, labels, url, updatedAt: new Date(updatedAt).toISOString(), ...own }
}

function toComment(comment: MirroredComment): object {
  const { id, author, editedBy, bot, body, createdAt, path, line, inReplyTo } = comment
  return {
    external_id: id,
    author,
    edited_by: editedBy,
    bot,
    at: new Date(createdAt).toISOString(),
    body,
    path,
    line,
    in_reply_to: inReplyTo,
  }
}
