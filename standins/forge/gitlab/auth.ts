import { tokenOf } from '../github/auth.ts'
import type { Actor } from '../store/records.ts'
import { actorOf, type World } from '../store/world.ts'
import { HttpRefusal } from '../rest.ts'

interface TokenHeaders {
  readonly authorization?: string | undefined
  readonly 'private-token'?: string | string[] | undefined
}

/** Whose token it is; undefined without one. A token that nobody has is refused, even where none would do. */
export function authenticate(world: World, headers: TokenHeaders): Actor | undefined {
  const token = presented(headers)
  if (token === undefined) return undefined
  const actor = actorOf(world, token)
  if (!actor) throw new HttpRefusal(401, '401 Unauthorized')
  return actor
}

/** `PRIVATE-TOKEN`, or a bearer of `Authorization`. */
function presented(headers: TokenHeaders): string | undefined {
  if (headers['private-token'] !== undefined) return String(headers['private-token'])
  return headers.authorization === undefined ? undefined : (tokenOf(headers.authorization) ?? '')
}
