/** Whether a step came to what its row says. Words for people, and times that no row speaks of, are not compared. */
import type { ActorKind } from '../../../machines/definition.ts'
import { kindOf, type Snapshot, type Stepped } from '../../machines/world/trace.ts'
import { leavesOf, type Expected, type Rows } from './draft.ts'
import { ingestJobRows } from './ingest-job.ts'
import { issueRows } from './issue.ts'
import { ledgerRows } from './ledger.ts'
import { memoryRows } from './memory.ts'
import { memoryStackRows } from './memory-stack.ts'
import { mergeRequestRows } from './merge-request.ts'
import { modelKeyRows } from './model-key.ts'
import { podRows } from './pod.ts'
import { projectRows } from './project.ts'
import { queueRows } from './queue.ts'
import { taskRows } from './task/rows.ts'
import { turnRows } from './turn.ts'

const byKind: Readonly<Record<ActorKind, Rows>> = {
  task: taskRows,
  pod: podRows,
  turn: turnRows,
  queue: queueRows,
  issue: issueRows,
  'merge-request': mergeRequestRows,
  ledger: ledgerRows,
  'model-key': modelKeyRows,
  memory: memoryRows,
  'memory-stack': memoryStackRows,
  project: projectRows,
  'ingest-job': ingestJobRows,
}

const words: ReadonlySet<string> = new Set([
  'body',
  'text',
  'title',
  'detail',
  'stageDetail',
  'comment',
  'message',
  'goal',
  'guidance',
])

/** Keys in one order, words left out: equal text is an equal thing. */
function plain(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => {
    if (words.has(key) && typeof inner === 'string') return 'words'
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}

function differing(what: string, wanted: readonly string[], there: readonly string[]): readonly string[] {
  const [left, right] = [[...wanted], [...there]]
  const missing = left.filter((one) => !taken(right, one))
  return [
    ...missing.map((one) => `its row asks for ${what} ${one}`),
    ...right.map((one) => `no row asks for ${what} ${one}`),
  ]
}

function taken(list: string[], one: string): boolean {
  const index = list.indexOf(one)
  if (index >= 0) list.splice(index, 1)
  return index >= 0
}

type Fields = Readonly<Record<string, unknown>>

/** Most fields are the very same thing in both. `at` is the newest time that was heard of. */
function contextDiffers(wanted: Fields, there: Fields): readonly string[] {
  const names = new Set([...Object.keys(wanted), ...Object.keys(there)])
  return [...names].flatMap((name) => {
    if (name === 'at' || wanted[name] === there[name]) return []
    const [left, right] = [plain({ [name]: wanted[name] }), plain({ [name]: there[name] })]
    return left === right ? [] : [`its row leaves ${left}, the step ${right}`]
  })
}

interface Taken {
  readonly after: Snapshot
  readonly effects: readonly { readonly type: string; readonly params: object }[]
  readonly timers: readonly string[]
  /** Of a machine alone. */
  readonly armed?: readonly { readonly id: string; readonly delayMs: number }[]
}

const regions = /^(issueScan|brainstorm|documentation|upgrade|budget)$/

/** `xstate.after.<delay>.<state>`; a delay of one region of several has its name before it. */
function nameOf(timer: string): string {
  const [, , name = '', second = ''] = timer.split('.')
  return regions.test(name) ? `${name}.${second}` : name
}

function delayed({ delays = {}, rearms = [] }: Expected, armed: Taken['armed']): readonly string[] {
  if (!armed) return []
  const missing = rearms.filter((name) => !armed.some(({ id }) => nameOf(id) === name))
  const late = Object.entries(delays).flatMap(([name, wanted]) => {
    const there = armed.find(({ id }) => nameOf(id) === name)?.delayMs
    return there === undefined || there === wanted ? [] : [`its row arms ${name} for ${wanted} ms, the step ${there}`]
  })
  return [...late, ...missing.map((name) => `its row arms ${name} anew`)]
}

export function differences(wanted: Expected, { after, effects, timers, armed }: Taken): readonly string[] {
  return [
    ...delayed(wanted, armed),
    ...differing('the state', wanted.leaves, leavesOf(after.value)),
    ...differing(
      'the effect',
      wanted.effects.map(plain),
      effects.map(({ type, params }) => plain({ type, params })),
    ),
    ...differing(
      'the timer',
      wanted.timers,
      timers.map(nameOf).filter((name) => !wanted.perhaps?.includes(name)),
    ),
    ...contextDiffers(wanted.context as Fields, after.context as Fields),
  ]
}

/** The law of the rows: each step of each machine is the one that its row says. */
export function againstItsRow(step: Stepped & Pick<Taken, 'armed'>): readonly string[] {
  const { actor, before, event } = step
  const kind = kindOf(actor)
  const wanted = byKind[kind](before, event, actor.slice(kind.length + 1))
  if (!wanted) return []
  return differences(wanted, step).map(
    (what) => `${kind} at ${before ? leavesOf(before.value).join(' and ') : 'its beginning'} on ${event.type}: ${what}`,
  )
}
