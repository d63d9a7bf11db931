import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../definition.ts'
import { allMachines } from '../registry.ts'
import { newTask, type TaskContext } from '../task/context.ts'
import { storyOf, type Lane, type Story, type StoryActor, type StoryRow, type StorySeen } from './story.ts'

const journals = new URL('../../runtime/fixtures/', import.meta.url)

interface Stored {
  readonly address: string
  readonly kind: StoryActor['kind']
  readonly status: 'active' | 'done'
  readonly path: string
  readonly snapshot: { readonly version: number; readonly snapshot: JsonObject }
  readonly events: readonly StoryRow[]
}

/** What a real run left of one actor. */
function stored(name: string): Stored {
  const { actors } = JSON.parse(readFileSync(new URL(name, journals), 'utf8')) as { readonly actors: readonly Stored[] }
  return actors[0]!
}

function actorOf(name: string, { address, kind, events }: Stored, shift = 0): StoryActor {
  return { address, kind, name, rows: events.map((row) => ({ ...row, at: row.at + shift })) }
}

/** `from`: retention, or the bound of a reading, left what comes from this step on. */
function seenOf(task: Stored, { from = 1, now = Infinity, others = {} }: Cut = {}): StorySeen {
  const rows = task.events.filter(({ seq, at }) => seq >= from && at <= now)
  const end = rows.at(-1)!
  return {
    pods: [],
    turns: [],
    earlierPods: 0,
    earlierTurns: 0,
    threads: [],
    absent: 'not kept',
    now: Math.min(now, end.at + 60_000),
    ...others,
    task: {
      ...actorOf('Task', task),
      rows,
      status: end.status,
      path: end.path,
      context: contextOf(task),
      readFrom: 1,
    },
  }
}

/** As a runtime of today loads it. */
function contextOf({ kind, snapshot: { version, snapshot } }: Stored): TaskContext {
  const definition = allMachines.find((each) => each.kind === kind)!
  const versions = Array.from({ length: definition.version - version }, (_, index) => version + index)
  const today = versions.reduce((loaded, each) => definition.upgrades[each]!(loaded), snapshot)
  return today['context'] as unknown as TaskContext
}

interface Cut {
  readonly from?: number
  readonly now?: number
  readonly others?: Partial<StorySeen>
}

/** INSPECTOR-6: each bar ends where the next one begins; the first begins and the last ends with the life; so they sum to its age. */
function faultsOf({ from, until, lanes, waits }: Story): readonly string[] {
  const age = until - from
  const ofLanes = lanes.flatMap(({ title, bars }) => [
    ...(bars[0]?.from === from && bars.at(-1)?.until === until ? [] : [`${title} does not reach from end to end`]),
    ...bars.flatMap((bar, index) =>
      bar.until >= bar.from && (bars[index + 1]?.from ?? until) === bar.until
        ? []
        : [`${title} ${index} overlaps or leaves a gap`],
    ),
    ...(bars.reduce((sum, bar) => sum + bar.until - bar.from, 0) === age ? [] : [`${title} does not sum to the age`]),
    ...bars.filter(({ word }) => /undefined|unknown|^$/.test(word)).map(({ word }) => `${title} says ${word}`),
  ])
  const waited = waits.reduce((sum, { ms }) => sum + ms, 0)
  return waited === age ? ofLanes : [...ofLanes, 'the waits do not sum to the age']
}

const tasks = [...readdirSync(journals).filter((name) => name.startsWith('task-v')), 'living/task-v3.json'].map(
  (name) => ({ name, task: stored(name) }),
)
const latest = (kind: string): Stored =>
  stored(
    readdirSync(journals)
      .filter((name) => name.startsWith(`${kind}-v`))
      .at(-1)!,
  )

function wordsOf(lane: Lane | undefined): readonly string[] {
  return lane?.bars.map(({ word }) => word) ?? []
}

describe.each(tasks)('the story of $name', ({ task }) => {
  test('has in every lane bars that neither overlap nor leave a gap, and that sum to its age, after each of its steps', () => {
    expect(task.events.length).toBeGreaterThan(5)
    for (const { at } of task.events) expect(faultsOf(storyOf(seenOf(task, { now: at })))).toEqual([])
  })

  test('says from when, wherever its journal was cut off', () => {
    for (const { seq, at } of task.events.slice(1)) {
      const story = storyOf(seenOf(task, { from: seq }))
      expect([story.from, story.cut]).toEqual([at, { step: seq, isKept: false }])
      expect(faultsOf(story)).toEqual([])
    }
  })
})

