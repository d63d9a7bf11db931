import type { FastifyRequest } from 'fastify'
import { principalOf } from '../http/auth/authenticate.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Logger } from '../runtime/logger.ts'

/** One business action that was done, or accepted. */
export interface Action {
  readonly action: string
  readonly resourceId: string
  /** When the request was taken up, or the job's work began, by the deps' clock. */
  readonly startedAt: number
  /** Sizes and counts; never content. */
  readonly more?: Readonly<Record<string, string | number | boolean | null>>
}

/** Who asked for an action, and in which request. */
interface Requester {
  readonly user: string
  readonly requestId: string
}

/** Writes one line of the action log, at INFO (MEMORY-LOG-1). */
export type LogAction = (request: FastifyRequest, action: Action) => void

/** The same, of work that goes on after its request was answered. */
export type LogActionFor = (by: Requester, action: Action) => void

export function actionLog(clock: Pick<Clock, 'now'>): LogAction {
  return (request, action) => {
    const by = { user: principalOf(request).subject, requestId: request.id }
    request.log.info(lineOf(clock, by, action), 'action')
  }
}

export function actionLogFor(clock: Pick<Clock, 'now'>, logger: Logger): LogActionFor {
  return (by, action) => logger.info(lineOf(clock, by, action), 'action')
}

function lineOf(
  clock: Pick<Clock, 'now'>,
  { user, requestId }: Requester,
  { action, resourceId, startedAt, more = {} }: Action,
): object {
  return {
    ...more,
    action,
    request_id: requestId,
    user,
    resource_id: resourceId,
    duration_ms: clock.now() - startedAt,
  }
}
