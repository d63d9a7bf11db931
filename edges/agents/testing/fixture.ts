/** What tests of this folder share: a Task as a pod sees it, threads and a forge that are lists. Test code only. */
import { withChanges, type TaskContext, type TaskPatch } from '../../../machines/task/context.ts'
import { ATask } from '../../../machines/testing/a-task.ts'
import type { ActorView, Runtime } from '../../../runtime/runtime.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import type { ProjectLife } from '../deps.ts'
import type { ForgeComment, ForgePort } from '../../forge/port.ts'
import type { MirroredComment, MirroredIssue, MirroredMergeRequest, ThreadReader } from '../../ports/threads.ts'

/** Noon of some day. */
export const noon = Date.UTC(2026, 10, 21, 12)

/** An implement Task at its first turn, changed. */
export function aTask(change: TaskPatch = {}): TaskContext {
  return withChanges(new ATask().mint().running().context, change)
}

export function aView(context: object, change: Partial<ActorView> = {}): ActorView {
  const base = {
    address: 'task:default/t',
    kind: 'task',
    id: 'default/t',
    seq: 1,
    version: 1,
    status: 'active',
    path: '',
    value: '',
    updatedAt: noon,
  } as const
  return { ...base, context: context as ActorView['context'], ...change }
}

/** A runtime that only reads, from this list. */
export function reading(actors: Readonly<Record<string, ActorView>>): Pick<Runtime, 'read'> {
  return { read: async (address) => actors[address] as never }
}

/** The Project that stands, as long as any Task of these tests. */
export const aLife: ProjectLife = { uid: 'uid-of-demo', since: 0 }

/** A store that nobody asks, for Tasks whose row holds all their notes. */
export const nothingSpilled = {
  query: () => Promise.reject(new Error('no note was spilled')),
} as unknown as Sql

export function aThreadComment(change: Partial<MirroredComment> = {}): MirroredComment {
  return {
    id: '12',
    author: 'maria',
    bot: false,
    body: '/approve',
    bodyHash: 'hash-12',
    createdAt: noon,
    updatedAt: noon,
    ...change,
  }
}

export function aThreadIssue(change: Partial<MirroredIssue> = {}): MirroredIssue {
  const url = 'http://forge/acme/lib/issues/1'
  return {
    repository: 'lib',
    number: 1,
    state: 'open',
    title: 'Fails',
    author: 'rita',
    bot: false,
    body: 'It fails.',
    url,
    labels: ['platform'],
    updatedAt: noon,
    complete: true,
    ...change,
  }
}

export function aThreadMergeRequest(change: Partial<MirroredMergeRequest> = {}): MirroredMergeRequest {
  const own = {
    draft: false,
    headSha: 'sha-1',
    headBranch: 'platform/implement-lib-1-x7k2p',
    baseBranch: 'main',
    ci: 'success',
    mergeable: true,
  } as const
  return {
    ...aThreadIssue(),
    number: 7,
    author: 'bot',
    bot: true,
    title: 'Fix',
    body: 'Fixed.',
    url: 'http://forge/acme/lib/pull/7',
    ...own,
    ...change,
  }
}

export interface Threads {
  readonly issues?: readonly MirroredIssue[]
  readonly mergeRequests?: readonly MirroredMergeRequest[]
  /** By `issue 1` or `mr 7`. */
  readonly comments?: Readonly<Record<string, readonly MirroredComment[]>>
}

export function aThreadReader({ issues = [], mergeRequests = [], comments = {} }: Threads): ThreadReader {
  return {
    issue: async (_project, repository, number) =>
      issues.find((one) => one.repository === repository && one.number === number),
    mergeRequest: async (_project, repository, number) =>
      mergeRequests.find((one) => one.repository === repository && one.number === number),
    comments: async (_project, _repository, number, on) => comments[`${on} ${number}`] ?? [],
    issues: async () => ({ items: issues }),
    mergeRequests: async () => ({ items: mergeRequests }),
  }
}

export function aForgeComment(change: Partial<ForgeComment> = {}): ForgeComment {
  const author = { login: 'bot', id: '3', bot: true }
  return {
    id: '1',
    sort: 'comment',
    on: 'issue',
    number: 1,
    author,
    body: '',
    url: 'http://forge/c/1',
    createdAt: noon,
    updatedAt: noon,
    ...change,
  }
}

/** Only what is given can be called. */
export function aForge(calls: Partial<ForgePort>): ForgePort {
  return calls as ForgePort
}
