/** Tickets, each of which opens one browser session (INSPECTOR-RULE-2): whoever may ask for a link may look. They live in memory. */
import type { Clock, Ids } from '../../../http/ports.ts'
import { Expiring } from './expiring.ts'

/** Long enough to find the line in the terminal, short enough that a log kept for later opens nothing. */
const TICKET_LIFETIME_MS = 10 * 60_000

export interface Tickets {
  /** A ticket that opens one session within ten minutes, named after `askedBy`, the subject of whoever asked for the link. */
  mint(askedBy?: string): string
  /** Nothing, where the ticket is not good or nobody asked for its link: the log of a start prints one. */
  askedBy(ticket: string): string | undefined
  /** Whether the ticket was good, which it is once. */
  redeem(ticket: string): boolean
}

interface TicketsOptions {
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Ids
}

export function createTickets({ clock, ids }: TicketsOptions): Tickets {
  const tickets = new Expiring<string>(clock, TICKET_LIFETIME_MS)
  return {
    // Two ids of the runtime hold 160 random bits.
    mint: (askedBy) => tickets.add(`${ids.next()}${ids.next()}`, askedBy),
    askedBy: (ticket) => tickets.valueOf(ticket),
    redeem: (ticket) => tickets.remove(ticket),
  }
}
