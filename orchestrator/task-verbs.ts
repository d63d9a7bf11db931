/**
 * `POST /operations/retry` and `/operations/cancel`: an operator's own word for a Task (INSPECTOR-RULE-3), the only one for
 * a Task without a thread on the forge: a maintainer has no place to say `/retry` or `/cancel` for a brainstorm, a refine, an
 * incident, or a batch that opened no merge request.
 */
import { Type } from 'typebox'
import type { HttpApp } from '../http/app.ts'
import { principalOf } from '../http/auth/authenticate.ts'
import { Problem } from '../http/problem.ts'
import type { TaskContext } from '../machines/task/context.ts'
import { addressOf } from '../runtime/address.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Clock } from '../runtime/clock.ts'
import { idOfName } from './resource-id.ts'

export interface TaskVerbsDeps {
  readonly runtime: Pick<Runtime, 'deliver' | 'read'>
  readonly clock: Pick<Clock, 'now'>
}

const Body = Type.Object({ task: Type.String({ minLength: 1, maxLength: 512 }) }, { additionalProperties: false })

const verbs = [
  ['retry', 'task.retry', 'Let a parked Task go on'],
  ['cancel', 'task.close', 'End a Task'],
] as const

export function taskVerbRoutes(app: HttpApp, { runtime, clock }: TaskVerbsDeps): void {
  for (const [verb, type, summary] of verbs)
    app.post(`/operations/${verb}`, { schema: { body: Body, summary } }, async (request) => {
      const { task } = request.body
      const to = addressOf('task', idOfName(task))
      const before = await runtime.read(to)
      if (before === undefined) throw new Problem('not-found', `there is no Task ${task}`)
      if (before.status === 'done') throw new Problem('task-terminal', `the Task ${task} has ended`)
      const by = principalOf(request).subject
      await runtime.deliver({ to, key: `operator/${request.id}`, event: { type, at: clock.now(), by } })
      const { name: stage, reason: stageReason } = (
        ((await runtime.read(to)) ?? before).context as unknown as TaskContext
      ).stage
      return { stage, stageReason }
    })
}
