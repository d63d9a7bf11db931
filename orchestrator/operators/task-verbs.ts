/**
 * `POST /operations/retry`, `/operations/cancel` and `/operations/hold`: an operator's own word for a Task (INSPECTOR-RULE-3).
 * Retry and cancel are the only ones for a Task without a thread on the forge: a maintainer has no place to say `/retry` or
 * `/cancel` for a brainstorm, a refine, an incident, or a batch that opened no merge request. A hold withholds (PARK-14).
 */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { HttpApp } from '../../http/app.ts'
import { principalOf } from '../../http/auth/authenticate.ts'
import { Problem } from '../../http/problems/problem.ts'
import { addressOf } from '../../runtime/address.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Clock } from '../../runtime/clock.ts'
import { OperatorReason } from './operator-reason.ts'
import { idOfName } from '../../crd/resource-id.ts'

interface TaskVerbsDeps {
  readonly runtime: Pick<Runtime, 'deliver' | 'read'>
  readonly clock: Pick<Clock, 'now'>
}

const Task = { task: Type.String({ minLength: 1, maxLength: 512 }) }
const Body = Type.Object(Task, { additionalProperties: false })
const HoldBody = Type.Object({ ...Task, reason: OperatorReason }, { additionalProperties: false })

const verbs = [
  ['retry', 'task.retry', 'Let a parked Task go on'],
  ['cancel', 'task.close', 'End a Task'],
] as const

export function taskVerbRoutes(app: HttpApp, deps: TaskVerbsDeps): void {
  for (const [verb, type, summary] of verbs)
    app.post(`/operations/${verb}`, { schema: { body: Body, summary } }, (request) =>
      order(deps, request, request.body.task, { type }),
    )
  const summary = 'Take a Task out of work until somebody retries it'
  app.post('/operations/hold', { schema: { body: HoldBody, summary } }, async (request) => {
    const { task, reason } = request.body
    const standing = await order(deps, request, task, { type: 'task.hold', reason })
    if (standing.stageReason === 'held') return standing
    throw new Problem('conflict', `the Task ${task} is at ${standing.stage}, which takes no hold`)
  })
}

interface Standing {
  readonly stage: string
  readonly stageReason: string | null
}

/** Once a request; returns where the Task stands then. */
async function order(
  { runtime, clock }: TaskVerbsDeps,
  request: FastifyRequest,
  task: string,
  word: { readonly type: string; readonly reason?: string },
): Promise<Standing> {
  const to = addressOf('task', idOfName(task))
  const before = await runtime.read(to)
  if (before === undefined) throw new Problem('not-found', `there is no Task ${task}`)
  const anew = word.type === 'task.retry' ? ": on its open issue a maintainer's /retry starts a new one" : ''
  if (before.status === 'done') throw new Problem('task-terminal', `the Task ${task} has ended${anew}`)
  const by = principalOf(request).subject
  await runtime.deliver({ to, key: `operator/${request.id}`, event: { ...word, at: clock.now(), by } })
  const { stage } = ((await runtime.read(to)) ?? before).context
  return { stage: stage.name, stageReason: stage.reason }
}
