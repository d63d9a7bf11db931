/** Clients that send without end, each one event at a time, through whichever process answers. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ActorAddress, MachineEvent } from '../../../machines/definition.ts'
import type { Delivery } from '../../../runtime/runtime.ts'
import type { AcknowledgedLog } from './acknowledged-log.ts'
import type { Worker } from './crew.ts'
import { dice, type Dice } from './dice.ts'

export interface LoadSettings {
  readonly seed: number
  readonly clients: number
  readonly tasks: number
  readonly pods: number
}

export interface Load {
  /** Events acknowledged so far, and attempts that were not answered. */
  readonly counts: { acknowledged: number; repeated: number }
  /** Ends when each client has its last answer. */
  stop(): Promise<void>
}

/** Who does not answer may be paused: the event is sent again by another way, soon or, by some, only when it has waked. */
const answerBoundsMs = [700, 700, 4000]
const pauseMs = 12
/** Longer than any fault lasts: by then an event that is repeated must have been taken in. */
const patienceMs = 90_000

export function startLoad(crew: readonly Worker[], log: AcknowledgedLog, settings: LoadSettings): Load {
  const counts = { acknowledged: 0, repeated: 0 }
  const stopped = { isStopped: false }
  const clients = Array.from({ length: settings.clients }, (_, index) =>
    client(`c${index}`, dice(settings.seed * 1000 + index)),
  )
  const all = Promise.all(clients)
  // Whoever stops it hears of a failure; until then it must not end the process.
  all.catch(() => undefined)

  async function client(name: string, chance: Dice): Promise<void> {
    for (let n = 0; !stopped.isStopped; n++) {
      await insist(deliveryOf(`${name}-${n}`, chance), chance)
      await delay(chance.between(0, pauseMs))
    }
  }

  async function insist(delivery: Delivery, chance: Dice): Promise<void> {
    const sentAt = Date.now()
    for (;;) {
      const ready = crew.filter((worker) => worker.isReady)
      const through = ready.length > 0 ? chance.pick(ready) : undefined
      const receipt = await through?.deliver(delivery, chance.pick(answerBoundsMs)).catch(() => undefined)
      if (receipt && (receipt.applied || receipt.seq > 0)) {
        counts.acknowledged += 1
        return log.add({ actor: delivery.to, key: delivery.key, seq: receipt.seq, sentAt, ackedAt: Date.now() })
      }
      if (Date.now() - sentAt > patienceMs) throw new Error(`${delivery.key} to ${delivery.to} was never taken in`)
      counts.repeated += 1
      await delay(chance.between(10, 60))
    }
  }

  function deliveryOf(key: string, chance: Dice): Delivery {
    const to: ActorAddress = `task:${Math.floor(chance.next() ** 2 * settings.tasks)}`
    const type = chance.weighted({ noted: 4, asked: 2, askedInOrder: 1, told: 2, later: 1 })
    const more: Record<typeof type, object> = {
      noted: {},
      asked: {},
      askedInOrder: {},
      told: { partner: `pod:${Math.floor(chance.next() * settings.pods)}` },
      later: { ms: Math.floor(chance.between(20, 600)) },
    }
    return { to, key, event: { type, at: Date.now(), note: key, ...more[type] } as MachineEvent }
  }

  return {
    counts,
    async stop() {
      stopped.isStopped = true
      await all
    },
  }
}
