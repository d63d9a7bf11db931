/** Lives a plan through: sends, dies, starts again, repeats what was not acknowledged, and lets all come to rest. */
import type { ActorAddress } from '../../machines/definition.ts'
import { emptyStore } from '../../runtime/contract/empty-store.ts'
import { event, harness, task, until } from '../../runtime/contract/harness.ts'
import type { Instance, Performed } from '../../runtime/contract/harness.ts'
import type { JournalRow, Receipt } from '../../runtime/runtime.ts'
import type { Queryable, Sql } from '../../runtime/store/sql.ts'
import { unsettledText } from '../../runtime/store/effects/unsettled-effects.ts'
import type { Crash, Plan, Send } from './crash-plan.ts'

export interface Outcome {
  /** Keys in the order in which they were sent, each with the receipts it got. */
  readonly receipts: ReadonlyMap<string, readonly Receipt[]>
  readonly journals: ReadonlyMap<ActorAddress, readonly JournalRow[]>
  readonly performed: readonly Performed[]
  readonly replays: readonly { readonly equal: boolean }[]
  readonly leftovers: readonly object[]
}

const actors: readonly ActorAddress[] = ['task:a', 'task:b', 'pod:a', 'pod:b']

export async function live(sql: Sql, { sends, crashes }: Plan): Promise<Outcome> {
  await emptyStore(sql)
  const world = harness(sql)
  world.behave = async (call) => [
    {
      to: call.key.split('/')[0] as ActorAddress,
      key: `${call.key}/done`,
      event: event('call.done', { note: `done ${call.key}` }),
    },
  ]
  const pump = setInterval(() => world.clock.advance(50), 1)
  const receipts = new Map<string, Receipt[]>()
  const left = [...crashes]
  let life = await nextLife()

  async function nextLife(): Promise<Life> {
    for (;;) {
      const started = await start(world.start, sql, left.shift())
      if (started) return started
    }
  }

  async function insist(key: string, send: Send): Promise<void> {
    for (;;) {
      const { instance, died } = life
      const receipt = await Promise.race([
        instance.runtime.deliver({ to: task(send.actor), key, event: event(send.type, { note: key }) }),
        died,
      ])
      if (receipt) return void receipts.set(key, [...(receipts.get(key) ?? []), receipt])
      if (life.instance === instance) life = await nextLife()
    }
  }

  try {
    for (const id of ['a', 'b'] as const)
      await insist(`open ${id}`, { actor: id, type: 'noted', isRepeated: false, isHasty: false })
    const hasty: Promise<void>[] = []
    for (const [index, send] of sends.entries()) {
      const sent = insist(`k${index}`, send)
      if (send.isHasty) hasty.push(sent)
      else await sent
      if (send.isRepeated && !send.isHasty) await insist(`k${index}`, send)
    }
    await Promise.all(hasty)
    // The last life is cut short too: what it acknowledged must be found by one that never saw it.
    life.instance.crash()
    const last = await world.start()
    const leftovers = await until(
      () => unsettled(sql),
      (rows) => rows.length === 0,
    )
    const journals = new Map<ActorAddress, readonly JournalRow[]>()
    for (const actor of actors) journals.set(actor, await last.runtime.history(actor))
    const replays = await Promise.all(
      actors.filter((actor) => journals.get(actor)?.length).map((actor) => last.runtime.replay(actor)),
    )
    return { receipts, journals, performed: world.performed, replays, leftovers }
  } finally {
    clearInterval(pump)
    await world.end()
  }
}

function unsettled(sql: Sql): Promise<readonly object[]> {
  const text = `select actor from inbox union all select actor from (${unsettledText({ where: 'true' })}) as unsettled union all select actor from timer`
  return sql.query(text).then((result) => result.rows)
}

interface Life {
  readonly instance: Instance
  /** Resolves without a receipt when the process has died. */
  readonly died: Promise<undefined>
}

type StartInstance = (options: {
  readonly sql: Sql
  readonly snapshotEvery: number
  readonly maxBatch: number
}) => Promise<Instance>

/** Undefined when the process died while it was starting. */
async function start(launch: StartInstance, sql: Sql, crash: Crash | undefined): Promise<Life | undefined> {
  const line: { instance?: Instance; isCut: boolean } = { isCut: false }
  const { promise: died, resolve } = Promise.withResolvers<undefined>()
  const die = (): void => {
    line.isCut = true
    line.instance?.crash()
    resolve(undefined)
  }
  const launched = launch({ sql: dying(sql, crash, die, line), snapshotEvery: 3, maxBatch: 4 })
  void launched.then((instance) => {
    line.instance = instance
    if (line.isCut) instance.crash()
  })
  const instance = await Promise.race([launched, died])
  return instance && { instance, died }
}

function dying(sql: Sql, crash: Crash | undefined, die: () => void, line: { readonly isCut: boolean }): Sql {
  let count = 0
  async function counted<T>(run: () => Promise<T>): Promise<T> {
    count += 1
    if (line.isCut) return new Promise<T>(() => undefined)
    if (crash && count >= crash.atStatement) {
      if (count === crash.atStatement && crash.isRun) await run()
      die()
      return new Promise<T>(() => undefined)
    }
    return run()
  }
  return {
    durability: sql.durability,
    query: (text, params) => counted(() => sql.query(text, params)) as ReturnType<Queryable['query']> as never,
    exec: (text) => counted(() => sql.exec(text)),
    tx: (run) => counted(() => sql.tx(run)),
    close: () => sql.close(),
  }
}
