/**
 * Tickets and the browser sessions that they open (INSPECTOR-RULE-2): whoever may ask for a link may look.
 * Both live in memory: a restart ends every session, and `statewright inspector` prints a new link.
 */
import { constantTimeEqual } from '../../http/auth/hmac.ts'
import type { Clock, Ids } from '../../http/ports.ts'

/** Long enough to find the line in the terminal, short enough that a log kept for later opens nothing. */
export const TICKET_LIFETIME_MS = 10 * 60_000
export const SESSION_LIFETIME_MS = 12 * 60 * 60_000
/** The oldest goes first: a program that mints in a loop fills no memory. */
const mostKept = 1000

export interface Tickets {
  /** A ticket that opens one session within ten minutes. */
  mint(): string
  /** The id of a new session, or nothing when the ticket is unknown, used or too old. */
  redeem(ticket: string): string | undefined
  isSession(id: string): boolean
}

export function createTickets({ clock, ids }: { readonly clock: Clock; readonly ids: Ids }): Tickets {
  const tickets = new Expiring(clock, TICKET_LIFETIME_MS)
  const sessions = new Expiring(clock, SESSION_LIFETIME_MS)
  // Two ids of the runtime hold 160 random bits.
  const add = (to: Expiring): string => to.add(`${ids.next()}${ids.next()}`)
  return {
    mint: () => add(tickets),
    redeem: (ticket) => (tickets.remove(ticket) ? add(sessions) : undefined),
    isSession: (id) => sessions.has(id),
  }
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
