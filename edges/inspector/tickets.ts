/**
 * Tickets and the browser sessions that they open (INSPECTOR-RULE-2): whoever may ask for a link may look.
 * Tickets live in memory. A session is a signed text, so an open page goes on after a restart and at every replica.
 */
import { constantTimeEqual, signHmac, verifyHmac } from '../../http/auth/hmac.ts'
import type { Clock, Ids } from '../../http/ports.ts'

/** Long enough to find the line in the terminal, short enough that a log kept for later opens nothing. */
const TICKET_LIFETIME_MS = 10 * 60_000
const SESSION_LIFETIME_MS = 12 * 60 * 60_000
/** The oldest goes first: a program that mints in a loop fills no memory. */
const mostKept = 1000

export interface Tickets {
  /** A ticket that opens one session within ten minutes. */
  mint(): string
  /** The text of a new session, or nothing when the ticket is unknown, used or too old. */
  redeem(ticket: string): string | undefined
  isSession(text: string): boolean
}

export interface TicketsOptions {
  readonly clock: Clock
  readonly ids: Ids
  /** Signs sessions; all replicas have the same one, and it serves nothing else. */
  readonly sessionKey: string
}

export function createTickets({ clock, ids, sessionKey }: TicketsOptions): Tickets {
  const tickets = new Expiring(clock, TICKET_LIFETIME_MS)
  return {
    // Two ids of the runtime hold 160 random bits.
    mint: () => tickets.add(`${ids.next()}${ids.next()}`),
    redeem: (ticket) => (tickets.remove(ticket) ? newSession(sessionKey, clock.now()) : undefined),
    isSession: (text) => isSession(sessionKey, text, clock.now()),
  }
}

/** `<end>.<signature>`: epoch milliseconds, and what only the owner of the key can write below them. */
function newSession(key: string, now: number): string {
  const end = String(now + SESSION_LIFETIME_MS)
  return `${end}.${signHmac(key, end)}`
}

function isSession(key: string, text: string, now: number): boolean {
  const [end = '', signature] = text.split('.')
  return verifyHmac(key, end, signature) && Number(end) > now
}

class Expiring {
  readonly #clock: Clock
  readonly #lifetimeMs: number
  #entries: readonly { readonly text: string; readonly endsAt: number }[] = []

  constructor(clock: Clock, lifetimeMs: number) {
    this.#clock = clock
    this.#lifetimeMs = lifetimeMs
  }

  add(text: string): string {
    this.#entries = [...this.#live(), { text, endsAt: this.#clock.now() + this.#lifetimeMs }].slice(-mostKept)
    return text
  }

  has(text: string): boolean {
    return this.#live().some((entry) => constantTimeEqual(entry.text, text))
  }

  remove(text: string): boolean {
    const isThere = this.has(text)
    this.#entries = this.#live().filter((entry) => !constantTimeEqual(entry.text, text))
    return isThere
  }

  #live(): readonly { readonly text: string; readonly endsAt: number }[] {
    const now = this.#clock.now()
    return this.#entries.filter(({ endsAt }) => endsAt > now)
  }
}
