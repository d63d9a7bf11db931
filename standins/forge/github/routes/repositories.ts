import { effectivePermission, may, permissionOf } from '../../store/permissions.ts'
import type { Permission, Repository } from '../../store/records.ts'
import { Refusal } from '../../store/refusal.ts'
import { collaborators } from '../../store/repositories.ts'
import { requireUser } from '../../store/world.ts'
import type { Call, Route } from '../call.ts'
import { HttpRefusal } from '../../rest.ts'
import { listAnswer } from '../paging.ts'
import { rootPayload } from '../payloads/addresses.ts'
import {
  fullRepositoryPayload,
  fullUserPayload,
  listedRepositoryPayload,
  repositoryPayload,
  userPayload,
  type Json,
} from '../payloads/common.ts'

/** The older word, which knows neither triage nor maintain. */
const LEGACY: Readonly<Record<Permission, string>> = {
  none: 'none',
  read: 'read',
  triage: 'read',
  write: 'write',
  maintain: 'write',
  admin: 'admin',
}

export const repositoryRoutes: readonly Route[] = [
  { method: 'GET', path: '/', run: ({ links }) => ({ body: rootPayload(links.api, links.web) }) },
  {
    method: 'GET',
    path: '/user',
    run(call) {
      if (!call.actor) throw new HttpRefusal(401, 'Requires authentication')
      return { body: fullUserPayload(call.links, call.actor.user) }
    },
  },
  {
    method: 'GET',
    path: '/users/:login',
    run: (call) => ({ body: fullUserPayload(call.links, requireUser(call.world, call.params.login ?? '')) }),
  },
  {
    method: 'GET',
    path: '/user/repos',
    run(call) {
      if (!call.actor) throw new HttpRefusal(401, 'Requires authentication')
      return listAnswer(call, mine(call), (one) =>
        listedRepositoryPayload(call.links, one, effectivePermission(one, call.actor)),
      )
    },
  },
  {
    method: 'GET',
    path: '/users/:login/repos',
    run: (call) =>
      listAnswer(
        call,
        mine(call).filter((one) => one.owner.login.toLowerCase() === call.params.login?.toLowerCase()),
        (one) => repositoryPayload(call.links, one),
      ),
  },
  {
    method: 'GET',
    path: '/repos/:owner/:repo',
    run: (call) => ({
      body: fullRepositoryPayload(call.links, call.repository, effectivePermission(call.repository, call.actor)),
    }),
  },
  {
    method: 'GET',
    path: '/repos/:owner/:repo/collaborators',
    run(call) {
      demandPush(call)
      return listAnswer(call, collaborators(call.world, call.repository), ({ login, permission }) => ({
        ...userPayload(call.links, requireUser(call.world, login)),
        role_name: permission,
      }))
    },
  },
  {
    method: 'GET',
    path: '/repos/:owner/:repo/collaborators/:login',
    run(call) {
      demandPush(call)
      const known = collaborators(call.world, call.repository).some(
        (one) => one.login.toLowerCase() === call.params.login?.toLowerCase(),
      )
      if (!known) throw new Refusal('not-found')
      return { status: 204 }
    },
  },
  {
    method: 'GET',
    path: '/repos/:owner/:repo/collaborators/:login/permission',
    run(call) {
      demandPush(call)
      return { body: permissionPayload(call) }
    },
  },
]

function mine(call: Call): Repository[] {
  return [...call.world.repositories.values()].filter((one) => may(one, call.actor, 'read'))
}

function demandPush(call: Call): void {
  if (!may(call.repository, call.actor, 'write')) throw new Refusal('push-only')
}

function permissionPayload(call: Call): Json {
  const user = requireUser(call.world, call.params.login ?? '')
  const permission = permissionOf(call.repository, user)
  return {
    permission: LEGACY[permission],
    role_name: permission,
    user: { ...userPayload(call.links, user), role_name: permission },
  }
}
