/**
 * `POST /operations/pause` and `/operations/resume`: an operator withholds all admission of a Project, and gives it back
 * (QUEUE-10). It grants nothing: what was not admitted before waits as it did. The queue's journal keeps who and why.
 */
import { Type } from 'typebox'
import type { HttpApp } from '../../http/app.ts'
import { principalOf } from '../../http/auth/authenticate.ts'
import { Problem } from '../../http/problems/problem.ts'
import { addressOf } from '../../runtime/address.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { OperatorReason } from './operator-reason.ts'
import { idOfName } from '../../crd/resource-id.ts'

interface ProjectVerbsDeps {
  readonly runtime: Pick<Runtime, 'deliver' | 'read'>
  readonly clock: Pick<Clock, 'now'>
}

const Body = Type.Object(
  { project: Type.String({ minLength: 1, maxLength: 512 }), reason: OperatorReason },
  { additionalProperties: false },
)

const verbs = [
  ['pause', 'queue.paused', 'Admit no pod of a Project until somebody resumes it'],
  ['resume', 'queue.resumed', 'Take an operator’s pause of a Project back'],
] as const

export function projectVerbRoutes(app: HttpApp, { runtime, clock }: ProjectVerbsDeps): void {
  for (const [verb, type, summary] of verbs)
    app.post(`/operations/${verb}`, { schema: { body: Body, summary } }, async (request) => {
      const { project, reason } = request.body
      const id = idOfName(project)
      const to = addressOf('queue', id)
      const there = await runtime.read(to)
      if ((await runtime.read(addressOf('project', id))) === undefined || there === undefined)
        throw new Problem('not-found', `there is no Project ${project}`)
      const by = principalOf(request).subject
      await runtime.deliver({ to, key: `operator/${request.id}`, event: { type, at: clock.now(), by, reason } })
      const { pausedBy, maxConcurrentAgents, entries } = ((await runtime.read(to)) ?? there).context
      const waiting = entries.filter(({ admittedAt }) => admittedAt === null).length
      return { project: id, pausedBy, maxConcurrentAgents, waiting, running: entries.length - waiting }
    })
}
