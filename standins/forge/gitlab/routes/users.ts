import type { User } from '../../store/records.ts'
import { Refusal } from '../../store/refusal.ts'
import { numberParam } from '../../rest.ts'
import type { Route } from '../call.ts'
import { listAnswer } from '../paging.ts'
import { fullUserPayload, userPayload } from '../payloads/common.ts'

/** The release whose answers these are like; clients decide by it what they may ask for. */
const VERSION = '18.6.0'

export const userRoutes: readonly Route[] = [
  {
    method: 'GET',
    needsUser: true,
    path: '/user',
    run: (call) => ({
      body: { ...fullUserPayload(call.links, call.writer.user), email: call.writer.user.email, is_admin: false },
    }),
  },
  {
    method: 'GET',
    needsUser: true,
    path: '/users',
    run(call) {
      const wanted = call.query.username?.toLowerCase()
      const found = people([...call.world.users.values()]).filter(
        (user) => wanted === undefined || user.login.toLowerCase() === wanted,
      )
      return listAnswer(call, found, (user) => userPayload(call.links, user))
    },
  },
  {
    method: 'GET',
    needsUser: true,
    path: '/users/:user',
    run(call) {
      const user = people([...call.world.users.values()]).find((one) => one.id === numberParam(call, 'user'))
      if (!user) throw new Refusal('not-found')
      return { body: fullUserPayload(call.links, user) }
    },
  },
  {
    method: 'GET',
    needsUser: true,
    path: '/personal_access_tokens/self',
    run: ({ writer }) => ({
      body: {
        id: writer.user.id,
        name: 'token',
        revoked: false,
        created_at: writer.user.createdAt,
        description: null,
        scopes: writer.cap === 'read' ? ['read_api'] : ['api', 'read_repository', 'write_repository'],
        user_id: writer.user.id,
        last_used_at: null,
        active: true,
        expires_at: null,
      },
    }),
  },
  {
    method: 'GET',
    needsUser: true,
    path: '/version',
    run: () => ({ body: { version: VERSION, revision: 'local' } }),
  },
]

/** Nested groups own repositories and are nobody's account. */
function people(users: readonly User[]): User[] {
  return users.filter((user) => !user.login.includes('/'))
}
