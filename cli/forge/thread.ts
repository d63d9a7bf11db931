/** Which thread of the forge a person speaks in, by the name of a Task or as `why` names threads: `lib#12`, `lib!13`. */
import { Type, type Static } from 'typebox'
import { forgePath, webOf } from '../../edges/forge/projects.ts'
import type { ForgeSubjectKind } from '../../edges/forge/port.ts'
import { UsageError } from '../args.ts'
import type { OrchestratorClient } from '../server/client.ts'
import { resourcePath, unset } from '../resource-view.ts'
import type { ForgeApi } from './credentials.ts'

export interface Thread {
  readonly forge: ForgeApi
  readonly botLogin: string
  /** The forge's own name of the repository. */
  readonly path: string
  readonly on: ForgeSubjectKind
  readonly number: number
  /** Bare name of its Repository. */
  readonly repository: string
  /** As people name it: `lib#12`. */
  readonly name: string
  readonly url: string
  /** Bare name of the Project. */
  readonly project: string
  /** Whose comments approve here. */
  readonly maintainers: readonly string[]
}

/** A Task as it was read, under `namespace/name`. */
interface Working {
  readonly id: string
  readonly task: Task
}

const ThreadRef = Type.Object({ repository: Type.String(), number: Type.Integer() })

const Task = Type.Object({
  status: Type.Object({
    stage: Type.String(),
    stageClass: Type.String(),
    stageReason: unset(Type.String()),
    planHash: unset(Type.String()),
    issues: Type.Array(
      Type.Intersect([
        ThreadRef,
        Type.Object({ state: Type.String(), accepted: Type.Boolean(), granted: Type.Boolean() }),
      ]),
    ),
    mergeRequests: Type.Array(Type.Intersect([ThreadRef, Type.Object({ state: Type.String() })])),
  }),
})
export type Task = Static<typeof Task>

const Subject = Type.Object({ status: Type.Object({ ownerTask: unset(Type.String()) }) })

const Logins = Type.Optional(Type.Array(Type.String()))

const Project = Type.Object({
  spec: Type.Object({
    scm: Type.Object({
      provider: Type.Union([Type.Literal('forge_a'), Type.Literal('forge_b')]),
      owner: Type.String(),
      botLogin: Type.String(),
      apiURL: Type.Optional(Type.String()),
      webURL: Type.Optional(Type.String()),
      maintainerLogins: Logins,
    }),
  }),
})

const Repository = Type.Object({
  spec: Type.Object({ projectRef: Type.String(), url: Type.Optional(Type.String()), maintainerLogins: Logins }),
})

type Client = Pick<OrchestratorClient, 'ask'>

/** One of the threads of a Task. */
export interface Wanted extends Static<typeof ThreadRef> {
  readonly on: ForgeSubjectKind
}

export function readTask(client: Client, id: string): Promise<Task> {
  return client.ask(Task, 'GET', pathOf('tasks', id))
}

/** `working`: the Task that works there; none does after its end. `choose`: which of its threads is meant where a Task was named. */
export async function findThread(
  client: Client,
  given: string,
  choose: (task: Task, id: string) => Wanted,
): Promise<{ readonly thread: Thread; readonly working?: Working }> {
  const [, namespace = 'default', repository, mark, digits] = /^(?:([^/#!]+)\/)?([^/#!]+)([#!])(\d+)$/.exec(given) ?? []
  if (repository === undefined) {
    const id = given.includes('/') ? given : `default/${given}`
    const task = await readTask(client, id)
    return { thread: await threadAt(client, id.slice(0, id.indexOf('/')), choose(task, id)), working: { id, task } }
  }
  const wanted: Wanted = { repository, number: Number(digits), on: mark === '#' ? 'issue' : 'mr' }
  const [plural, infix] = wanted.on === 'issue' ? ['issues', ''] : ['mergerequests', 'mr-']
  const name = `${namespace}/${repository}-${infix}${wanted.number}`
  const { ownerTask: id } = (await client.ask(Subject, 'GET', pathOf(plural, name))).status
  const thread = await threadAt(client, namespace, wanted)
  return id ? { thread, working: { id, task: await readTask(client, id) } } : { thread }
}

async function threadAt(client: Client, namespace: string, { repository, number, on }: Wanted): Promise<Thread> {
  const known = await client.ask(Repository, 'GET', pathOf('repositories', `${namespace}/${repository}`))
  const project = known.spec.projectRef
  const { spec } = await client.ask(Project, 'GET', pathOf('projects', `${namespace}/${project}`))
  const { provider, owner, botLogin, apiURL } = spec.scm
  const web = webOf({ provider, ...(spec.scm.webURL === undefined ? {} : { webURL: spec.scm.webURL }) })
  const url = known.spec.url ?? `${web}/${owner}/${repository}.git`
  const path = forgePath({ name: repository, url }, spec.scm.webURL === undefined ? {} : { webURL: spec.scm.webURL })
  return {
    forge: { provider, ...(apiURL === undefined ? {} : { apiURL }) },
    botLogin,
    path,
    on,
    number,
    repository,
    name: `${repository}${on === 'issue' ? '#' : '!'}${number}`,
    url: `${web}/${path}/${pages[provider][on]}/${number}`,
    project,
    maintainers: known.spec.maintainerLogins ?? spec.scm.maintainerLogins ?? [],
  }
}

const pages = {
  forge_a: { issue: 'issues', mr: 'pull' },
  forge_b: { issue: '-/issues', mr: '-/merge_requests' },
} as const

function pathOf(plural: string, id: string): string {
  const [namespace = '', name = ''] = id.split('/')
  return resourcePath({ plural }, namespace, name)
}

/** The issues of a Task that wait for a word, if that is one. */
export function onlyOne(found: readonly Wanted[], none: string): Wanted {
  const [first, ...others] = found
  if (first === undefined) throw new Error(none)
  if (others.length === 0) return first
  const names = found.map(({ repository, number, on }) => `${repository}${on === 'issue' ? '#' : '!'}${number}`)
  throw new UsageError(`it has several threads: name one of ${names.join(', ')}`)
}
