import { persistedOf } from '../../step/live-machine.ts'
import { describe, expect, it } from 'vitest'
import { event, task, until } from '../../contract/harness.ts'
import type { Harness } from '../../contract/harness.ts'
import { toyDefinition, toyMachine } from '../../contract/toy-machine.ts'
import { machineHash } from '../../step/machine-hash.ts'
import { openSharedSql } from '../../store/testing/shared-store.ts'
import type { Sql } from '../../store/sql.ts'
import { foldBundle } from './fold.ts'
import { maskWith } from './mask.ts'
import { readActor } from './read-actor.ts'
import { redactBundle } from './redact.ts'
import type { ActorBundle } from './schema.ts'
import { overStore } from '../../contract/over-store.ts'

const known = { definition: toyDefinition, hash: machineHash(toyDefinition) }
const mask = maskWith(new Uint8Array(32).fill(1))

describe('an exported journal', () => {
  let sql: Sql
  let world: Harness
  overStore(openSharedSql, (...given) => void ([sql, world] = given))

  async function life(): Promise<ActorBundle> {
    world.behave = () => new Promise(() => undefined)
    const { runtime } = await world.start({ snapshotEvery: 3 })
    const say = (key: string, type: string, fields = {}) =>
      runtime.deliver({ to: task('a'), key, event: event(type, fields) })
    await say('1', 'noted', { note: 'Dear diary' })
    await say('2', 'poisonGuard')
    await say('3', 'asked', { name: 'Dear diary' })
    for (const key of ['4', '5', '6']) await say(key, 'noted', { note: `note of ${key}` })
    await say('7', 'armed')
    await until(() => world.performed.length === 1)
    return (await readActor(sql, task('a')))!
  }

  it('holds everything that is stored of the actor', async () => {
    const bundle = await life()
    expect(bundle).toMatchObject({ address: 'task:a', seq: 7, path: 'waiting', status: 'active', baselines: [] })
    expect(bundle.events.map(({ key }) => key)).toEqual(['1', '2', '3', '4', '5', '6', '7'])
    expect(bundle.effects).toMatchObject([{ seq: 3, index: 0, type: 'call', dead: false }])
    expect(bundle.timers).toMatchObject([{ id: expect.stringContaining('5000'), seq: 7 }])
    expect(bundle.snapshot).toMatchObject({ version: 1, machineHash: known.hash })
    expect(await readActor(sql, task('nobody'))).toBeUndefined()
  })

  it('folds to what is stored, before and after it was redacted', async () => {
    const bundle = await life()
    expect(foldBundle(known, bundle)).toMatchObject({ steps: 6, last: { path: 'waiting' } })
    expect(foldBundle(known, bundle).difference).toBeUndefined()
    const redacted = redactBundle(bundle, known, mask)
    expect(redacted.replay).toEqual({ ok: true })
    expect(foldBundle(known, redacted).difference).toBeUndefined()
    expect(JSON.stringify(redacted)).not.toContain('diary')
    expect(redacted.effects[0]?.params).toEqual(redacted.events[2]?.effects[0]?.params)
  })

  it('shows code that decides otherwise, by event and place', async () => {
    const redacted = redactBundle(await life(), known, mask)
    const closed = { ...toyDefinition, machine: toyMachine.provide({ guards: { isOpen: () => false } }) }
    const other = { definition: closed, hash: machineHash(closed) }
    expect(foldBundle(other, redacted).difference).toBe(
      'event 1, noted: effects/0 is nothing, was {"type":"answer","params":{"status":200,"body":{"count":1}}}',
    )
  })

  it('shows a context that came out otherwise though every effect was the same', async () => {
    const bundle = await life()
    const snapshot = { ...bundle.snapshot!, snapshot: { ...bundle.snapshot!.snapshot, context: {} } }
    expect(foldBundle(known, { ...bundle, snapshot }).difference).toContain('snapshot/context/')
  })

  it('says that it cannot be replayed where masking changes a decision, and why', async () => {
    const { runtime } = await world.start()
    const definition = {
      ...toyDefinition,
      machine: toyMachine.provide({ guards: { isOpen: ({ event: { note } }) => note !== 'open sesame' } }),
    }
    await runtime.deliver({ to: task('a'), key: '1', event: event('noted', { note: 'open sesame' }) })
    const bundle = (await readActor(sql, task('a')))!
    const shut: ActorBundle = {
      ...bundle,
      events: bundle.events.map((row) => ({ ...row, effects: [], handled: false })),
    }
    const redacted = redactBundle(shut, { definition, hash: machineHash(definition) }, mask)
    expect(redacted.replay).toMatchObject({ ok: false, why: expect.stringContaining('event 1, noted: decision/') })
    expect(JSON.stringify(redacted)).not.toContain('sesame')
  })

  it('is refused where events are missing or nothing says what came before them', async () => {
    const bundle = await life()
    const tail = { ...bundle, events: bundle.events.slice(4) }
    expect(foldBundle(known, { ...tail, snapshot: null }).difference).toBe(
      'nothing says what the actor was before event 5',
    )
    const early = { ...bundle.snapshot!, seq: 2 }
    expect(foldBundle(known, { ...tail, baselines: [early] }).difference).toBe('events 3 to 4 are missing')
  })

  it('goes on from a baseline that other code started from', async () => {
    const bundle = await life()
    const made = foldBundle(known, bundle).made.get(4)!
    const baseline = { seq: 4, version: 1, machineHash: known.hash, snapshot: persistedOf(made.snapshot) }
    const compacted = { ...bundle, baselines: [baseline], events: bundle.events.slice(4) }
    expect(foldBundle(known, compacted)).toMatchObject({ steps: 3, last: { path: 'waiting' } })
    expect(foldBundle(known, compacted).difference).toBeUndefined()
  })
})
