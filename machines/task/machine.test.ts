import { readFileSync } from 'node:fs'
import { createActor, transition, type AnyStateNode } from 'xstate'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../definition.ts'
import { machines } from '../registry.ts'
import { ATask, granted, inReview, merging, opening, parkedBy } from '../testing/a-task.ts'
import { newTask, type TaskContext } from './context.ts'
import { taskDefinition, taskMachine } from './machine.ts'

function nodes(node: AnyStateNode): readonly AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap(nodes)]
}

const all = nodes(taskMachine.root as AnyStateNode)

describe('every state', () => {
  test.each(all.map((node) => [node.path.join('.') || 'task', node] as const))(
    '%s says who can move it, why it rests, and what unblocks it',
    (_path, node) => {
      const said = node.meta as { owner: string; reason: string; unblocks: string } | undefined
      expect(['agent', 'forge', 'human', 'operator', 'platform', 'queue', 'none']).toContain(said?.owner)
      expect(said?.reason).toBeTruthy()
      expect(said?.unblocks).toBeTruthy()
    },
  )

  test('LAW-14: without an owner but the platform it has a timer, an eventless row, or something that always answers', () => {
    // Each of these waits for a pod, which ends by its own timers, or is left in the same step, or has such states inside.
    const answered = new Set([
      '',
      'stage',
      'stage.live',
      'stage.live.minted',
      'stage.live.active',
      ...['brainstorming', 'investigating', 'refining', 'implementing', 'documenting', 'upgrading'].map(
        (stage) => `stage.live.active.${stage}.fresh`,
      ),
      'stage.live.active.reviewing.fresh',
      'stage.live.active.reviewing.opening',
      'pod',
      'pod.starting',
      'pod.stopping',
      'pod.working.ending',
    ])
    const waiting = all.filter(({ type, meta, after, always, path }) => {
      const isIdle = after.length === 0 && (always ?? []).length === 0
      return (
        type !== 'final' && (meta as { owner: string }).owner === 'platform' && isIdle && !answered.has(path.join('.'))
      )
    })
    expect(waiting.map(({ path }) => path.join('.'))).toEqual([])
  })
})

test('the finals are direct children of their region, so that the machine ends (ACTOR-3)', () => {
  const finals = all.filter(({ type }) => type === 'final').map(({ path }) => path.join('.'))
  expect(finals).toEqual(['stage.delivered', 'stage.rejected', 'stage.failed', 'stage.folded', 'pod.settled'])
})

test('nothing stands on the root', () => {
  expect(taskMachine.root.ownEvents).toEqual([])
})

test('status.stage is the state that the machine is in', () => {
  const expected = {
    refined: new ATask().mint(),
    implementing: granted(),
    reviewing: inReview(),
    merging: merging(),
    'awaiting-human': parkedBy('discuss'),
  }
  for (const [stage, task] of Object.entries(expected)) {
    expect(task.stage).toBe(stage)
    expect(JSON.stringify(task.value)).toContain(`"${stage}"`)
  }
})

test('R10: a saved and loaded Task takes the next event as the living one does', () => {
  for (const task of [new ATask().mint(), granted(), opening(), inReview(), merging(), parkedBy('discuss')]) {
    const { value, context } = JSON.parse(JSON.stringify({ value: task.value, context: task.context }))
    const loaded = createActor(taskMachine, {
      snapshot: { status: 'active', value, context, children: {}, historyValue: {} } as never,
      input: { id: '' },
    }).getSnapshot()
    const [next] = transition(taskMachine, loaded, { type: 'task.close', at: 2_000_000, by: 'a' })
    task.send('task.close', { at: 2_000_000, by: 'a' })
    expect(JSON.parse(JSON.stringify(next.context))).toEqual(JSON.parse(JSON.stringify(task.context)))
    expect(next.value).toEqual(task.value)
  }
})

test('a context is plain JSON', () => {
  const { context } = merging()
  expect(JSON.parse(JSON.stringify(context))).toEqual(context)
})

test('time never runs backwards, whatever an edge sends', () => {
  const task = granted()
  const { at } = task.context
  expect(task.send('forge.event', { at: 5, repository: 'lib', number: 1, author: 'x', kind: 'push' }).context.at).toBe(
    at,
  )
})

test('the registry holds each kind once', () => {
  expect(machines.map(({ kind }) => kind).toSorted()).toEqual([
    'issue',
    'ledger',
    'memory',
    'memory-stack',
    'merge-request',
    'model-key',
    'pod',
    'project',
    'queue',
    'task',
    'turn',
  ])
})

test('R10: a version 1 snapshot has failed at no opening, asked no member and got no more money', () => {
  const upgraded = taskDefinition.upgrades[1]?.({ value: { stage: 'x' }, context: { id: 'default/t' } })
  expect(upgraded).toEqual({
    value: { stage: 'x' },
    context: { id: 'default/t', failedOpenings: 0, folds: [], budgetRaised: 0 },
  })
  const inParts = taskDefinition.upgrades[3]?.(upgraded ?? {})
  expect(inParts?.['context']).toMatchObject({
    id: 'default/t',
    forge: { failedOpenings: 0, folds: [], budgetRaised: 0 },
  })
})

test('R10: a version 3 context finds each of its fields in a part, under the name that this code reads', () => {
  const file = readFileSync(new URL('../../runtime/fixtures/task-v3.json', import.meta.url), 'utf8')
  const { snapshot } = (JSON.parse(file) as { readonly actors: readonly [{ readonly snapshot: JsonObject }] }).actors[0]
  const before = (snapshot['snapshot'] as JsonObject)['context'] as JsonObject
  const upgraded = taskDefinition.upgrades[3]!(snapshot['snapshot'] as JsonObject)
  const { context } = upgraded as unknown as Upgraded
  const later = [4, 5, 6].reduce((older, version) => taskDefinition.upgrades[version]!(older), upgraded)
  const newest = later as unknown as Upgraded
  expect(namesOf(newest.context)).toEqual(namesOf(newTask('t')))
  const { stage, forge, pod, turn, journal, ...identity } = context
  const values = [identity, stage, forge, pod, turn, journal].flatMap((part) => Object.values(part))
  expect(values.map(asText).toSorted()).toEqual(Object.values(before).map(asText).toSorted())
})

test('R10: a version 5 snapshot recorded no approved, counted no lap of a check, and has no events of kinds outside the closed list pending (OUTCOME-10, MERGE-15, EVENTS-7)', () => {
  const pending = ['mr_closed', 'mr_comment', 'mr_reopened'].map((kind, n) => ({ n, kind }))
  const snapshot = {
    context: {
      id: 'default/t',
      pod: { ordinal: 1 },
      forge: { openAttempt: 2 },
      journal: { pending, eventSequence: 3 },
    },
  }
  expect(taskDefinition.upgrades[5]?.(snapshot as unknown as JsonObject)['context']).toMatchObject({
    id: 'default/t',
    pod: { ordinal: 1, recordedApproval: null },
    forge: { openAttempt: 2, optionalLaps: {} },
    journal: { pending: [{ n: 1, kind: 'mr_comment' }], eventSequence: 3 },
  })
})

interface Upgraded {
  readonly context: TaskContext
}

function namesOf({ stage, forge, pod, turn, journal, ...identity }: TaskContext): readonly string[] {
  const parts = Object.entries({ stage, forge, pod, turn, journal })
  const nested = parts.flatMap(([part, fields]) => Object.keys(fields).map((name) => `${part}.${name}`))
  return [...Object.keys(identity), ...nested].toSorted()
}

function asText(value: unknown): string {
  return JSON.stringify(value)
}
