import { describe, expect, test } from 'vitest'
import { drive, type Drive, type DrivenEffect } from '../drive.ts'
import type { ModelKeyContext } from './context.ts'
import { modelKeyMachine } from './machine.ts'

const minute = 60_000
const hour = 60 * minute

class AKey {
  readonly #drive: Drive = drive(modelKeyMachine, 'print')
  #last: readonly DrivenEffect[] = []

  constructor(...projects: readonly string[]) {
    for (const project of projects) this.send('key.joined', { project })
  }

  send(type: string, fields: object = {}): this {
    this.#last = this.#drive.send({ type, ...fields })
    return this
  }

  withheld(fields: object = {}): this {
    return this.send('key.withheld', { task: 't', cause: 'key_refused', message: 'no', ...fields })
  }

  /** The pause goes by. */
  due(): this {
    this.#drive.pass(this.pause)
    this.#last = this.#drive.fire('pause')
    return this
  }

  pass(milliseconds: number): this {
    this.#drive.pass(milliseconds)
    return this
  }

  tries(task = 't', project = 'a'): this {
    return this.due().send('key.probing', { project, task })
  }

  get pause(): number {
    return Object.values(this.#drive.timers())[0] ?? NaN
  }

  get said(): readonly string[] {
    return this.#last.map(({ params }) => `${params.to} ${params.event.type}`)
  }

  get words(): readonly object[] {
    return this.#last.map(({ params }) => params.event)
  }

  get context(): ModelKeyContext {
    return this.#drive.context as ModelKeyContext
  }

  get state(): unknown {
    return this.#drive.value
  }

  get at(): number {
    return this.context.at
  }
}

const both = ['queue:a queue.withheld', 'queue:b queue.withheld']

describe('a key that is withheld', () => {
  test.each(['usage_limit', 'key_refused', 'no_credit'])(
    '%s holds every Project whose pods use it (MODEL-KEY-1)',
    (cause) => {
      const key = new AKey('b', 'a').withheld({ cause, message: 'words' })
      expect(key.said).toEqual(both)
      expect(key.context.hold).toEqual({ cause, message: 'words', since: key.at, until: key.at + 15 * minute })
    },
  )

  test('a Project that joins hears at once how the key stands (MODEL-KEY-7)', () => {
    const key = new AKey('a')
    expect(key.said).toEqual(['queue:a queue.served'])
    expect(key.withheld().send('key.joined', { project: 'b' }).said).toEqual(['queue:b queue.withheld'])
    expect(key.context.projects).toEqual(['a', 'b'])
    expect(key.send('key.joined', { project: 'a' }).context.projects).toEqual(['a', 'b'])
  })

  test('a queue that joins during its try is told the hold again, so that its Task tries on (MODEL-KEY-7)', () => {
    const key = new AKey('a').withheld().tries()
    key.send('key.joined', { project: 'a' })
    expect([key.state, key.words]).toEqual(['trying', [expect.objectContaining({ ...key.context.hold, again: true })]])
    expect(key.send('key.withheld', { task: 't', cause: 'no_credit', message: '' }).words).not.toContainEqual(
      expect.objectContaining({ again: true }),
    )
  })

  test('one that left hears nothing more (MODEL-KEY-7)', () => {
    expect(new AKey('a', 'b').send('key.left', { project: 'a' }).withheld().said).toEqual([both[1]])
  })

  test('is tried at the reset of its window, and a later reset moves that (MODEL-KEY-3)', () => {
    const key = new AKey('a')
    key.withheld({ cause: 'usage_limit', resetsAt: key.at + 5 * hour })
    expect(key.pause).toBe(5 * hour)
    const { since } = key.context.hold!
    key.pass(hour).withheld({ cause: 'usage_limit', resetsAt: since + 7 * hour })
    expect([key.pause, key.context.hold!.since, key.said]).toEqual([6 * hour, since, ['queue:a queue.withheld']])
    expect(key.withheld({ cause: 'usage_limit', resetsAt: since + 6 * hour }).said).toEqual([])
    expect(key.withheld({ cause: 'key_refused' }).said).toEqual([])
  })

  test('a reset that is over is none, and a spend limit is tried before its end (MODEL-KEY-3)', () => {
    const key = new AKey('a')
    expect(key.withheld({ cause: 'usage_limit', resetsAt: key.at }).pause).toBe(15 * minute)
    const spent = new AKey('a')
    expect(spent.withheld({ cause: 'no_credit', resetsAt: spent.at + 700 * hour }).pause).toBe(15 * minute)
    const soon = new AKey('a')
    expect(soon.withheld({ cause: 'no_credit', resetsAt: soon.at + minute }).pause).toBe(minute)
  })

  test('pauses double with each try that is refused, up to two hours (MODEL-KEY-3)', () => {
    const key = new AKey('a').withheld()
    const pauses = [key.pause]
    for (let n = 0; n < 5; n += 1) pauses.push(key.tries().withheld().pause)
    expect(pauses.map((pause) => pause / minute)).toEqual([15, 30, 60, 120, 120, 120])
    expect(key.tries().send('key.served', { task: 't' }).withheld().pause).toBe(15 * minute)
  })
})

describe('a try', () => {
  test('asks one queue after the other, until one admits a Task (MODEL-KEY-4)', () => {
    const key = new AKey('a', 'b').withheld().due()
    expect([key.state, key.said]).toEqual(['asking', ['queue:a queue.probe']])
    expect(key.send('key.idle', { project: 'b' }).said).toEqual([])
    expect(key.send('key.idle', { project: 'a' }).said).toEqual(['queue:b queue.probe'])
    expect(key.send('key.probing', { project: 'a', task: 'x' }).state).toBe('asking')
    key.send('key.probing', { project: 'b', task: 't' })
    expect([key.state, key.context.probe]).toEqual(['trying', 't'])
  })

  test('goes to whoever waits first, where nobody did (MODEL-KEY-4)', () => {
    const key = new AKey('a', 'b').withheld().due()
    key.send('key.idle', { project: 'a' }).send('key.idle', { project: 'b' })
    expect(key.state).toBe('vacant')
    expect(key.send('key.wanted', { project: 'b' }).said).toEqual(['queue:b queue.probe'])
    expect(key.send('key.idle', { project: 'b' }).state).toBe('vacant')
  })

  test('asks again whoever wants to try once it was passed over (MODEL-KEY-4)', () => {
    const key = new AKey('a', 'b').withheld().due().send('key.idle', { project: 'a' })
    expect(key.send('key.wanted', { project: 'b' }).send('key.wanted', { project: 'a' }).said).toEqual([])
    expect([key.context.toAsk, key.send('key.idle', { project: 'b' }).said]).toEqual([
      ['b', 'a'],
      ['queue:a queue.probe'],
    ])
  })

  test('passes over a queue that leaves while it is asked (MODEL-KEY-4)', () => {
    const key = new AKey('a', 'b').withheld().due()
    expect(key.send('key.left', { project: 'a' }).said).toEqual(['queue:b queue.probe'])
    expect(key.send('key.left', { project: 'b' }).state).toBe('vacant')
    expect(new AKey('a', 'b').withheld().due().send('key.left', { project: 'b' }).context.toAsk).toEqual(['a'])
  })

  test.each([
    ['withheld', (key: AKey) => key],
    ['asking', (key: AKey) => key.due()],
    ['vacant', (key: AKey) => key.due().send('key.idle', { project: 'a' }).send('key.idle', { project: 'b' })],
    ['trying', (key: AKey) => key.tries()],
  ])('a try of a queue that was asked before it left and came again is taken back, while %s', (state, reach) => {
    const key = reach(new AKey('a', 'b').withheld())
    const { context } = key
    key.send('key.probing', { project: 'b', task: 'x' })
    expect([key.state, key.said]).toEqual([state, ['queue:b queue.withheld']])
    expect(key.words).not.toContainEqual(expect.objectContaining({ again: true }))
    expect({ ...key.context, at: 0 }).toEqual({ ...context, at: 0 })
  })

  test('the Task that tries may be named again (MODEL-KEY-4)', () => {
    const key = new AKey('a', 'b').withheld().tries().send('key.probing', { project: 'a', task: 't' })
    expect([key.state, key.context.probe, key.said]).toEqual(['trying', 't', []])
  })

  test('its success opens the key for all (MODEL-KEY-5)', () => {
    const key = new AKey('a', 'b').withheld().tries().send('key.served', { task: 't' })
    expect([key.state, key.said]).toEqual(['serving', ['queue:a queue.served', 'queue:b queue.served']])
    expect(key.context).toMatchObject({ hold: null, refusals: 0, probe: '' })
  })

  test('turns of others decide nothing (MODEL-KEY-5)', () => {
    const key = new AKey('a').withheld().send('key.served', { task: 't' })
    expect(key.state).toBe('withheld')
    key.tries()
    for (const type of ['key.served', 'key.probeEnded']) expect(key.send(type, { task: 'x' }).state).toBe('trying')
    expect(key.withheld({ task: 'x' }).state).toBe('trying')
  })

  test('one that ended without an answer is repeated after a minute, and counts as nothing (MODEL-KEY-5)', () => {
    const key = new AKey('a').withheld().tries().send('key.probeEnded', { project: 'a', task: 't' })
    expect([key.state, key.pause, key.context.refusals, key.said]).toEqual(['withheld', minute, 0, []])
    expect(key.due().said).toEqual(['queue:a queue.probe'])
  })

  test('keeps since when the model is withheld', () => {
    const key = new AKey('a').withheld()
    const { since } = key.context.hold!
    expect(key.tries().withheld({ cause: 'no_credit' }).context.hold).toMatchObject({ since, cause: 'no_credit' })
  })
})

test('every state says who can move it, why it rests, and what unblocks it', () => {
  for (const { meta } of Object.values(modelKeyMachine.root.states))
    expect(meta).toMatchObject({ owner: expect.any(String), reason: expect.any(String), unblocks: expect.any(String) })
})
