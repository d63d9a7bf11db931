/** The wrapper's log of a pod, for people who cannot reach its machine. */
import { Type } from 'typebox'
import type { PodLog, PodPort } from '../../edges/ports/pods.ts'
import type { HttpApp } from '../../http/app.ts'
import { invalidInput, Problem } from '../../http/problems/problem.ts'
import { addressOf } from '../../runtime/address.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { hiddenSecret, hideSecrets } from '../../runtime/secrets-in-text.ts'
import { idOfName } from '../../crd/resource-id.ts'

export interface PodLogDeps {
  readonly runtime: Pick<Runtime, 'read'>
  readonly pods: Pick<PodPort, 'logOf'>
  /** What a pod is given and nobody may read; an empty one is none. */
  readonly secrets: readonly string[]
}

const mostLines = 5_000
const mostBytes = 1024 * 1024
const usualLines = 200
/** Pods whose log is looked for: the newest may not be made yet, and older ones than these are gone. */
const looks = 3

const Query = Type.Object(
  {
    task: Type.String({ minLength: 1, maxLength: 512 }),
    pod: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Ordinal within the Task. Absent: the newest that has a log.' }),
    ),
    tail: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: mostLines,
        description: `The newest lines: 1 to ${mostLines}, default ${usualLines}.`,
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'The `cursor` of an earlier answer about this pod: only what came after it. Opaque.',
      }),
    ),
  },
  { additionalProperties: false },
)

/**
 * `GET /operations/logs` answers `{task, pod, container?, isLive, lines, truncated, cursor, waits?}`: at most 5,000 lines of
 * 1 MiB together, the newest, without secrets (OPERATIONS-9, OPERATIONS-10).
 */
export function podLogRoute(app: HttpApp, deps: PodLogDeps): void {
  app.get(
    '/operations/logs',
    { schema: { querystring: Query, summary: "The newest lines of the wrapper's log of a Task's pod" } },
    async ({ query: { task, pod, tail = usualLines, cursor } }) => {
      if (cursor !== undefined && pod === undefined)
        throw invalidInput([{ in: 'query', path: '/pod', message: 'is needed with a cursor, which is of one pod' }])
      const id = idOfName(task)
      const ordinals = await ordinalsOf(deps, { id, task }, pod)
      const wish = { lines: tail, bytes: mostBytes, ...(cursor === undefined ? {} : { after: cursor }) }
      for (const ordinal of ordinals) {
        const log = await deps.pods.logOf(`${id}/${ordinal}`, wish)
        if (log.state === 'unreadable')
          throw new Problem('upstream-failed', `the log of pod ${ordinal} of ${task} cannot be read: ${log.detail}`)
        if (log.state === 'read') return { task: id, pod: ordinal, ...answerOf(log, deps.secrets) }
      }
      throw new Problem(
        'not-found',
        `the log of pod ${ordinals[0]} of ${task} is gone: it is kept for a week on one machine, and in a cluster for 15 minutes after the pod's end`,
      )
    },
  )
}

/** The one that is wanted, or else the newest ones, newest first. @throws Problem `not-found` */
export async function ordinalsOf(
  { runtime }: Pick<PodLogDeps, 'runtime'>,
  { id, task }: { readonly id: string; readonly task: string },
  wanted: number | undefined,
): Promise<readonly number[]> {
  const actor = await runtime.read(addressOf('task', id))
  if (actor === undefined) throw new Problem('not-found', `there is no Task ${task}`)
  const newest = actor.context.pod.ordinal
  if (newest === 0) throw new Problem('not-found', `the Task ${task} has had no pod yet: statewright why ${task}`)
  if (wanted === undefined) return Array.from({ length: Math.min(newest, looks) }, (_, index) => newest - index)
  if (wanted > newest)
    throw new Problem('not-found', `the Task ${task} has no pod ${wanted} yet: its newest is ${newest}`)
  return [wanted]
}

function answerOf(log: Extract<PodLog, { readonly state: 'read' }>, secrets: readonly string[]): object {
  const { container, isLive, isTruncated: truncated, cursor, waits } = log
  const lines = log.lines.map((line) => hidden(line, secrets))
  return { container, isLive, lines, truncated, cursor, waits: waits && hidden(waits, secrets) }
}

/** As in an export, and besides: fields that are named after a secret, and the very words that pods are given. */
function hidden(line: string, secrets: readonly string[]): string {
  return hideSecrets(withoutSecretFields(line), secrets)
}

const secretName = /(token|secret|password|authorization|cookie|api[-_]?key|private[-_]?key)$/i

function withoutSecretFields(line: string): string {
  const value = objectOf(line)
  if (value === undefined) return line
  let isChanged = false
  const text = JSON.stringify(value, (name, inner: unknown) => {
    if (typeof inner !== 'string' || !secretName.test(name)) return inner
    isChanged = true
    return hiddenSecret
  })
  return isChanged ? text : line
}

function objectOf(line: string): object | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    return JSON.parse(line) as object
  } catch {
    return undefined
  }
}
