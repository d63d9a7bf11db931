/**
 * Browser sessions (INSPECTOR-RULE-2). A session is a signed text that its browser keeps, so an open page goes on after a
 * restart and at every replica. It gives the right to look and no other, whoever it is of.
 */
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { signHmac, verifyHmac } from '../../../http/auth/hmac.ts'
import type { Clock } from '../../../http/ports.ts'

/** `issuer` of a session by a link: no identity provider proved who opened it. */
export const byTicket = 'ticket'

const Session = Type.Object({
  subject: Type.String(),
  issuer: Type.String(),
  /** On the forge, as the provider's token said: it filters the board and gives no right (INSPECTOR-9). */
  login: Type.Optional(Type.String()),
  endsAt: Type.Number(),
})
export type Session = Readonly<Static<typeof Session>>

export interface Sessions {
  open(person: Omit<Session, 'endsAt'>): string
  /** Nothing, where the text is none of ours or its session is over. */
  read(text: string): Session | undefined
}

interface SessionsOptions {
  readonly clock: Pick<Clock, 'now'>
  /** All replicas have the same one. It signs nothing but what this folder gives to browsers. */
  readonly key: string
  readonly lifetimeMs: number
}

export function createSessions({ clock, key, lifetimeMs }: SessionsOptions): Sessions {
  return {
    open(person) {
      const session: Session = { ...person, endsAt: clock.now() + lifetimeMs }
      const content = Buffer.from(JSON.stringify(session)).toString('base64url')
      return `${content}.${signHmac(key, signed(content))}`
    },
    read(text) {
      const [content = '', signature] = text.split('.')
      if (!verifyHmac(key, signed(content), signature)) return undefined
      const session: unknown = JSON.parse(Buffer.from(content, 'base64url').toString())
      return Value.Check(Session, session) && session.endsAt > clock.now() ? session : undefined
    },
  }
}

/** The same key signs attempts to sign in: neither may stand for the other. */
function signed(content: string): string {
  return `session ${content}`
}
