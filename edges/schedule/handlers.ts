import type { EffectParams } from '../../machines/effect.ts'
import type { EffectHandler } from '../../runtime/runtime.ts'
import { nextTick } from './next-tick.ts'
import { readBacklog, type BacklogDeps } from './read-backlog.ts'

type ScheduleEffect = 'planTick' | 'readBacklog'
type ScheduleHandlers = { readonly [Type in ScheduleEffect]: EffectHandler<EffectParams<Type>> }

export interface ScheduleDeps extends BacklogDeps {
  /** Of all Projects (SCHEDULE-2). */
  readonly cronTimeZone: string
}

export function scheduleHandlers(deps: ScheduleDeps): ScheduleHandlers {
  return { planTick: planTick(deps), readBacklog: readBacklog(deps) }
}

function planTick({ cronTimeZone }: ScheduleDeps): ScheduleHandlers['planTick'] {
  return {
    async perform({ name, schedule, after }, { actor, key, at }) {
      const found = nextTick(schedule, after, cronTimeZone)
      const event =
        'next' in found
          ? { type: 'tick.planned', at, name, schedule, ...found }
          : { type: 'tick.refused', at, name, schedule, reason: found.refused }
      return [{ to: actor, key: `${key}/tick`, event }]
    },
  }
}
