import { expect, test } from 'vitest'
import { machines } from '../../machines/registry.ts'
import { createTeller, openingOf, stageOf } from './story.ts'

interface StateNode {
  readonly states: Readonly<Record<string, StateNode>>
}

function leavesOf(node: StateNode, path: string): string[] {
  const below = Object.entries(node.states)
  return below.length === 0 ? [path] : below.flatMap(([name, inner]) => leavesOf(inner, `${path}.${name}`))
}

test('every state of a Task is told by the name of its stage (TASK-MOVES-2)', () => {
  const task = machines.find(({ kind }) => kind === 'task')?.machine as unknown as { readonly root: StateNode }
  const leaves = leavesOf(task.root.states['stage']!, 'stage')
  const stages = new Set(leaves.map((leaf) => stageOf(`${leaf} pod.working.busy`)))
  expect([...stages].toSorted()).toEqual(
    [
      ...['minted', 'refined', 'implementing', 'reviewing', 'merging'],
      ...['brainstorming', 'investigating', 'refining', 'documenting', 'upgrading'],
      ...['awaiting-human', 'backlog-sweep', 'identity-unverified', 'implement-declined', 'operator-error'],
      ...['delivered', 'rejected', 'failed', 'folded'],
    ].toSorted(),
  )
})

test.each([
  ['power-loss', /; what is acknowledged outlives the loss of power$/],
  ['process-death', /; what is acknowledged outlives the end of a process, not the loss of power$/],
  ['none', /; nothing outlives the process$/],
])('a start says which guarantee holds: %s (R1)', (durability, guarantee) => {
  const line = openingOf({ msg: 'ready', url: 'http://127.0.0.1:8080', isolation: 'namespaces', durability })
  expect(line).toMatch(/^the orchestrator is up: http:\/\/127\.0\.0\.1:8080, pods isolated by namespaces/)
  expect(line).toMatch(guarantee)
})

/** Lines of a start that is over where the Project of this id was ready. */
function told(lines: readonly Record<string, unknown>[], ready?: string): string[] {
  const written: string[] = []
  const write = (line: string): void => void written.push(line)
  const teller = createTeller(write, 1_000, () => 3_500)
  if (ready !== undefined) teller.ready(ready)
  for (const line of lines) teller.line(line)
  return written
}

function step(actor: string, event: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { msg: 'step', actor, event, path: 'stage.live.minted pod.none', effects: [], facts: {}, ...more }
}

const checked = (path: string) => step('project:default/demo', 'project.checked', { path })
const tick = (name: string, path: string) => step(`task:default/${name}`, 'tick', { path: `stage.live.active.${path}` })
const turn = 'turn:default/implement-a-1/1/1'
const isReady = 'project demo: the Project is checked and ready'

const stories: readonly (readonly [string, readonly Record<string, unknown>[], readonly string[]])[] = [
  ['a Project that is ready', [checked('ready')], [isReady]],
  ['one that is checked again', ['ready', 'ready'].map(checked), [isReady]],
  ['one that was not ready meanwhile', ['ready', 'notReady', 'ready'].map(checked), [isReady, isReady]],
  [
    'each thing that a reader cares about',
    [
      step('queue:default/demo', 'queue.enqueue', { facts: { kind: 'implement' } }),
      step('task:default/implement-a-1', 'mr.ready', { facts: { number: 2 } }),
      step('issue:default/a-1', 'plan.written'),
      step(turn, 'turn.start', { facts: { pod: 'default/implement-a-1/1' } }),
      step(turn, 'turn.result', { facts: { stopReason: 'end_turn' } }),
    ],
    [
      'queue demo: queued: a slot for implement',
      'task implement-a-1: merge request 2 is open',
      'issue a-1: the plan is published on the issue',
      'turn implement-a-1/1/1: turn asked for',
      'turn implement-a-1/1/1: the turn ended: end_turn',
    ],
  ],
  [
    'a change of stage, and none within one',
    [
      'implementing.fresh',
      'implementing.clocked',
      'merging.asked.outstanding',
      'merging.asked.backingOff',
      'merging.settling',
    ].map((path) => tick('a', `${path} pod.none`)),
    ['task a: implementing -> merging'],
  ],
  [
    'no stage of another Task',
    [tick('a', 'implementing.fresh'), tick('b', 'reviewing.fresh'), tick('a', 'implementing.clocked')],
    [],
  ],
  [
    'nothing that is no step or no part of it',
    [{ msg: 'ready' }, step(turn, 'turn.activity'), checked('notReady')],
    [],
  ],
]

test.each(stories)('the story tells %s, with the time since the start', (_what, lines, texts) => {
  expect(told(lines)).toEqual(texts.map((text) => `   2.5 s  ${text}`))
})

test('of a Project whose start is over it tells nothing more: the lines that matter stay last', () => {
  expect(told([checked('ready')], 'default/demo')).toEqual([`   2.5 s  ${isReady}`])
})
