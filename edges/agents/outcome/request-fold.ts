/** Hands a refine Task's request to a member, and answers for a member that takes no events any more. */
import type { EffectParams } from '../../../machines/effect.ts'
import { addressOf } from '../../../runtime/address.ts'
import { RetryableError } from '../../../runtime/errors.ts'
import type { AgentApiDeps } from '../deps.ts'
import type { Delivery, EffectHandler, Receipt } from '../../../runtime/runtime.ts'

type Params = EffectParams<'requestFold'>

/** What the runtime answers for an actor that will never take the event. */
const gone: ReadonlySet<unknown> = new Set(['actor-final', 'actor-unknown'])

export function requestFold(deps: Pick<AgentApiDeps, 'runtime'>): EffectHandler<Params> {
  return {
    async perform({ member, by, project, to, entry }, { actor, key, at }): Promise<readonly Delivery[]> {
      const event = { type: 'fold.requested', at, by, project, to, entry }
      const receipt = await deps.runtime.deliver({ to: addressOf('task', member), key, event })
      if (gone.has(codeOf(receipt)))
        return [
          { to: actor, key: `${key}/gone`, event: { type: 'fold.refused', at, task: member, reason: 'task-terminal' } },
        ]
      // A member in quarantine may fold once it is repaired: its answer is waited for.
      if (codeOf(receipt) !== undefined) throw new RetryableError(`${member} cannot answer: ${String(codeOf(receipt))}`)
      return []
    },
  }
}

function codeOf({ answer }: Receipt): unknown {
  return answer !== undefined && answer.status >= 400 ? answer.body['code'] : undefined
}
