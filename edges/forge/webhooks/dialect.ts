import type { IncomingHttpHeaders } from 'node:http'
import type { ForgeChange } from '../change.ts'

/** One provider's way of sending events. Nothing here has a side effect. */
export interface WebhookDialect {
  /** The text that names the event's type, from the headers. */
  eventOf(headers: IncomingHttpHeaders): string
  /** What makes a second delivery a duplicate; undefined when the sender gave none (WEBHOOK-RULE-1). */
  deliveryOf(headers: IncomingHttpHeaders, body: Buffer): string | undefined
  /** Constant time over the received bytes. `now` in epoch milliseconds: a signature may be good for a while only. */
  verify(secret: string, headers: IncomingHttpHeaders, body: Buffer, now: number): boolean
  /** Whether anything here listens to events of this type. */
  handles(event: string): boolean
  isPing(event: string): boolean
  /**
   * What may be kept of a payload, for a Project that wants nothing of what the forge shows to members alone
   * (PROJECT-SCM-22): that something happened, without its words. Absent: this forge hides no issue.
   */
  conceal?(event: string, payload: unknown): unknown
  /** The change that a payload tells of, undefined when its action concerns nobody. Throws `MalformedPayloadError`. */
  changeOf(event: string, payload: unknown): ForgeChange | undefined
}

/** The payload is not what its event type promises. */
export class MalformedPayloadError extends Error {
  override readonly name = 'MalformedPayloadError'
}
