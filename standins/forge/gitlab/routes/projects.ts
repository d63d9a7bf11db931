import { collaborators } from '../../store/repositories.ts'
import { requireUser } from '../../store/world.ts'
import { HttpRefusal, numberParam } from '../../rest.ts'
import type { Call, Route } from '../call.ts'
import { listAnswer } from '../paging.ts'
import { memberPayload, projectPayload } from '../payloads/projects.ts'
import type { User } from '../../store/records.ts'

const PROJECT = '/projects/:id'

export const projectRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: PROJECT,
    run: (call) => ({ body: projectPayload(call.links, call.repository, call.actor) }),
  },
  ...['members', 'members/all'].map((members): Route => ({
    method: 'GET',
    path: `${PROJECT}/${members}`,
    run: (call) => listAnswer(call, membersOf(call), (user) => memberPayload(call.links, call.repository, user)),
  })),
  ...['members', 'members/all'].map((members): Route => ({
    method: 'GET',
    path: `${PROJECT}/${members}/:user`,
    run(call) {
      const user = membersOf(call).find((member) => member.id === numberParam(call, 'user'))
      if (!user) throw new HttpRefusal(404, '404 Not found')
      return { body: memberPayload(call.links, call.repository, user) }
    },
  })),
]

function membersOf(call: Call): User[] {
  return collaborators(call.world, call.repository).map(({ login }) => requireUser(call.world, login))
}
