import type { Actor } from '../store/records.ts'
import { actorOf, type World } from '../store/world.ts'
import { HttpRefusal } from '../rest.ts'

/** Whose token it is; undefined without one. A token that nobody has is refused, even where none would do. */
export function authenticate(world: World, authorization: string | undefined): Actor | undefined {
  if (authorization === undefined) return undefined
  const token = tokenOf(authorization)
  const actor = token === undefined ? undefined : actorOf(world, token)
  if (!actor) throw new HttpRefusal(401, 'Bad credentials')
  return actor
}

/** `token X` and `Bearer X`; of Basic the password, or the name where a client puts the token there. */
export function tokenOf(authorization: string): string | undefined {
  const [, scheme = '', value = ''] = /^(\S+)\s+(.+)$/.exec(authorization) ?? []
  if (/^(token|bearer)$/i.test(scheme)) return value
  if (!/^basic$/i.test(scheme)) return undefined
  const [name = '', ...password] = Buffer.from(value, 'base64').toString().split(':')
  return password.join(':') || name
}
