/** How a Task or a Project stands, in lines for people. */
import { Type, type Static, type TSchema } from 'typebox'
import { ApiError } from '../../http/problems/api-error.ts'
import { belowRows, mergedRows, wayOf, workRows, type WhyAnswer, type WhyRow } from '../../machines/why/why-rows.ts'
import { listAll, type OrchestratorClient } from '../server/client.ts'
import { Condition, conditionLines } from './conditions.ts'
import { idOfName } from '../../crd/resource-id.ts'
import { resourcePath } from '../resource-view.ts'
import { table } from './table.ts'

/** Of the Task of this name, or else of the Project. */
export async function explained(
  client: OrchestratorClient,
  name: string,
): Promise<readonly [object, readonly string[]]> {
  try {
    return await explainTask(client, name)
  } catch (error) {
    if (!isMissing(error)) throw error
    const project = await projectNamed(client, idOfName(name))
    if (project === undefined) throw new Error(`${error.message}; nor is there a Project ${name}`, { cause: error })
    return [project, projectLines(project)]
  }
}

/** Its answer, and the lines of it for people. */
export async function explainTask(
  client: OrchestratorClient,
  task: string,
): Promise<readonly [object, readonly string[]]> {
  const answer = await client.ask(Answer, 'GET', `/operations/why?task=${encodeURIComponent(task)}`)
  return [answer, whyLines(answer, client.isScripted)]
}

/** Of a Task that is parked, where its last turn was of this pod; who cannot say it says nothing. */
export async function lastWordsOf(client: OrchestratorClient, task: string, pod: number): Promise<readonly string[]> {
  const answer = await client
    .ask(Answer, 'GET', `/operations/why?task=${encodeURIComponent(task)}`)
    .catch(() => undefined)
  if (answer?.lastTurn?.pod !== pod) return []
  return lastTurnRows(answer.lastTurn).map(([name, value]) => `${name.padEnd('last words'.length)}  ${value}`)
}

function isMissing(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 404
}

const Project = Type.Object({
  metadata: Type.Object({ name: Type.String(), namespace: Type.String() }),
  spec: Type.Object({ maxConcurrentAgents: Type.Optional(Type.Number()) }),
  status: Type.Object({ ready: Type.Boolean(), reason: Type.String(), conditions: Type.Array(Condition) }),
})

const QueuedEvent = Type.Object({
  metadata: Type.Object({ name: Type.String() }),
  spec: Type.Object({ projectRef: Type.String(), taskRef: Type.Optional(Type.String()) }),
  status: Type.Object({
    state: Type.String(),
    position: Type.Optional(Type.Number()),
    reason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
})

interface ProjectAnswer {
  readonly project: Static<typeof Project>
  /** What waits for a slot, in its order. */
  readonly waiting: readonly Static<typeof QueuedEvent>[]
  readonly running: number
}

async function projectNamed(client: OrchestratorClient, id: string): Promise<ProjectAnswer | undefined> {
  const [namespace = '', name = ''] = id.split('/')
  const path = resourcePath({ plural: 'projects' }, namespace, name)
  const project = await client.ask(Project, 'GET', path).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
  if (project === undefined) return undefined
  const all = await listAll<Static<typeof QueuedEvent>>(client, '/resources/queuedevents', { namespace }, QueuedEvent)
  const own = all.filter(({ spec }) => spec.projectRef === name)
  const waiting = own.filter(({ status }) => status.state === 'Queued')
  return {
    project,
    waiting: waiting.toSorted((a, b) => (a.status.position ?? 0) - (b.status.position ?? 0)),
    running: own.filter(({ status }) => status.state === 'Admitted').length,
  }
}

function projectLines({ project: { metadata, spec, status }, waiting, running }: ProjectAnswer): readonly string[] {
  const isPaused = status.conditions.some(({ type, status: is }) => type === 'Paused' && is === 'True')
  const slots = spec.maxConcurrentAgents === undefined ? '' : ` of ${spec.maxConcurrentAgents}`
  return [
    `${metadata.namespace}/${metadata.name}: ${status.ready ? 'ready' : 'not ready'} (${status.reason})${isPaused ? ', paused' : ''}`,
    `  ${running}${slots} slots are taken, ${waiting.length} ${waiting.length === 1 ? 'entry waits' : 'entries wait'}`,
    '',
    ...conditionLines(status.conditions),
    ...(waiting.length === 0 ? [] : ['', ...waitingLines(waiting)]),
  ]
}

function waitingLines(waiting: ProjectAnswer['waiting']): readonly string[] {
  return table(
    ['POSITION', 'TASK', 'WAITS BECAUSE'],
    waiting.map(({ spec, status }) => [String(status.position ?? '-'), spec.taskRef ?? '-', status.reason ?? '-']),
  )
}

const nullOr = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])
const Resting = Type.Object({ reason: Type.String(), unblocks: Type.String() })

