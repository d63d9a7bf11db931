/** The forge's deliveries: each is recorded and tried once, and again when it is asked for; the way there is the seed's. */
import { noteOutcome } from '../../standins/forge/store/hooks.ts'
import type { Hook, Repository } from '../../standins/forge/store/records.ts'
import type { Attempt, Delivery, Message, Sender } from '../../standins/forge/webhooks/sender.ts'

/** Carries a delivery. */
export type Carry = (attempt: Attempt & { readonly url: string; readonly event: string }) => Journey

export interface Journey {
  /** It will never arrive. */
  readonly isLost: boolean
  /** undefined: nobody has answered. */
  readonly answer: Promise<number | undefined>
}

export interface SenderOptions {
  readonly nextId: () => number
  readonly sign: (hook: Hook, guid: string, message: Message) => Attempt
  readonly carry: Carry
  readonly now: () => number
  /** The time, as forges show it. */
  readonly at: () => string
}

export function createSender({ nextId, sign, carry, now, at }: SenderOptions): Sender {
  const all: Delivery[] = []

  function note(repository: Repository, hook: Hook, message: Message, guid: string, redelivery: boolean): Delivery {
    const delivery: Delivery = {
      id: nextId(),
      guid,
      hook,
      repository,
      message,
      redelivery,
      deliveredAt: at(),
      durationMs: 1,
      status: 'pending',
      statusText: 'pending',
      statusCode: 0,
      request: sign(hook, guid, message),
      response: { headers: {}, body: '' },
    }
    all.push(delivery)
    const { isLost, answer } = carry({ ...delivery.request, url: hook.url, event: message.event })
    // GitLab answers a resend when its receiver has answered. Nothing goes on here while the forge is asked: so it counts as there.
    if (hook.dialect === 'gitlab' && !isLost) delivery.status = 'delivered'
    void answer.then((status) => {
      const isDelivered = status !== undefined && status < 300
      if (hook.dialect === 'gitlab') noteOutcome(hook, now(), status ?? 0)
      const statusText = isDelivered ? 'OK' : 'failed to connect to host'
      Object.assign(delivery, { status: isDelivered ? 'delivered' : 'failed', statusText, statusCode: status ?? 0 })
    })
    return delivery
  }

  return {
    resume: () => undefined,
    send: (repository, hook, message) =>
      note(repository, hook, message, `00000000-0000-4000-8000-${String(all.length + 1).padStart(12, '0')}`, false),
    redeliver: ({ repository, hook, message, guid }) => note(repository, hook, message, guid, true),
    deliveries: (hook) => all.filter((delivery) => hook === undefined || delivery.hook === hook),
    idle: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}
