/** The token endpoint as a public client asks it: errors are data, because device logins are told by them. */
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import type { Clock, Fetch } from '../../http/ports.ts'
import { withDeadline } from '../../http/deadline.ts'

const Granted = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  expires_in: Type.Optional(Type.Number({ minimum: 0 })),
  refresh_token: Type.Optional(Type.String({ minLength: 1 })),
})
export type Granted = Static<typeof Granted>

const Refused = Type.Object({ error: Type.String(), error_description: Type.Optional(Type.String()) })

export type TokenAnswer = { readonly granted: Granted } | { readonly refused: string; readonly why: string }

const answerMs = 10_000

export async function askForToken(
  tokenUrl: string,
  form: Readonly<Record<string, string>>,
  { fetch, clock }: { readonly fetch: Fetch; readonly clock: Clock },
): Promise<TokenAnswer> {
  return withDeadline(clock, answerMs, async (signal) => {
    const answer = await fetch(tokenUrl, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
      redirect: 'error',
      signal,
    })
    const value: unknown = await answer.json().catch(() => undefined)
    if (answer.ok && Value.Check(Granted, value)) return { granted: value }
    if (Value.Check(Refused, value)) return { refused: value.error, why: value.error_description ?? value.error }
    throw new Error(`${new URL(tokenUrl).origin} answered ${answer.status} and no token`)
  })
}

/** A provider that doesn't say how long a token lives (RFC 6749 only recommends it). */
const assumedLifeSeconds = 60

export function expiryOf({ expires_in = assumedLifeSeconds }: Granted, askedAt: number): number {
  return askedAt + expires_in * 1000
}