/** What is read of it here. */
const Answer = Type.Unsafe<WhyAnswer>(
  Type.Object({
    task: Type.String(),
    stage: Type.String(),
    resting: nullOr(Type.Intersect([Resting, Type.Object({ owner: Type.String() })])),
    detail: nullOr(Type.String()),
    below: Type.Array(Resting),
    queue: nullOr(Type.Object({ position: Type.Number(), reason: Type.String() })),
    nextTimer: nullOr(Type.Object({ name: Type.String(), dueAt: Type.Number() })),
    reviewRounds: nullOr(Type.Number()),
    merged: Type.Optional(
      Type.Array(Type.Object({ name: Type.String(), url: Type.String(), commit: Type.Optional(Type.String()) })),
    ),
    spending: nullOr(Type.Array(Type.Object({ name: Type.String(), limit: Type.Number(), spent: Type.Number() }))),
    cost: Type.Optional(Type.Object({ turns: Type.Number(), tokens: Type.Number(), usd: Type.Number() })),
    path: nullOr(Type.Array(Type.Object({ by: Type.String(), does: Type.String(), stage: Type.String() }))),
    refusedCalls: Type.Array(Type.Object({ pod: Type.Number(), turn: Type.Number() })),
    memory: Type.Array(Type.Object({ repository: Type.String(), commit: Type.String(), due: Type.Number() })),
    lastTurn: Type.Optional(
      Type.Object({
        words: Type.String(),
        tool: Type.Optional(Type.Object({ name: Type.String(), failed: Type.Boolean() })),
        ended: Type.Optional(Type.String()),
      }),
    ),
    firings: Type.Optional(Type.Number()),
    hindrance: Type.Optional(Type.Object({ sentence: Type.String() })),
  }),
)

function whyLines(why: WhyAnswer, isScripted = false): readonly string[] {
  const { task, stage, resting, detail, queue, nextTimer } = why
  const facts: (readonly [string, string])[] = [
    ...(resting === null
      ? [['why', 'it has ended'] as const]
      : [
          ['why', `${resting.says} (${resting.reason})`] as const,
          ['who', resting.owner] as const,
          ['moved by', resting.unblocks] as const,
        ]),
    ...pairs(mergedRows(why)),
    ...(detail === null ? [] : [['detail', detail] as const]),
    ...lastTurnRows(why.lastTurn),
    ...pairs(belowRows(why)),
    ...(queue === null ? [] : [['queue', `position ${queue.position}: ${queue.reason}`] as const]),
    ...(nextTimer === null
      ? []
      : [['timer', `${nextTimer.name} at ${new Date(nextTimer.dueAt).toISOString()}`] as const]),
  ]
  if (why.hindrance !== undefined) facts.push(['hindrance', why.hindrance.sentence])
  facts.push(...pairs(workRows(why, isScripted)))
  const width = Math.max(...facts.map(([name]) => name.length))
  const lines = facts.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)
  return [`${task}: ${stage}`, ...lines, ...wayLines(why)]
}

function pairs(rows: readonly WhyRow[]): readonly (readonly [string, string])[] {
  return rows.map(({ name, text }) => [name, text])
}

/** What the agent said has many lines: each is one of the answer. */
function lastTurnRows(last: WhyAnswer['lastTurn']): readonly (readonly [string, string])[] {
  if (last === undefined) return []
  const { words, tool, ended } = last
  const lines = words === '' ? ['(nothing)'] : words.split(/\r?\n/)
  return [
    ...lines.map((line, index) => [index === 0 ? 'last words' : '', line] as const),
    ...(tool ? [['last tool', `${tool.name}${tool.failed ? ', which failed' : ''}`] as const] : []),
    ...(ended ? [['its turn', `ended: ${ended}`] as const] : []),
  ]
}

function wayLines(why: WhyAnswer): readonly string[] {
  const way = wayOf(why)
  if (way === null) return []
  const rows = way.steps.map(({ by, does, stage }, index) => [`${index + 1}.`, by, does, stage])
  return ['', way.title, ...(rows.length === 0 ? [] : table(['', 'WHO', 'DOES', 'THEN'], rows))]
}
