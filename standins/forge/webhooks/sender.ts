import { randomUUID } from 'node:crypto'
import type { FaultBoard } from '../faults.ts'
import type { Hook, Repository } from '../store/records.ts'

/** One event as a dialect has worded it, still unsigned. */
export interface Message {
  readonly event: string
  readonly action: string | undefined
  readonly payload: unknown
}

export interface Attempt {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Delivery {
  readonly id: number
  /** Stable over redeliveries: what receivers tell repeats by. */
  readonly guid: string
  readonly hook: Hook
  readonly repository: Repository
  readonly message: Message
  readonly redelivery: boolean
  deliveredAt: string
  durationMs: number
  status: 'pending' | 'delivered' | 'failed' | 'dropped'
  statusText: string
  statusCode: number
  request: Attempt
  response: { readonly headers: Readonly<Record<string, string>>; readonly body: string }
}

export interface SenderOptions {
  readonly faults: FaultBoard
  readonly nextId: () => number
  /** Headers, signature and body in the dialect's own way. */
  readonly sign: (hook: Hook, guid: string, message: Message) => Attempt
  readonly now: () => number
  /** A delivery is new, or has ended. */
  readonly changed: () => void
  /** It was tried to the end. */
  readonly ended: (delivery: Delivery) => void
}

export interface Sender {
  /** Takes over the deliveries of an earlier start; those that had not been tried to the end are tried now. */
  resume(deliveries: readonly Delivery[]): void
  send(repository: Repository, hook: Hook, message: Message): Delivery
  redeliver(delivery: Delivery): Delivery
  deliveries(hook?: Hook): readonly Delivery[]
  idle(): Promise<void>
  close(): Promise<void>
}

/** GitHub's: an endpoint that takes longer counts as failed. There is no second try but by hand. */
const TIMEOUT_MS = 10_000
/** A reordered delivery that nothing follows is sent all the same. */
const HOLD_MS = 1_000
const SHOWN_RESPONSE = 4_096

/** Sends in order, one at a time per hook; every attempt is kept, so that what was missed can be asked for again. */
export function createSender(options: SenderOptions): Sender {
  const all: Delivery[] = []
  const tails = new Map<number, Promise<void>>()
  const held = new Map<number, { flush: () => void }>()
  const late = new Set<Promise<void>>()
  const stop = new AbortController()

  function send(repository: Repository, hook: Hook, message: Message): Delivery {
    const delivery = note(repository, hook, message, randomUUID(), false)
    const fault = options.faults.strikeDelivery(message.event, message.action)
    if (fault?.kind === 'drop') {
      Object.assign(delivery, { status: 'dropped', statusText: 'failed to connect to host' })
      return delivery
    }
    if (fault?.kind === 'delay') later(fault.delayMs ?? 500, () => queue(delivery))
    else if (fault?.kind === 'reorder') hold(delivery, fault.delayMs ?? HOLD_MS)
    else {
      queue(delivery)
      if (fault?.kind === 'duplicate') queue(note(repository, hook, message, delivery.guid, false))
      held.get(hook.id)?.flush()
    }
    return delivery
  }

  function note(repository: Repository, hook: Hook, message: Message, guid: string, redelivery: boolean): Delivery {
    const delivery: Delivery = {
      id: options.nextId(),
      guid,
      hook,
      repository,
      message,
      redelivery,
      deliveredAt: new Date(options.now()).toISOString(),
      durationMs: 0,
      status: 'pending',
      statusText: 'pending',
      statusCode: 0,
      request: options.sign(hook, guid, message),
      response: { headers: {}, body: '' },
    }
    all.push(delivery)
    options.changed()
    return delivery
  }

  function queue(delivery: Delivery): void {
    const before = tails.get(delivery.hook.id) ?? Promise.resolve()
    tails.set(
      delivery.hook.id,
      before.then(() => tryOnce(delivery)),
    )
  }

  async function tryOnce(delivery: Delivery): Promise<void> {
    await attempt(delivery, options.now, stop.signal)
    if (delivery.status !== 'pending') options.ended(delivery)
    options.changed()
  }

  function hold(delivery: Delivery, ms: number): void {
    held.get(delivery.hook.id)?.flush()
    let open = true
    const flush = (): void => {
      if (!open) return
      open = false
      held.delete(delivery.hook.id)
      queue(delivery)
    }
    held.set(delivery.hook.id, { flush })
    later(ms, flush)
  }

  function later(ms: number, act: () => void): void {
    const done = new Promise<void>((resolve) => {
      const timer = setTimeout(finish, ms)
      stop.signal.addEventListener('abort', finish)
      function finish(): void {
        clearTimeout(timer)
        stop.signal.removeEventListener('abort', finish)
        if (!stop.signal.aborted) act()
        resolve()
      }
    })
    late.add(done)
    void done.then(() => late.delete(done))
  }

  async function idle(): Promise<void> {
    for (const flushable of held.values()) flushable.flush()
    await Promise.all(late)
    const waited = [...tails.values()]
    await Promise.all(waited)
    if ([...tails.values()].some((tail) => !waited.includes(tail))) await idle()
  }

  return {
    resume(deliveries) {
      all.push(...deliveries)
      for (const delivery of deliveries) if (delivery.status === 'pending') queue(delivery)
    },
    send,
    redeliver(delivery) {
      const again = note(delivery.repository, delivery.hook, delivery.message, delivery.guid, true)
      queue(again)
      return again
    },
    deliveries: (hook) => all.filter((delivery) => hook === undefined || delivery.hook === hook),
    idle,
    async close() {
      stop.abort()
      await Promise.all([...late, ...tails.values()])
    },
  }
}

async function attempt(delivery: Delivery, now: () => number, stop: AbortSignal): Promise<void> {
  const started = performance.now()
  delivery.deliveredAt = new Date(now()).toISOString()
  try {
    const { headers, body } = delivery.request
    const response = await fetch(delivery.hook.url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    const text = (await response.text()).slice(0, SHOWN_RESPONSE)
    Object.assign(delivery, {
      status: response.ok ? 'delivered' : 'failed',
      statusText: response.ok ? 'OK' : `Invalid HTTP Response: ${response.status}`,
      statusCode: response.status,
      response: { headers: Object.fromEntries(response.headers), body: text },
    })
  } catch (error) {
    // The forge ends, the receiver has not: the next start tries it again, under the same id.
    if (stop.aborted) return
    const timedOut = error instanceof Error && error.name === 'TimeoutError'
    Object.assign(delivery, {
      status: 'failed',
      statusText: timedOut ? 'timed out' : 'failed to connect to host',
      statusCode: 0,
    })
  }
  delivery.durationMs = Math.round(performance.now() - started)
  delivery.hook.lastResponse = {
    code: delivery.statusCode || null,
    status: delivery.status === 'delivered' ? 'active' : 'unused',
    message: delivery.statusText,
  }
}