test('whatever other actors did before, within and after the life of a Task, their lanes are as long as it', () => {
  const { task } = tasks.at(-2)!
  for (const kind of ['pod', 'turn', 'issue', 'merge-request']) {
    const other = latest(kind)
    const begin = task.events[0]!.at - other.events[0]!.at
    const length = task.events.at(-1)!.at - task.events[0]!.at
    for (const shift of [-10 * length, -5000, 0, 5000, length / 2, 10 * length]) {
      const actor = actorOf('it', other, begin + shift)
      const others = { pods: [actor, actor], turns: [actor], threads: [actor], earlierTurns: 2 }
      expect(faultsOf(storyOf(seenOf(task, { others })))).toEqual([])
    }
  }
})

test('a Task that was delivered tells its stages, and for whom it waited between', () => {
  const { task } = tasks.find(({ name }) => name === 'task-v8.json')!
  const { lanes, waits } = storyOf(seenOf(task))
  expect(wordsOf(lanes[1])).toEqual(['implementing', 'reviewing', 'implementing', 'reviewing', 'merging', 'delivered'])
  expect([...new Set(lanes[0]!.bars.map(({ on, word }) => `${on}: ${word}`))]).toEqual([
    'platform: pod starts',
    'agent: working',
    'platform: waits for its pod',
    'forge: opening',
    'queue: waits for a slot',
    'platform: pod stops',
    'forge: merging',
    'nobody: delivered',
  ])
  expect(waits[0]!.on).toBe('platform')
  expect(lanes[0]!.bars.at(-1)).not.toHaveProperty('text')
})

const at = Date.UTC(2026, 10, 29)
const minute = 60_000

function row(seq: number, type: string, path: string, fields: object = {}): StoryRow {
  return { seq, at: at + seq * minute, path, status: 'active', event: { type, at, ...fields }, effects: [] }
}

const implementing = { ...newTask('a').stage, name: 'implementing', wants: 'implement' } as const

function told(rows: readonly StoryRow[], context: Partial<TaskContext> = {}, others: Partial<StorySeen> = {}): Story {
  const last = rows.at(-1)!
  return storyOf({
    pods: [],
    turns: [],
    earlierPods: 0,
    earlierTurns: 0,
    threads: [],
    absent: 'not kept',
    now: last.at + minute,
    ...others,
    task: {
      address: 'task:default/a',
      kind: 'task',
      name: 'Task',
      rows,
      status: last.status,
      path: last.path,
      readFrom: 1,
      context: { ...newTask('default/a'), stage: implementing, ...context },
    },
  })
}

const working = 'stage.live.active.implementing.clocked pod.working'
const owned = { repository: 'lib', number: 1, issue: 'default/lib-1', selfProposed: false, humanCommented: false }
const withIssue = {
  forge: {
    ...newTask('a').forge,
    everOwnedIssue: true,
    issues: [{ ...owned, state: 'open', accepted: false, grant: null }],
  },
} as const

test('an approval counts for the plan that it cites: a newer plan waits again', () => {
  const rows = [
    row(1, 'note.written', `${working}.busy`, { kind: 'plan', bodyHash: 'p1' }),
    row(2, 'approval.granted', `${working}.busy`, { planHash: 'p1' }),
    row(3, 'turn.ended', `${working}.idle`),
    row(4, 'note.written', `${working}.busy`, { kind: 'plan', bodyHash: 'p2' }),
    row(5, 'turn.ended', `${working}.idle`),
    row(6, 'approval.granted', `${working}.busy`, { planHash: 'p2' }),
  ]
  expect(wordsOf(told(rows, withIssue).lanes[0])).toEqual([
    'working',
    'waits for an answer',
    'working',
    'waits for approval',
    'working',
  ])
})

test('a pod whose journal is not there is named as such between those that are', () => {
  const pod = (name: string, ...rows: readonly StoryRow[]): StoryActor => ({
    ...{ address: `pod:${name}`, kind: 'pod', name, rows },
  })
  const rows = [row(1, 'pod.working', `${working}.busy`), row(9, 'x', `${working}.busy`)]
  const gone = { ...row(3, 'x', 'gone'), status: 'done' } as const
  const pods = [pod('2', { ...row(2, 'x', 'alive.busy'), seq: 1 }, gone), pod('3'), pod('5', row(5, 'x', 'alive.busy'))]
  expect(wordsOf(told(rows, {}, { pods, absent: 'not in this file' }).lanes[3])).toEqual([
    'no pod',
    '2: working',
    'not in this file',
    '5: working',
  ])
})

test('whether an idle agent waits for an answer or for the approval of its plan is told by what came before', () => {
  const rows = [
    row(1, 'pod.working', `${working}.busy`),
    row(2, 'turn.ended', `${working}.idle`),
    row(3, 'human.commented', `${working}.busy`),
    row(4, 'note.written', `${working}.busy`, { kind: 'plan' }),
    row(5, 'turn.ended', `${working}.idle`),
    row(6, 'approval.granted', `${working}.busy`),
    row(7, 'turn.ended', `${working}.idle`),
    row(8, 'pod.final', 'stage.live.active.implementing.clocked pod.none'),
  ]
  const [rests] = told(rows, withIssue).lanes
  expect(wordsOf(rests)).toEqual([
    'working',
    'waits for an answer',
    'working',
    'waits for approval',
    'working',
    'waits for an answer',
    'waits for its pod',
  ])
  expect(rests!.bars.filter(({ on }) => on === 'person')).toHaveLength(3)
})

