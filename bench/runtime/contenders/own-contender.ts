/** Events to effects through `createRuntime`: the same on either store. */
import { until } from '../../kit/measure/closed-loop.ts'
import type { Window } from '../../kit/measure/closed-loop.ts'
import type { CellSpec, Contender } from '../../kit/measure/cell.ts'
import type { EffectHandler } from '../../../runtime/runtime.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import { eventIds } from './event-ids.ts'
import { listedRing, ringDefinition } from './machine.ts'
import { actorOf, startOwnRuntime } from './own-runtime.ts'
import type { Pick } from './turns.ts'

interface Sent {
  readonly at: number
  readonly window: Window
}

export async function ownContender(spec: CellSpec, sql: Sql, pick: Pick): Promise<Contender> {
  const underWay = new Map<string, Sent>()
  const definition = spec.options['isListed'] === undefined ? ringDefinition : listedRing
  const perform: EffectHandler['perform'] = async ({ id }) => {
    const sent = underWay.get(id as string)
    if (sent) sent.window.effectBegan(performance.now() - sent.at)
    underWay.delete(id as string)
    return []
  }
  const runtime = await startOwnRuntime(sql, perform, { owner: 'bench', definition })
  const nextId = eventIds(spec.tag)
  return {
    async once(client, window) {
      const id = nextId()
      const at = performance.now()
      underWay.set(id, { at, window })
      await runtime.deliver({
        to: actorOf(pick(client)),
        key: id,
        event: { type: 'ring.moved', at: Date.now(), id },
      })
      window.acknowledged(performance.now() - at)
    },
    async drained() {
      await until(() => underWay.size === 0, 'all effects begun')
      await until(async () => (await runtime.pendingEffects()).length === 0, 'all effects settled')
    },
    close: () => runtime.stop().then(() => sql.close()),
  }
}
