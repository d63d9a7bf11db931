/** The runtime's contract, R1 to R11 of runtime/README.md, over any store. */
import { describe, expect, it } from 'vitest'
import { emptyStore, type AwaitedSql } from './empty-store.ts'
import { OverloadedError, RetryableError, TerminalError } from '../errors.ts'
import { silentObserver } from '../observer.ts'
import type { ActorView, Delivery, Receipt, Runtime } from '../runtime.ts'
import type { Sql } from '../store/sql.ts'
import { event, harness, pumping, task, until } from './harness.ts'
import type { Harness } from './harness.ts'
import { faultySql, heldCommits, isCommit } from './store-faults.ts'
import { toyDefinition, toyMachine } from './toy-machine.ts'
import { overStore } from './over-store.ts'

function noted(id: string, key: string, note: string): Delivery {
  return { to: task(id), key, event: event('noted', { note }) }
}

async function log(runtime: Runtime, id: string): Promise<readonly string[]> {
  return logOf(await runtime.read(task(id)))
}

/** Of a machine of these tests, whatever kind its actors have. */
function logOf(view: Pick<ActorView, 'context'> | undefined): readonly string[] {
  return (view?.context as { readonly log?: readonly string[] } | undefined)?.log ?? []
}

export function runtimeContract(store: string, open: () => Promise<Sql>): void {
  describe(`the runtime over ${store}`, () => {
    let sql: AwaitedSql
    let world: Harness

    overStore(open, (...given) => void ([sql, world] = given))

    describe('takes events in', () => {
      it('keeps what it acknowledged through a crash (R1)', async () => {
        const first = await world.start()
        await first.runtime.deliver(noted('a', 'k1', 'one'))
        first.crash()
        const second = await world.start()
        expect(await log(second.runtime, 'a')).toEqual(['one'])
      })

      it('applies the events of one actor in the order they came, however many commits they share (R2)', async () => {
        const { runtime } = await world.start({ maxBatch: 7 })
        const notes = Array.from({ length: 50 }, (_, index) => `n${index}`)
        await Promise.all(notes.map((note) => runtime.deliver(noted('a', note, note))))
        expect(await log(runtime, 'a')).toEqual(notes)
        const rows = await runtime.history(task('a'))
        expect(rows.map((row) => row.seq)).toEqual(notes.map((_, index) => index + 1))
      })

      it('applies a key once and repeats its answer, in one batch, in the next and after a restart (R3)', async () => {
        const first = await world.start()
        const [one, two] = await Promise.all([
          first.runtime.deliver(noted('a', 'k', 'one')),
          first.runtime.deliver(noted('a', 'k', 'one')),
        ])
        const answer = { status: 200, body: { count: 1 } }
        expect(one).toEqual({ key: 'k', applied: true, seq: 1, answer })
        expect(two).toEqual({ key: 'k', applied: false, seq: 1, answer })
        await first.runtime.deliver(noted('a', 'k2', 'two'))
        expect(await first.runtime.deliver(noted('a', 'k', 'other'))).toEqual({ ...two })
        first.crash()
        const second = await world.start()
        expect(await second.runtime.deliver(noted('a', 'k', 'other'))).toEqual({ ...two })
        expect(await log(second.runtime, 'a')).toEqual(['one', 'two'])
      })

      it('applies the fresh events of a batch that also holds known ones (R3)', async () => {
        const { runtime } = await world.start()
        await runtime.deliver(noted('a', 'old', 'old'))
        const receipts = await Promise.all(
          [noted('a', 'new1', 'n1'), noted('a', 'old', 'again'), noted('b', 'new2', 'n2')].map((one) =>
            runtime.deliver(one),
          ),
        )
        expect(receipts.map((receipt) => receipt.applied)).toEqual([true, false, true])
        expect(await log(runtime, 'a')).toEqual(['old', 'n1'])
      })

      it('refuses an event for an actor that nothing brought into being, and shows it (R7)', async () => {
        const { runtime } = await world.start()
        const receipt = await runtime.deliver({ to: task('ghost'), key: 'k', event: event('asked') })
        expect(receipt).toEqual({
          key: 'k',
          applied: false,
          seq: 0,
          answer: { status: 404, body: { code: 'actor-unknown' } },
        })
        expect(await runtime.deadLetters()).toMatchObject([{ to: 'task:ghost', key: 'k', reason: 'unknown actor' }])
        expect(await runtime.read(task('ghost'))).toBeUndefined()
      })

      it('delivers a refused event again when asked, once the actor exists (R7)', async () => {
        const { runtime } = await world.start()
        await runtime.deliver({ to: task('late'), key: 'k', event: event('pod.answered', { note: 'early' }) })
        const letter = (await runtime.deadLetters())[0]
        expect(await runtime.redeliver(letter!.id)).toBe(false)
        const [again, ...others] = await runtime.deadLetters({ to: task('late') })
        expect([again?.key, others]).toEqual(['k', []])
        await runtime.deliver(noted('late', 'first', 'first'))
        expect(await runtime.redeliver(again!.id)).toBe(true)
        expect(await log(runtime, 'late')).toEqual(['first', 'early'])
        expect(await runtime.deadLetters()).toEqual([])
      })

      it('journals an event that no state takes, and says so', async () => {
        const { runtime } = await world.start()
        await runtime.deliver(noted('a', 'k1', 'one'))
        const receipt = await runtime.deliver({ to: task('a'), key: 'k2', event: event('disarmed') })
        expect(receipt).toEqual({ key: 'k2', applied: true, seq: 2 })
        expect((await runtime.history(task('a')))[1]).toMatchObject({ handled: false, path: 'idle', effects: [] })
      })

      it.each(['poisonGuard', 'poisonAction'])(
        'goes on after %s threw: the event is a dead letter, the actor as it was (R7)',
        async (type) => {
          const { runtime } = await world.start()
          await runtime.deliver(noted('a', 'k1', 'one'))
          const [poison, after, other] = await Promise.all([
            runtime.deliver({ to: task('a'), key: 'bad', event: event(type) }),
            runtime.deliver(noted('a', 'k2', 'two')),
            runtime.deliver(noted('b', 'k3', 'three')),
          ])
          expect(poison).toMatchObject({ applied: true, answer: { status: 500, body: { code: 'actor-fault' } } })
          expect([after.applied, other.applied]).toEqual([true, true])
          expect(await log(runtime, 'a')).toEqual(['one', 'two'])
          expect(await runtime.deadLetters()).toMatchObject([{ to: 'task:a', key: 'bad' }])
          expect(await runtime.replay(task('a'))).toEqual({ address: 'task:a', steps: 3, equal: true })
        },
      )

      it('answers 409 for a finished actor and asks for nothing more', async () => {
        const { runtime } = await world.start()
        await runtime.deliver(noted('a', 'k1', 'one'))
        await runtime.deliver({ to: task('a'), key: 'k2', event: event('closed') })
        const receipt = await runtime.deliver({ to: task('a'), key: 'k3', event: event('noted') })
        expect(receipt).toEqual({
          key: 'k3',
          applied: true,
          seq: 3,
          answer: { status: 409, body: { code: 'actor-final' } },
        })
        expect(await runtime.read(task('a'))).toMatchObject({ status: 'done', path: 'end', seq: 3 })
        expect(await log(runtime, 'a')).toEqual(['one'])
      })

      it('sends callers away when too much waits, and takes them again when it does not', async () => {
        const { runtime } = await world.start({ maxQueued: 5 })
        const outcomes = await Promise.allSettled(
          Array.from({ length: 20 }, (_, index) => runtime.deliver(noted('a', `k${index}`, `n${index}`))),
        )
        const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
        expect(refused.length).toBeGreaterThan(0)
        expect(refused.every((outcome) => outcome.reason instanceof OverloadedError)).toBe(true)
        expect((await log(runtime, 'a')).length).toBe(20 - refused.length)
        expect((await runtime.deliver(noted('a', 'later', 'later'))).applied).toBe(true)
      })

      it('counts what waits in bytes too, and sends callers away before memory ends', async () => {
        const { runtime } = await world.start({ maxQueuedBytes: 5000 })
        const outcomes = await Promise.allSettled(
          Array.from({ length: 10 }, (_, index) => runtime.deliver(noted('a', `k${index}`, 'x'.repeat(1000)))),
        )
        const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
        expect(refused.length).toBeGreaterThanOrEqual(5)
        expect(refused[0]?.reason).toMatchObject({ name: 'OverloadedError', retryAfterMs: expect.any(Number) })
        expect((await runtime.deliver(noted('a', 'later', 'later'))).applied).toBe(true)
      })

      it('lets one event of an actor into the next commit, while thousands wait for another (fairness)', async () => {
        const { runtime } = await world.start({ maxBatch: 50 })
        await runtime.deliver(noted('b', 'first', 'first'))
        const order: string[] = []
        const stopListening = runtime.subscribe((row) => void order.push(row.address))
        const busy = Array.from({ length: 2000 }, (_, index) => runtime.deliver(noted('a', `k${index}`, 'n')))
        await runtime.deliver(noted('b', 'second', 'second'))
        expect(order.indexOf(task('b'))).toBeLessThan(100)
        await Promise.all(busy)
        stopListening()
        expect(order.filter((address) => address === task('a'))).toHaveLength(2000)
      })

      it.each([
        ['of events', { maxQueued: 30 }, 'n'],
        ['of bytes', { maxQueuedBytes: 30_000 }, 'x'.repeat(900)],
      ])('refuses a busy actor its part %s and takes every other meanwhile (fairness)', async (_, limits, text) => {
        const held = heldCommits(sql)
        const { runtime } = await world.start({ sql: held, ...limits })
        const send = (id: string, from: number, count: number): Promise<PromiseSettledResult<Receipt>[]> =>
          Promise.allSettled(
            Array.from({ length: count }, (__, index) => runtime.deliver(noted(id, `k${from + index}`, text))),
          )
        held.hold()
        const underWay = send('a', 0, 10)
        await held.isHeld()
        const busy = send('a', 10, 60)
        const others = Promise.all(['b', 'c', 'd'].map((id) => runtime.deliver(noted(id, 'k', text))))
        held.letGo()
        expect((await others).map(({ applied }) => applied)).toEqual([true, true, true])
        expect((await underWay).every(({ status }) => status === 'fulfilled')).toBe(true)
        const refused = (await busy).filter((outcome) => outcome.status === 'rejected')
        expect(refused.length).toBeGreaterThanOrEqual(38)
        expect(refused.length).toBeLessThan(44)
        expect(refused.every(({ reason }) => reason instanceof OverloadedError && reason.retryAfterMs === 1000)).toBe(
          true,
        )
        expect((await runtime.deliver(noted('a', 'later', 'later'))).applied).toBe(true)
        expect((await runtime.read(task('a')))?.seq).toBe(10 + 60 - refused.length + 1)
      })

      it('takes an event of a megabyte, and refuses a larger one with the limit, before it is anywhere', async () => {
        const { runtime } = await world.start()
        const largest = 1_048_576 - JSON.stringify(event('noted', { note: '' })).length
        await runtime.deliver(noted('a', 'k1', 'one'))
        const [large, other] = await Promise.all([
          runtime.deliver({ to: task('a'), key: 'k2', event: event('unheard', { note: 'x'.repeat(1_000_000) }) }),
          runtime.deliver(noted('b', 'k3', 'three')),
        ])
        expect([large.applied, other.applied]).toEqual([true, true])
        await expect(runtime.deliver(noted('a', 'k4', 'x'.repeat(largest + 1)))).rejects.toMatchObject({
          name: 'TerminalError',
          reason: 'event-too-large',
          message: 'an event may have 1048576 bytes as JSON, this one has 1048577',
        })
        expect((await runtime.deliver(noted('a', 'k5', 'five'))).seq).toBe(3)
      })

      it('holds a context as large as the largest event made it, through a crash and by its journal (R1, R11)', async () => {
        const largest = 'x'.repeat(1_048_576 - JSON.stringify(event('noted', { note: '' })).length)
        const first = await world.start()
        expect((await first.runtime.deliver(noted('a', 'k1', largest))).applied).toBe(true)
        await first.runtime.deliver(noted('a', 'k2', 'two'))
        first.crash()
        const second = await world.start()
        expect(await log(second.runtime, 'a')).toEqual([largest, 'two'])
        await second.runtime.deliver(noted('a', 'k3', 'three'))
        expect(await second.runtime.replay(task('a'))).toEqual({ address: 'task:a', steps: 3, equal: true })
      })

      it('shows what an effect brought back and no event may hold, and goes on (R7)', async () => {
        world.behave = async (call) => [
          { to: task('a'), key: `${call.key}/done`, event: event('call.done', { note: 'x'.repeat(1_100_000) }) },
        ]
        const { runtime } = await world.start()
        await runtime.deliver(noted('a', 'k1', 'one'))
        await runtime.deliver({ to: task('a'), key: 'k2', event: event('asked') })
        const [letter] = await until(
          () => runtime.deadLetters(),
          (seen) => seen.length === 1,
        )
        expect(letter).toMatchObject({ key: 'task:a/2/0', reason: expect.stringContaining('1048576 bytes') })
        expect(await log(runtime, 'a')).toEqual(['one'])
      })

      it.each([
        ['an address without a kind', { to: 'nowhere' as never, key: 'k', event: event('noted') }, 'bad-address'],
        ['a kind without a machine', { to: 'queue:q' as const, key: 'k', event: event('noted') }, 'unknown-kind'],
        ['a key with a control character', { to: task('a'), key: 'k\u0000', event: event('noted') }, 'bad-key'],
        [
          'an event that is no plain JSON',
          { to: task('a'), key: 'k', event: event('noted', { big: 1n }) },
          'bad-event',
        ],
        ['an event without a time', { to: task('a'), key: 'k', event: { type: 'noted' } as never }, 'bad-event'],
      ])('refuses %s before it is anywhere', async (_, delivery, reason) => {
        const { runtime } = await world.start()
        await expect(runtime.deliver(delivery)).rejects.toMatchObject({ name: 'TerminalError', reason })
      })
    })

    describe('asks the store', () => {
      it('once for an event of a warm actor and its effect, whose settlement goes with the next event', async () => {
        const counted = faultySql(sql)
        let resting = (): number => 0
        const observer = {
          ...silentObserver,
          standing: (read: () => { resting: number }) => void (resting = () => read().resting),
        }
        const { runtime } = await world.start({ sql: counted, observer })
        await runtime.deliver(noted('a', 'k0', 'warm'))
        const before = counted.statements().length
        const pending = async (): Promise<unknown> => (await sql.query('select pending from actor')).rows
        await runtime.deliver({ to: task('a'), key: 'k1', event: event('asked', { name: 'one' }) })
        await until(() => resting() === 1)
        expect(await pending()).toEqual([{ pending: '2.0:call' }])
        await runtime.deliver({ to: task('a'), key: 'k2', event: event('asked', { name: 'two' }) })
        await until(() => resting() === 1)
        expect(await pending()).toEqual([{ pending: '3.0:call' }])
        const sent = counted.statements().slice(before)
        expect(sent).toHaveLength(2)
        expect(sent.filter((text) => /notify/i.test(text))).toEqual([])
        expect(world.performed.map(({ name }) => name)).toEqual(['one', 'two'])
        world.clock.advance(1000)
        await until(async () => JSON.stringify(await pending()) === '[{"pending":null}]')
        const commits = counted.statements().slice(before).filter(isCommit)
        expect(commits).toHaveLength(3)
      })

      it('once for all events of one turn of the loop, whosever they are', async () => {
        const counted = faultySql(sql)
        const { runtime } = await world.start({ sql: counted })
        const ids = Array.from({ length: 50 }, (_, index) => `w${index}`)
        await Promise.all(ids.map((id) => runtime.deliver(noted(id, 'k0', 'warm'))))
        const before = counted.statements().length
        const keys = ['k1', 'k2', 'k3', 'k4']
        await Promise.all(keys.flatMap((key) => ids.map((id) => runtime.deliver(noted(id, key, key)))))
        const sent = counted.statements().slice(before)
        expect(sent).toHaveLength(1)
        expect(sent[0]).not.toMatch(/notify/i)
      })
    })

    describe('commits', () => {
      it.each(['before', 'after'] as const)(
        'all of a step or nothing of it, when the store breaks %s any one statement (R4)',
        async (moment) => {
          for (let nth = 1; nth <= 4; nth++) {
            await emptyStore(sql)
            const broken = faultySql(sql)
            const own = harness(sql)
            const { runtime, crash } = await own.start({ sql: broken })
            await runtime.deliver(noted('a', 'first', 'first'))
            broken.breakAt(nth, moment)
            const pump = pumping(own)
            const receipts = await Promise.all([
              runtime.deliver(noted('a', 'k1', 'one')),
              runtime.deliver({ to: task('a'), key: 'k2', event: event('told', { note: 'hi' }) }),
              runtime.deliver({ to: task('a'), key: 'k3', event: event('asked', { name: `f${nth}` }) }),
              runtime.deliver({ to: task('a'), key: 'k4', event: event('armed') }),
            ])
            expect(receipts.map((receipt) => receipt.applied)).toEqual([true, true, true, true])
            await until(
              () => log(runtime, 'a'),
              (seen) => seen.includes('re hi'),
            )
            await until(
              () => runtime.pendingEffects(),
              (seen) => seen.length === 0,
            )
            pump.stop()
            // The retries may have taken so long in simulated time that the timer has rung already: armed or rung, once. While
            // it rings two looks may see neither or both, so they are taken until they see one.
            const rung = (notes: readonly string[]): readonly string[] =>
              notes.filter((note) => note.startsWith('xstate.after'))
            await until(
              async () => [...(await runtime.pendingTimers()), ...rung(await log(runtime, 'a'))],
              (seen) => seen.length === 1,
            )
            const notes = await log(runtime, 'a')
            expect(notes.filter((note) => !rung(notes).includes(note))).toEqual(['first', 'one', 're hi'])
            expect(new Set(own.performed.map((call) => call.key))).toEqual(new Set([`task:a/4/0`]))
            expect((await runtime.replay(task('a'))).equal).toBe(true)
            crash()
          }
        },
      )

      it.each(['before', 'after'] as const)(
        'every half once and in order, when the store breaks %s one while the next is stepped (R1, R2, R4)',
        async (moment) => {
          const broken = faultySql(sql)
          const { runtime } = await world.start({ sql: broken, halving: 'always', maxBatch: 8 })
          const ids = Array.from({ length: 6 }, (_, index) => `h${index}`)
          const notes = Array.from({ length: 8 }, (_, index) => `n${index}`)
          await Promise.all(ids.map((id) => runtime.deliver(noted(id, 'first', 'first'))))
          for (const nth of [1, 2, 3, 5]) {
            broken.breakAt(nth, moment)
            const pump = pumping(world)
            const sent = notes.flatMap((note) => ids.map((id) => runtime.deliver(noted(id, `${note}.${nth}`, note))))
            const receipts = await Promise.all(sent)
            pump.stop()
            expect(receipts.every((receipt) => receipt.applied)).toBe(true)
          }
          for (const id of ids) {
            expect(await log(runtime, id)).toEqual(['first', ...notes, ...notes, ...notes, ...notes])
            expect(await runtime.replay(task(id))).toMatchObject({ equal: true, steps: 1 + 4 * notes.length })
          }
        },
      )

      it('tells the caller when the store stays away, and applies a repeat of the key once', async () => {
        const broken = faultySql(sql)
        const { runtime } = await world.start({ sql: broken })
        broken.breakAll(true)
        const pump = pumping(world)
        await expect(runtime.deliver(noted('a', 'k', 'one'))).rejects.toBeInstanceOf(RetryableError)
        broken.breakAll(false)
        expect((await runtime.deliver(noted('a', 'k', 'one'))).applied).toBe(true)
        pump.stop()
        expect(await log(runtime, 'a')).toEqual(['one'])
      })

      it('the rest of a batch when the store refuses one event of it, which is reported to its sender', async () => {
        const picky = faultySql(sql)
        const { runtime } = await world.start({ sql: picky })
        picky.refuse('unbearable')
        const notes = ['n0', 'n1', 'n2', 'unbearable', 'n4', 'n5', 'n6']
        const outcomes = await Promise.allSettled(
          notes.map((note, index) => runtime.deliver(noted(index % 2 ? 'a' : 'b', note, note))),
        )
        expect(outcomes.map((outcome) => outcome.status === 'fulfilled')).toEqual([
          true,
          true,
          true,
          false,
          true,
          true,
          true,
        ])
        expect(outcomes[3]).toMatchObject({ reason: { name: 'TerminalError', reason: 'event-refused' } })
        expect([await log(runtime, 'a'), await log(runtime, 'b')]).toEqual([
          ['n1', 'n5'],
          ['n0', 'n2', 'n4', 'n6'],
        ])
      })

      it('an effect as dead when the store refuses what it brought back', async () => {
        const picky = faultySql(sql)
        world.behave = async (call) => [
          { to: task('a'), key: `${call.key}/done`, event: event('call.done', { note: 'unbearable' }) },
        ]
        const call = {
          onTerminal: 'dead-letter' as const,
          perform: async (_: object, { key }: { readonly key: string }) =>
            world.behave({ key, name: '', attempt: 1 }, AbortSignal.abort()),
        }
        const { runtime } = await world.start({ sql: picky, handlers: { call, callInOrder: call } })
        picky.refuse('unbearable')
        await runtime.deliver(noted('a', 'k1', 'one'))
        await runtime.deliver({ to: task('a'), key: 'k2', event: event('asked') })
        const [dead] = await until(
          () => runtime.pendingEffects({ state: 'dead' }),
          (seen) => seen.length === 1,
        )
        expect(dead?.lastError).toMatch(/cannot be (stored|held)/)
      })

      it('nothing of an owner whose lease another holds by now (R5) (SERVICE-7)', async () => {
        const stale = await world.start({ owner: 'one', leaseMs: 1000 })
        await stale.runtime.deliver(noted('a', 'k1', 'one'))
        await sql.exec("insert into process (owner, incarnation, beat) values ('two', 1000, 0)")
        const { rows } = await sql.query<{ shard: number }>(
          "update shard set owner = 'two', epoch = epoch + 1 returning shard",
        )
        expect(rows).toHaveLength(4)
        const late = stale.runtime.deliver(noted('a', 'k2', 'two')).catch(() => 'refused')
        const inbox = await until(
          async () => (await sql.query<{ key: string }>('select key from inbox')).rows,
          (seen) => seen.length > 0,
        )
        expect(inbox).toEqual([{ key: 'k2' }])
        expect((await stale.runtime.history(task('a'))).map((row) => row.key)).toEqual(['k1'])
        stale.crash()
        void late
      })

      it('nothing of a batch that was under way while its shards were taken, nor of the half built meanwhile (R5, R1)', async () => {
        const held = heldCommits(sql)
        const stale = await world.start({ owner: 'one', leaseMs: 1000, halving: 'always', sql: held })
        const ids = Array.from({ length: 8 }, (_, index) => `h${index}`)
        await Promise.all(ids.map((id) => stale.runtime.deliver(noted(id, 'k1', 'one'))))
        held.hold()
        const late = ids.map((id) => stale.runtime.deliver(noted(id, 'k2', 'two')).catch(() => 'refused'))
        await held.isHeld()
        await sql.exec("insert into process (owner, incarnation, beat) values ('two', 1000, 0)")
        await sql.exec("update shard set owner = 'two', epoch = epoch + 1")
        held.letGo()
        const inbox = await until(
          async () => (await sql.query<{ actor: string; key: string }>('select actor, key from inbox')).rows,
          (seen) => seen.length === ids.length,
        )
        expect(inbox.map(({ actor, key }) => `${actor} ${key}`).toSorted()).toEqual(ids.map((id) => `task:${id} k2`))
        for (const id of ids) expect((await stale.runtime.history(task(id))).map((row) => row.key)).toEqual(['k1'])
        stale.crash()
        void late
      })

      it('continues under another owner when the lease of the first has run out (R5, R1)', async () => {
        const first = await world.start({ owner: 'one', leaseMs: 10_000 })
        await first.runtime.deliver(noted('a', 'k1', 'one'))
        first.crash()
        const second = await world.start({ owner: 'two', leaseMs: 10_000 })
        const waiting = second.runtime.deliver(noted('a', 'k2', 'two'))
        const pump = pumping(world)
        expect((await waiting).applied).toBe(true)
        pump.stop()
        expect(await log(second.runtime, 'a')).toEqual(['one', 'two'])
      })

      it('delivers to an actor of another process through its inbox, once, with its answer (R9)', async () => {
        const owner = await world.start({ owner: 'one' })
        const other = await world.start({ owner: 'two', hint: () => owner.runtime.wake() })
        const pump = pumping(world)
        const receipt = await other.runtime.deliver(noted('a', 'k', 'one'))
        expect(receipt).toEqual({ key: 'k', applied: true, seq: 1, answer: { status: 200, body: { count: 1 } } })
        expect(await other.runtime.deliver(noted('a', 'k', 'one'))).toEqual({ ...receipt, applied: false })
        expect(
          (await other.runtime.deliver({ to: task('ghost'), key: 'g', event: event('asked') })).answer?.status,
        ).toBe(404)
        pump.stop()
        expect(await log(other.runtime, 'a')).toEqual(['one'])
        expect((await sql.query('select id from inbox')).rows).toEqual([])
      })
    })

    describe('performs effects', () => {
      it('after the commit, and delivers what they bring back (R6)', async () => {
        world.behave = async (call) => [
          { to: task('a'), key: `${call.key}/done`, event: event('call.done', { note: `did ${call.name}` }) },
        ]
        const { runtime } = await world.start()
        await runtime.deliver(noted('a', 'k1', 'one'))
        await runtime.deliver({ to: task('a'), key: 'k2', event: event('asked', { name: 'x' }) })
        await until(
          () => log(runtime, 'a'),
          (seen) => seen.includes('did x'),
        )
        expect(world.performed).toEqual([{ key: 'task:a/2/0', name: 'x', attempt: 1 }])
        await until(
          () => runtime.pendingEffects(),
          (seen) => seen.length === 0,
        )
        expect((await runtime.history(task('a'))).map((row) => row.key)).toEqual(['k1', 'k2', 'task:a/2/0/done'])
      })

      it('again under the same key after a crash in the middle, and takes the result once (R6, R3)', async () => {
        const first = await world.start()
        world.behave = () => new Promise(() => undefined)
        await first.runtime.deliver(noted('a', 'k1', 'one'))
        await first.runtime.deliver({ to: task('a'), key: 'k2', event: event('asked', { name: 'x' }) })
        await until(() => world.performed.length === 1)
        first.crash()
        world.behave = async (call) => [
          { to: task('a'), key: `${call.key}/done`, event: event('call.done', { note: 'did' }) },
        ]
        const second = await world.start()
        await until(
          () => log(second.runtime, 'a'),
          (seen) => seen.includes('did'),
        )
        expect(world.performed.map((call) => call.key)).toEqual(['task:a/2/0', 'task:a/2/0'])
        expect(await log(second.runtime, 'a')).toEqual(['one', 'did'])
      })

      it('again after a retryable failure, later each time, and shows the last error meanwhile (R7)', async () => {
        let left = 2
        world.behave = async () => {
          if (left-- > 0) throw new Error('busy')
          return []
        }
        const { runtime } = await world.start()
        await runtime.deliver(noted('a', 'k1', 'one'))
        await runtime.deliver({ to: task('a'), key: 'k2', event: event('asked') })
        const [pending] = await until(
          () => runtime.pendingEffects(),
          (seen) => seen[0]?.attempts === 1 && seen[0].state === 'pending',
        )
        expect(pending).toMatchObject({ lastError: 'busy', notBefore: world.clock.now() + 250 })
        world.clock.advance(249)
        expect(world.performed).toHaveLength(1)
        world.clock.advance(1)
        await until(
          () => runtime.pendingEffects(),
          (seen) => seen[0]?.attempts === 2 && seen[0].state === 'pending',
        )
        world.clock.advance(500)
        await until(
          () => runtime.pendingEffects(),
          (seen) => seen.length === 0,
        )
        expect(world.performed.map((call) => call.attempt)).toEqual([1, 2, 3])
        expect(new Set(world.performed.map((call) => call.key)).size).toBe(1)
      })

      it('no earlier than the other side asked, and does not count that as an attempt (R7)', async () => {
        let isLimited = true
        world.behave = async () => {
          if (isLimited) throw new RetryableError('rate limited', { retryAfterMs: 60_000 })
          return []
        }
        const { runtime } = await world.start()
        await runtime.deliver(noted('a', 'k1', 'one'))
        await runtime.deliver({ to: task('a'), key: 'k2', event: event('asked') })
        const [pending] = await until(
          () => runtime.pendingEffects(),
          (seen) => seen[0]?.lastError !== undefined && seen[0].state === 'pending',
        )
        expect(pending).toMatchObject({ attempts: 0, notBefore: world.clock.now() + 60_000 })
        isLimited = false
        world.clock.advance(60_000)
        await until(
          () => runtime.pendingEffects(),
          (seen) => seen.length === 0,
        )
        expect(world.performed).toHaveLength(2)
      })

      it('turns a terminal failure into an event of the actor (R7)', async () => {
        world.behave = async () => {
          throw new TerminalError('not-found', 'there is no such thing')
        }
        const { runtime } = await world.start()
        await runtime.deliver(noted('a', 'k1', 'one'))
        await runtime.deliver({ to: task('a'), key: 'k2', event: event('asked') })
        const rows = await until(
          () => runtime.history(task('a')),
          (seen) => seen.length === 3,
        )
        expect(rows[2]).toMatchObject({
          key: 'task:a/2/0/failed',
          event: { type: 'effect.failed', effect: 'call', reason: 'not-found', key: 'task:a/2/0' },
        })
        expect(await runtime.pendingEffects()).toEqual([])
      })

      it('shows a dead effect where the handler wants that, and performs it under its old key when redelivered (R7)', async () => {
        const performed: string[] = []
        let isGone = true
        const call = {
          onTerminal: 'dead-letter' as const,
          async perform(_: object, context: { readonly key: string }) {
            performed.push(context.key)
            if (isGone) throw new TerminalError('gone')
            return []
          },
        }
        const { runtime } = await world.start({ handlers: { call, callInOrder: call } })
        await runtime.deliver(noted('a', 'k1', 'one'))
        await runtime.deliver({ to: task('a'), key: 'k2', event: event('asked') })
        const [dead] = await until(
          () => runtime.pendingEffects({ state: 'dead' }),
          (seen) => seen.length === 1,
        )
        expect(dead).toMatchObject({ key: 'task:a/2/0', lastError: 'gone', attempts: 1 })
        isGone = false
        expect(await runtime.redeliver('task:a/2/0')).toBe(true)
        await until(
          () => runtime.pendingEffects(),
          (seen) => seen.length === 0,
        )
        expect(performed).toEqual(['task:a/2/0', 'task:a/2/0'])
        expect(await runtime.redeliver('task:a/2/0')).toBe(false)
      })

      it('keeps an effect that has no handler where it can be seen', async () => {
        const { runtime } = await world.start({ handlers: {} })
        await runtime.deliver(noted('a', 'k1', 'one'))
        await runtime.deliver({ to: task('a'), key: 'k2', event: event('asked') })
        const [dead] = await until(
          () => runtime.pendingEffects({ state: 'dead' }),
          (seen) => seen.length === 1,
        )
        expect(dead?.lastError).toBe('no handler for this type of effect')
      })

      it('gives up after as many attempts as the handler allows, as a terminal failure', async () => {
        const perform = async (): Promise<never> => {
          throw new Error('always')
        }
        const { runtime } = await world.start({
          handlers: { call: { maxAttempts: 2, perform }, callInOrder: { perform } },
        })
        await runtime.deliver(noted('a', 'k1', 'one'))
        await runtime.deliver({ to: task('a'), key: 'k2', event: event('asked') })
        await until(
          () => runtime.pendingEffects(),
          (seen) => seen[0]?.attempts === 1 && seen[0].state === 'pending',
        )
        world.clock.advance(1000)
        const rows = await until(
          () => runtime.history(task('a')),
          (seen) => seen.length === 3,
        )
        expect(rows[2]?.event).toMatchObject({ type: 'effect.failed', reason: 'retries-exhausted: always' })
      })

      it('in journal order and one at a time where they are ordered, each actor for itself', async () => {
        const open = new Map<string, () => void>()
        world.behave = (call) => new Promise((resolve) => open.set(call.name, () => resolve([])))
        const { runtime } = await world.start()
        for (const id of ['a', 'b']) await runtime.deliver(noted(id, 'k0', 'zero'))
        for (const name of ['a1', 'a2', 'b1']) {
          await runtime.deliver({ to: task(name[0]!), key: name, event: event('askedInOrder', { name }) })
        }
        await until(() => world.performed.length === 2)
        expect(world.performed.map((call) => call.name)).toEqual(['a1', 'b1'])
        open.get('a1')?.()
        await until(() => world.performed.length === 3)
        expect(world.performed[2]?.name).toBe('a2')
        for (const finish of open.values()) finish()
        await until(
          () => runtime.pendingEffects(),
          (seen) => seen.length === 0,
        )
      })

      it('not when they were withdrawn before their turn, and tells one under way [FORGE-WRITES-1]', async () => {
        const signals: AbortSignal[] = []
        let finish: (deliveries: readonly Delivery[]) => void = () => undefined
        world.behave = (_, signal) => {
          signals.push(signal)
          return new Promise((resolve) => (finish = resolve))
        }
        const { runtime } = await world.start()
        await runtime.deliver(noted('a', 'k1', 'one'))
        await runtime.deliver({ to: task('a'), key: 'k2', event: event('merged') })
        await until(() => signals.length === 1)
        await runtime.deliver({ to: task('a'), key: 'k3', event: event('parked') })
        expect(signals[0]?.aborted).toBe(true)
        expect(await runtime.pendingEffects()).toEqual([])
        finish([{ to: task('a'), key: 'done', event: event('call.done', { note: 'it was merged all the same' }) }])
        await until(
          () => log(runtime, 'a'),
          (seen) => seen.includes('it was merged all the same'),
        )
      })

      it('not again when they were withdrawn while under way and failed after that', async () => {
        let fail: (error: Error) => void = () => undefined
        world.behave = () => new Promise((_, reject) => (fail = reject))
        const { runtime } = await world.start()
        await runtime.deliver(noted('a', 'k1', 'one'))
        await runtime.deliver({ to: task('a'), key: 'k2', event: event('merged') })
        await until(() => world.performed.length === 1)
        await runtime.deliver({ to: task('a'), key: 'k3', event: event('parked') })
        fail(new Error('too late'))
        await runtime.stop()
        expect(await runtime.pendingEffects()).toEqual([])
        expect((await sql.query('select pending from actor')).rows).toEqual([{ pending: null }])
      })

      it('and settles what brought nothing back with the actor’s next step, or after a while', async () => {
        const { runtime } = await world.start({ settleRestMs: 500 })
        const pending = async (): Promise<unknown> => (await sql.query('select pending from actor')).rows
        await runtime.deliver(noted('a', 'k1', 'one'))
        await runtime.deliver({ to: task('a'), key: 'k2', event: event('asked') })
        await until(() => world.performed.length === 1)
        await runtime.deliver({ to: task('a'), key: 'k3', event: event('asked') })
        expect(await pending()).toEqual([{ pending: '3.0:call' }])
        await until(() => world.performed.length === 2)
        await until(
          async () => {
            await world.clock.advance(250)
            return pending()
          },
          (seen) => JSON.stringify(seen) === '[{"pending":null}]',
        )
        expect(await runtime.pendingEffects()).toEqual([])
        expect(world.performed.map((call) => call.key)).toEqual(['task:a/2/0', 'task:a/3/0'])
      })

      it('and performs again, under its key, what a crash found performed and not yet settled (R6)', async () => {
        const first = await world.start()
        await first.runtime.deliver(noted('a', 'k1', 'one'))
        await first.runtime.deliver({ to: task('a'), key: 'k2', event: event('asked') })
        await until(() => world.performed.length === 1)
        first.crash()
        const second = await world.start()
        await until(() => world.performed.length === 2)
        await until(
          () => second.runtime.pendingEffects(),
          (seen) => seen.length === 0,
        )
        expect(world.performed.map((call) => call.key)).toEqual(['task:a/2/0', 'task:a/2/0'])
      })

      it('and settles what rests before it stops', async () => {
        const { runtime } = await world.start()
        await runtime.deliver(noted('a', 'k1', 'one'))
        await runtime.deliver({ to: task('a'), key: 'k2', event: event('asked') })
        await until(() => world.performed.length === 1)
        await runtime.stop()
        expect((await sql.query('select pending from actor')).rows).toEqual([{ pending: null }])
      })

      it('and settles those of an actor that has left memory meanwhile', async () => {
        const finish: (() => void)[] = []
        world.behave = () => new Promise((resolve) => void finish.push(() => resolve([])))
        const { runtime } = await world.start({ maxHot: 1 })
        await runtime.deliver(noted('a', 'k1', 'one'))
        for (const key of ['k2', 'k3']) await runtime.deliver({ to: task('a'), key, event: event('asked') })
        await until(() => finish.length === 2)
        await runtime.deliver(noted('b', 'k1', 'one'))
        for (const end of finish) end()
        await until(
          () => runtime.pendingEffects(),
          (pending) => pending.length === 0,
        )
        expect((await sql.query('select pending from actor')).rows).toEqual([{ pending: null }, { pending: null }])
      })

      it('only the one that stands when a state was left and entered again in one batch', async () => {
        const { runtime } = await world.start()
        await runtime.deliver(noted('a', 'k1', 'one'))
        await Promise.all(
          ['m1', 'm2', 'm3'].map((key) => runtime.deliver({ to: task('a'), key, event: event('merged') })),
        )
        await until(
          () => runtime.pendingEffects(),
          (seen) => seen.length === 0,
        )
        expect(world.performed.map((call) => call.key).at(-1)).toBe('task:a/4/1')
        await runtime.deliver({ to: task('a'), key: 'p', event: event('parked') })
        expect(await runtime.pendingEffects()).toEqual([])
      })
    })

    describe('fires timers', () => {
      it('at their due time, once, also when they were armed before a crash (R8)', async () => {
        const first = await world.start()
        await first.runtime.deliver(noted('a', 'k1', 'one'))
        await first.runtime.deliver({ to: task('a'), key: 'k2', event: event('armed') })
        expect(await first.runtime.pendingTimers({ actor: task('a') })).toMatchObject([
          { dueAt: world.clock.now() + 5000 },
        ])
        first.crash()
        const second = await world.start()
        world.clock.advance(4999)
        expect((await second.runtime.read(task('a')))?.path).toBe('waiting')
        world.clock.advance(1)
        await until(
          () => (world.clock.advance(0), second.runtime.read(task('a')).then((view) => view?.path)),
          (path) => path === 'rung',
        )
        world.clock.advance(60_000)
        await second.runtime.deliver(noted('a', 'k3', 'three'))
        const rows = await second.runtime.history(task('a'))
        expect(rows.map((row) => row.key)).toEqual(['k1', 'k2', 'timer:xstate.after.5000.toy.waiting:2', 'k3'])
        expect(rows[2]?.event.at).toBe(world.clock.now() - 60_000)
        expect(await second.runtime.pendingTimers()).toEqual([])
      })

      it('not when the step before cancelled them, and anew when it armed them again (R8)', async () => {
        const { runtime } = await world.start()
        await runtime.deliver(noted('a', 'k1', 'one'))
        await runtime.deliver({ to: task('a'), key: 'k2', event: event('armed') })
        await runtime.deliver({ to: task('a'), key: 'k3', event: event('disarmed') })
        expect(await runtime.pendingTimers()).toEqual([])
        await runtime.deliver({ to: task('a'), key: 'k4', event: event('armed') })
        world.clock.advance(3000)
        await runtime.deliver({ to: task('a'), key: 'k5', event: event('armed') })
        expect(await runtime.pendingTimers()).toMatchObject([{ dueAt: world.clock.now() + 5000 }])
        world.clock.advance(4000)
        await runtime.deliver(noted('a', 'k6', 'six'))
        expect((await runtime.read(task('a')))?.path).toBe('waiting')
        world.clock.advance(1000)
        await until(
          async () => (await runtime.read(task('a')))?.path,
          (path) => path === 'rung',
        )
      })

      it('of a delayed raise with the data it was raised with', async () => {
        const { runtime } = await world.start()
        await runtime.deliver(noted('a', 'k1', 'one'))
        await runtime.deliver({ to: task('a'), key: 'k2', event: event('later') })
        world.clock.advance(1000)
        await until(
          () => log(runtime, 'a'),
          (seen) => seen.includes('later'),
        )
      })
    })

    describe('connects actors', () => {
      it('with exactly one delivery per effect, in order, through a crash at any moment (R9)', async () => {
        let instance = await world.start()
        for (let round = 0; round < 6; round++) {
          const crash = instance.crash
          const told = instance.runtime.deliver({
            to: task('a'),
            key: `t${round}`,
            event: event('told', { note: `n${round}` }),
          })
          if (round === 0) await instance.runtime.deliver(noted('a', 'open', 'open'))
          if (round % 2 === 0) await told
          else await new Promise((resolve) => void setImmediate(resolve))
          crash()
          instance = await world.start()
          if (round % 2 === 1 || round === 0)
            await instance.runtime.deliver({
              to: task('a'),
              key: `t${round}`,
              event: event('told', { note: `n${round}` }),
            })
        }
        const notes = (await instance.runtime.history(task('a')))
          .filter((row) => row.event.type === 'told' && row.handled)
          .map((row) => row.event['note'])
        const seen = await until(
          async () => logOf(await instance.runtime.read('pod:a')),
          (log) => log.length >= notes.length,
        )
        expect(seen).toEqual(notes)
        await until(
          () => log(instance.runtime, 'a'),
          (log) => log.filter((one) => one.startsWith('re ')).length === notes.length,
        )
        expect((await sql.query('select id from inbox')).rows).toEqual([])
      })

      it('and shows a delivery without an address instead of losing it (R7)', async () => {
        const { runtime } = await world.start()
        await runtime.deliver(noted('a', 'k1', 'one'))
        await runtime.deliver({ to: task('a'), key: 'k2', event: event('misaddressed') })
        expect(await runtime.deadLetters()).toMatchObject([
          { key: 'task:a/2/0', reason: 'deliver without an address and an event' },
        ])
      })
    })

    describe('keeps history', () => {
      it('that replays from the beginning to the same bytes (R11)', async () => {
        const { runtime } = await world.start({ snapshotEvery: 4 })
        await runtime.deliver(noted('a', 'k0', 'zero'))
        const types = 'armed noted disarmed merged told asked parked unheard noted closed'.split(' ')
        for (const [index, type] of types.entries()) {
          await runtime.deliver({ to: task('a'), key: `k${index + 1}`, event: event(type, { note: `n${index}` }) })
        }
        const replay = await until(
          () => runtime.replay(task('a')),
          (seen) => seen.steps >= 11,
        )
        expect(replay).toMatchObject({ address: 'task:a', equal: true })
      })

      it('whose replay finds a row that was tampered with, at the snapshot behind it (R11)', async () => {
        const { runtime } = await world.start({ snapshotEvery: 2 })
        for (const key of ['k1', 'k2', 'k3']) await runtime.deliver(noted('a', key, key))
        await sql.query(`update event set body = replace(body, 'k1', 'k9') where actor = 'task:a' and seq = 1`)
        expect(await runtime.replay(task('a'))).toMatchObject({
          equal: false,
          firstDifference: 'replay differs at task:a 2: the context is another',
        })
      })

      it('whose replay finds a row that was tampered with behind the last snapshot, while the actor is in memory (R11)', async () => {
        const { runtime } = await world.start()
        for (const key of ['k1', 'k2', 'k3']) await runtime.deliver(noted('a', key, key))
        await sql.query(`update event set body = replace(body, 'k2', 'k9') where actor = 'task:a' and seq = 2`)
        expect(await runtime.replay(task('a'))).toMatchObject({
          equal: false,
          firstDifference: expect.stringMatching(/^the state at 3: .*"k9".* instead of .*"k2"/),
        })
      })

      it('and tells listeners of every step once it is committed, in order', async () => {
        const { runtime } = await world.start()
        const heard: string[] = []
        const stopListening = runtime.subscribe((row) => void heard.push(row.key))
        await Promise.all(['k1', 'k2', 'k3'].map((key) => runtime.deliver(noted('a', key, key))))
        stopListening()
        await runtime.deliver(noted('a', 'k4', 'k4'))
        expect(heard).toEqual(['k1', 'k2', 'k3'])
      })

      it('and lists actors of a kind page by page, by status, and those that ended newest first', async () => {
        const { runtime } = await world.start()
        const ids = async (views: Promise<readonly ActorView[]>): Promise<string> =>
          (await views).map(({ id }) => id).join()
        for (const [at, id] of ['n/c', 'n/a', 'm/b', 'n/b'].entries()) {
          await runtime.deliver(noted(id, 'k', 'one'))
          if (at % 2 === 0) await runtime.deliver({ to: task(id), key: 'end', event: event('closed') })
          world.clock.advance(1000)
        }
        expect(await ids(runtime.list('task'))).toBe('m/b,n/a,n/b,n/c')
        expect(await ids(runtime.list('task', { idPrefix: 'n/', after: 'n/a', limit: 1 }))).toBe('n/b')
        expect(await ids(runtime.list('task', { status: 'active' }))).toBe('n/a,n/b')
        expect(await ids(runtime.list('task', { status: 'done', after: 'm/b' }))).toBe('n/c')
        expect(await ids(runtime.listEnded('task', { since: 0, limit: 9 }))).toBe('m/b,n/c')
        expect(await ids(runtime.listEnded('task', { since: world.clock.now() - 2500, limit: 1 }))).toBe('m/b')
        expect(await ids(runtime.list('pod'))).toBe('')
      })
    })

    describe('writes snapshots', () => {
      const stored = async (): Promise<readonly { readonly seq: number }[]> =>
        (await sql.query<{ seq: number }>("select seq from snapshot where actor = 'task:a'")).rows

      it('every so many steps, or so many bytes', async () => {
        const { runtime } = await world.start({ snapshotEvery: 3, snapshotBytes: 1500 })
        for (const key of ['k1', 'k2']) await runtime.deliver(noted('a', key, key))
        expect(await stored()).toEqual([])
        await runtime.deliver(noted('a', 'k3', 'three'))
        expect(await stored()).toEqual([{ seq: 3 }])
        await runtime.deliver(noted('a', 'k4', 'x'.repeat(2000)))
        expect(await stored()).toEqual([{ seq: 4 }])
      })

      it('when the actor has rested, and no more until it steps again', async () => {
        const { runtime, crash } = await world.start({ idleSnapshotMs: 1000 })
        for (const key of ['k1', 'k2']) await runtime.deliver(noted('a', key, key))
        world.clock.advance(1000)
        await until(stored, (rows) => rows[0]?.seq === 2)
        await runtime.deliver(noted('a', 'k3', 'three'))
        world.clock.advance(1000)
        await until(stored, (rows) => rows[0]?.seq === 3)
        expect(await runtime.replay(task('a'))).toEqual({ address: 'task:a', steps: 3, equal: true })
        crash()
        const second = await world.start()
        expect(await log(second.runtime, 'a')).toEqual(['k1', 'k2', 'three'])
      })

      it('for none of the actors that fell out of memory, which come back by their journal', async () => {
        const { runtime } = await world.start({ maxHot: 2 })
        for (const [index, id] of ['a', 'b', 'c', 'd', 'a'].entries()) await runtime.deliver(noted(id, `k${index}`, id))
        expect(await log(runtime, 'a')).toEqual(['a', 'a'])
        expect(await stored()).toEqual([])
      })
    })

    describe('meets older snapshots', () => {
      const renamed = {
        ...toyDefinition,
        version: 2,
        upgrades: { 1: (snapshot: object) => ({ ...snapshot, context: { id: 'a', count: 7, log: ['upgraded'] } }) },
      }

      it('by the definition’s upgrade, and replays from there (R10, R11)', async () => {
        const first = await world.start()
        await first.runtime.deliver(noted('a', 'k1', 'one'))
        await first.runtime.stop()
        const second = await world.start({ definitions: [renamed] })
        expect(await second.runtime.read(task('a'))).toMatchObject({ context: { log: ['upgraded'] } })
        await second.runtime.deliver(noted('a', 'k2', 'two'))
        expect(await second.runtime.read(task('a'))).toMatchObject({
          version: 2,
          seq: 2,
          context: { log: ['upgraded', 'two'] },
        })
        expect(await second.runtime.replay(task('a'))).toEqual({ address: 'task:a', steps: 1, equal: true })
      })

      it('with quarantine where no upgrade exists: events wait, and are applied by code that can (R10)', async () => {
        const first = await world.start()
        await first.runtime.deliver(noted('a', 'k1', 'one'))
        await first.runtime.stop()
        const second = await world.start({ definitions: [{ ...toyDefinition, version: 2 }] })
        const receipt = await second.runtime.deliver(noted('a', 'k2', 'two'))
        expect(receipt).toMatchObject({ applied: false, answer: { status: 503, body: { code: 'actor-quarantined' } } })
        expect(await second.runtime.list('task')).toMatchObject([
          { status: 'quarantined', fault: 'no upgrade of task from version 1 to 2', context: { log: ['one'] } },
        ])
        expect((await second.runtime.deliver(noted('b', 'k1', 'other'))).applied).toBe(true)
        await second.runtime.stop()
        const third = await world.start({ definitions: [renamed] })
        await until(
          () => log(third.runtime, 'a'),
          (seen) => seen.includes('two'),
        )
        expect(await third.runtime.read(task('a'))).toMatchObject({ status: 'active', seq: 2 })
      })

      it('with quarantine where the state is no more (R10)', async () => {
        const first = await world.start()
        await first.runtime.deliver(noted('a', 'k1', 'one'))
        await first.runtime.deliver({ to: task('a'), key: 'k2', event: event('armed') })
        await first.runtime.stop()
        const { waiting: _, ...states } = toyMachine.config.states as Record<string, object>
        const machine = toyMachine.provide({})
        const smaller = new (machine.constructor as new (config: object, implementations: object) => typeof toyMachine)(
          { ...toyMachine.config, states: { ...states, idle: {}, rung: {} } },
          machine.implementations,
        )
        const second = await world.start({ definitions: [{ ...toyDefinition, machine: smaller }] })
        expect((await second.runtime.deliver(noted('a', 'k3', 'three'))).answer?.body['code']).toBe('actor-quarantined')
        expect((await second.runtime.read(task('a')))?.status).toBe('quarantined')
        expect((await second.runtime.deliver(noted('b', 'k1', 'other'))).applied).toBe(true)
        expect(await log(second.runtime, 'b')).toEqual(['other'])
      })
    })

    it('stops when what is under way has ended, and takes nothing more', async () => {
      let finish: () => void = () => undefined
      world.behave = () => new Promise((resolve) => (finish = () => resolve([])))
      const { runtime } = await world.start()
      await runtime.deliver(noted('a', 'k1', 'one'))
      await runtime.deliver({ to: task('a'), key: 'k2', event: event('asked') })
      await until(() => world.performed.length === 1)
      const stopped = runtime.stop()
      await expect(runtime.deliver(noted('a', 'k3', 'three'))).rejects.toMatchObject({ name: 'RuntimeStoppedError' })
      finish()
      await stopped
      expect((await sql.query('select * from effect')).rows).toEqual([])
      expect((await sql.query<{ seq: number }>('select seq from snapshot')).rows).toEqual([{ seq: 2 }])
      expect((await sql.query('select * from shard where owner is not null')).rows).toEqual([])
    })
  })
}
