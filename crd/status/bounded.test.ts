import { expect, test } from 'vitest'
import { newQueue } from '../../machines/queue/context.ts'
import { newTask, withChanges } from '../../machines/task/context.ts'
import type { Note } from '../../machines/task/context.ts'
import { bounded } from './bounded.ts'
import { queuedTaskResource } from './queued-task.ts'
import { taskResource } from './task.ts'

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

test('RESOURCES-33: a status has no null, at any depth', () => {
  const status = { a: null, b: { c: null, d: [{ e: null, f: 0 }] }, g: '', h: false, i: [] }
  expect(bounded(status)).toEqual({ b: { d: [{ f: 0 }] }, g: '', h: false, i: [] })
})

test('RESOURCES-34: a status that fits is whole', () => {
  const status = { notes: ['x'.repeat(255_000)] }
  expect(bounded(status)).toEqual(status)
})

test('RESOURCES-34: a longer one keeps the newest of its lists and the beginning of its texts, and names what it cut', () => {
  const notes = Array.from({ length: 100 }, (_, index) => ({ id: index, body: 'n'.repeat(4000) }))
  const shown = bounded({ stage: 'reviewing', notes, lastTurnFinalText: `${'😀'.repeat(100_000)}` }) as {
    readonly notes: readonly { readonly id: number }[]
    readonly lastTurnFinalText: string
    readonly truncated: readonly string[]
  }
  expect(sizeOf(shown)).toBeLessThanOrEqual(256_000)
  expect(shown.notes.at(-1)).toMatchObject({ id: 99 })
  expect(shown.lastTurnFinalText.isWellFormed()).toBe(true)
  expect(shown.truncated).toEqual(['lastTurnFinalText', 'notes'])
  expect(shown).toMatchObject({ stage: 'reviewing' })
})

test('RESOURCES-34: one entry of a list that is too large by itself goes', () => {
  expect(bounded({ notes: ['x'.repeat(300_000)], stage: 's' })).toEqual({ notes: [], stage: 's', truncated: ['notes'] })
})

test('RESOURCES-33, RESOURCES-34: the status of a Task has no null and keeps within its size', () => {
  const note = (index: number): Note => ({
    ...{ id: `note-${index}`, agent: 'implement', pod: 1, at: 1000, kind: 'handoff', bodyHash: 'h', source: 'agent' },
    body: 'w'.repeat(16_000),
  })
  const blank = newTask('default/a')
  const context = withChanges(
    blank,
    { config: { ...blank.config, project: 'default/demo' } },
    { journal: { notes: Array.from({ length: 60 }, (_, index) => note(index)) } },
  )
  const { status } = taskResource({ id: 'default/a', path: 'stage.live.minted pod.none', seq: 1, context })!
  expect(JSON.stringify(status)).not.toContain('null')
  expect(sizeOf(status)).toBeLessThanOrEqual(256_000)
  expect(status).toMatchObject({ truncated: ['notes'] })
})

test('RESOURCES-33: a Task that was admitted and is not minted yet has no null in its status', () => {
  const queue = { ...newQueue('default/demo'), entries: [{ ...waiting, admittedAt: 1 }] }
  const { status } = queuedTaskResource(made, { id: 'default/a', entry: waiting.entry, queue: queue as never })
  expect(status).toMatchObject({ stage: 'queued' })
  expect(JSON.stringify(status)).not.toContain('null')
})

test('a Task that no queue has, as it was refused, shows no stage', () => {
  for (const queue of [undefined, newQueue('default/demo')]) {
    const { status } = queuedTaskResource(made, { id: 'default/a', entry: waiting.entry, queue })
    expect(status).toEqual({})
  }
})

const made = { namespace: 'default', uid: 'u', generation: 1, createdAt: 0, spec: { projectRef: 'demo' } }
const waiting = {
  ...{ entry: 'mint/default/a/u', sort: 'mint', task: 'default/a', class: 'normal', priority: 100, kind: 'implement' },
  ...{ sequence: 1, enqueuedAt: 1, admittedAt: null },
} as const
