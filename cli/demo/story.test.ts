import { describe, expect, test } from 'vitest'
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

function told(...lines: Record<string, unknown>[]): string[] {
  const written: string[] = []
  const teller = createTeller(
    (line) => written.push(line),
    1_000,
    () => 3_500,
  )
  for (const line of lines) teller.line(line)
  return written
}

function step(actor: string, event: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { msg: 'step', actor, event, path: 'stage.live.minted pod.none', effects: [], facts: {}, ...more }
}

describe('the story', () => {
  test('has a line for each thing that a reader cares about, with the time since the start', () => {
    expect(
      told(
        step('project:default/demo', 'project.checked', { path: 'ready' }),
        step('queue:default/demo', 'queue.enqueue', { facts: { kind: 'implement' } }),
        step('task:default/implement-a-1', 'mr.ready', { facts: { number: 2 } }),
        step('issue:default/a-1', 'plan.written'),
        step('turn:default/implement-a-1/1/1', 'turn.start', { facts: { pod: 'default/implement-a-1/1' } }),
        step('turn:default/implement-a-1/1/1', 'turn.result', { facts: { stopReason: 'end_turn' } }),
      ),
    ).toEqual([
      '   2.5 s  project demo: the Project is checked and ready',
      '   2.5 s  queue demo: queued: a slot for implement',
      '   2.5 s  task implement-a-1: merge request 2 is open',
      '   2.5 s  issue a-1: the plan is published on the issue',
      '   2.5 s  turn implement-a-1/1/1: turn asked for',
      '   2.5 s  turn implement-a-1/1/1: the turn ended: end_turn',
    ])
  })

  test('says once that a Project is ready, however often it is checked, and again after it was not', () => {
    const checked = (path: string) => step('project:default/demo', 'project.checked', { path })
    const ready = '   2.5 s  project demo: the Project is checked and ready'
    expect(told(...['ready', 'ready'].map(checked))).toEqual([ready])
    expect(told(...['ready', 'notReady', 'ready'].map(checked))).toEqual([ready, ready])
  })

  test('says nothing more of a Project whose start is over: the lines that matter stay last', () => {
    const written: string[] = []
    const teller = createTeller(
      (line) => written.push(line),
      1_000,
      () => 3_500,
    )
    teller.ready('default/demo')
    teller.line(step('project:default/demo', 'project.checked', { path: 'ready' }))
    expect(written).toEqual(['   2.5 s  project demo: the Project is checked and ready'])
  })

  test('tells a change of stage once, and no change within one', () => {
    const task = 'task:default/implement-a-1'
    const at = (path: string): Record<string, unknown> =>
      step(task, 'tick', { path: `stage.live.active.${path} pod.none` })
    expect(
      told(
        at('implementing.fresh'),
        at('implementing.clocked'),
        at('merging.asked.outstanding'),
        at('merging.asked.backingOff'),
        at('merging.settling'),
      ),
    ).toEqual(['   2.5 s  task implement-a-1: implementing -> merging'])
  })

  test('keeps the stages of several Tasks apart', () => {
    const at = (name: string, path: string): Record<string, unknown> =>
      step(`task:default/${name}`, 'tick', { path: `stage.live.active.${path}` })
    expect(told(at('a', 'implementing.fresh'), at('b', 'reviewing.fresh'), at('a', 'implementing.clocked'))).toEqual([])
  })

  test('leaves out what is no step and what is no part of it', () => {
    expect(
      told(
        { msg: 'ready' },
        step('turn:default/a/1/1', 'turn.activity'),
        step('project:default/demo', 'project.checked', { path: 'notReady' }),
      ),
    ).toEqual([])
  })
})