test('a merge that waits for checks waits for CI, and one that waits for the forge does not', () => {
  const merging = 'stage.live.active.merging.asked'
  const stage = { ...implementing, name: 'merging', wants: null } as const
  const rows = [
    row(1, 'pod.final', `${merging}.outstanding pod.none`),
    row(2, 'mr.ciPending', `${merging}.backingOff pod.none`),
    row(3, 'xstate.after', `${merging}.outstanding pod.none`),
    row(4, 'mr.notMergeableYet', `${merging}.backingOff pod.none`),
  ]
  const [rests] = told(rows, { stage }).lanes
  expect(rests!.bars.map(({ on, word }) => `${on}: ${word}`)).toEqual([
    'forge: merging',
    'CI: checks run',
    'forge: merging',
  ])
})

test('a park is said by the reason that it was entered for, each visit by its own', () => {
  const history = [
    { stage: 'awaiting-human', at: at + minute, reason: 'ci-red' },
    { stage: 'awaiting-human', at: at + 3 * minute, reason: 'needs-maintainer' },
  ]
  const parked = 'stage.live.parked.awaiting-human pod.none'
  const rows = [row(1, 'mr.ciRed', parked), row(2, 'human.commented', `${working}.busy`), row(3, 'outcome', parked)]
  const context = {
    stage: { ...implementing, name: 'awaiting-human', class: 'parked', reason: 'needs-maintainer', history },
  } as const
  const [rests, stages] = told(rows, context).lanes
  expect(wordsOf(stages)).toEqual(['awaiting-human: ci-red', 'implementing', 'awaiting-human: needs-maintainer'])
  expect(rests!.bars.map(({ on, text }) => `${on}: ${text}`)).toEqual([
    'person: ci-red',
    'agent: the agent works on a turn',
    'person: needs-maintainer',
  ])
})

test('a Task that waited for its first slot begins when it was asked for', () => {
  const enqueue = {
    type: 'deliver',
    params: { to: 'queue:default/demo', event: { type: 'queue.enqueue', entry: 'mint/a' } },
  }
  const issue: StoryActor = {
    address: 'issue:default/lib-1',
    kind: 'issue',
    name: 'issue lib#1',
    rows: [
      { ...row(1, 'issue.observed', 'live.refined'), effects: [enqueue] },
      row(4, 'plan.written', 'live.refined'),
      row(9, 'issue.observed', 'live.closed'),
    ],
  }
  const minted = { ...row(1, 'task.minted', `${working}.busy`, { entry: 'mint/a' }), at: at + 3 * minute }
  const story = told([minted], {}, { threads: [issue] })
  expect(story.from).toBe(at + minute)
  expect(wordsOf(story.lanes[0])).toEqual(['waits for a slot', 'working'])
  expect(wordsOf(story.lanes.at(-1))).toEqual(['waits for a plan', 'waits for approval'])
  expect(story.waits).toContainEqual({ on: 'queue', ms: 2 * minute })
})

test('a Task in the queue waits for an operator while the model is withheld, and for the queue before and after', () => {
  const waiting = 'stage.live.active.implementing.fresh pod.awaitingSlot'
  const rows = ['pod.final', 'model.withheld', 'model.served'].map((type, index) => row(index + 1, type, waiting))
  const [rests] = told(rows).lanes
  expect(rests!.bars.map(({ on, word }) => `${on}: ${word}`)).toEqual([
    'queue: waits for a slot',
    'operator: model withheld',
    'queue: waits for a slot',
  ])
})

test('a clock that goes back moves no bar', () => {
  const times = [1, 5, 3, 4, 6]
  const rows = times.map((time, index) => ({
    ...row(index + 1, 'x', `${working}.${index < 2 ? 'busy' : 'idle'}`),
    at: at + time * minute,
  }))
  const story = told(rows)
  expect(faultsOf(story)).toEqual([])
  expect(story.lanes[0]!.bars.map(({ from }) => (from - at) / minute)).toEqual([1, 5])
})

test('a Task that moved thousands of times has a bounded story that says what was left out, and sums up all of it', () => {
  const rows = Array.from({ length: 5000 }, (_, index) =>
    row(index + 1, 'x', `${working}.${index % 2 ? 'idle' : 'busy'}`),
  )
  const story = told(rows)
  expect(story.lanes[0]!.bars).toHaveLength(101)
  expect(story.lanes[0]!.bars[0]!.word).toBe('4900 earlier')
  expect(faultsOf(story)).toEqual([])
  expect(JSON.stringify(story).length).toBeLessThan(100_000)
})
