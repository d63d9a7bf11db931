import type { ActorStatus } from '../rows.ts'

export interface ActorQuery {
  /** Addresses that begin with it. */
  readonly prefix: string
  readonly status: ActorStatus | undefined
  readonly after: string
  readonly limit: number
}

/** Sorts behind every text that goes on from the prefix. */
export const lastCharacter = '\u{10ffff}'

/** As SQL, not as a parameter: a server that plans a prepared statement without its values then knows that `actor_live` has them all. */
export const ofStatus: Readonly<Record<ActorStatus | 'any', string>> = {
  active: ` and status = 'active'`,
  done: ` and status = 'done'`,
  quarantined: ` and status = 'quarantined'`,
  any: '',
}
