import type { FastifyRequest } from 'fastify'
import { principalOf } from '../http/auth/authenticate.ts'
import type { Clock } from '../runtime/clock.ts'

/** One business action that was done, or accepted. */
export interface Action {
  readonly action: string
  readonly resourceId: string
  /** When the request was taken up, by the deps' clock. */
  readonly startedAt: number
  /** Sizes and counts; never content. */
  readonly more?: Readonly<Record<string, string | number | boolean | null>>
}

/** Writes one line of the action log, at INFO (MEMORY-LOG-1). */
export type LogAction = (request: FastifyRequest, action: Action) => void

export function actionLog(clock: Pick<Clock, 'now'>): LogAction {
  return (request, { action, resourceId, startedAt, more = {} }) =>
    request.log.info(
      {
        ...more,
        action,
        request_id: request.id,
        user: principalOf(request).subject,
        resource_id: resourceId,
        duration_ms: clock.now() - startedAt,
      },
      'action',
    )
}
