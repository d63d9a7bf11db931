/** An operator looks at things and puts a thing or two in order, as on any other day. */
import { dice } from '../runtime/simulation/dice.ts'
import type { World } from '../runtime/simulation/world.ts'
import type { Orchestrators } from './orchestrators.ts'

const everyMs = 15_000
const anActor = encodeURIComponent('queue:default/demo')
const spare = {
  apiVersion: 'platform.dev/v1alpha1',
  kind: 'Repository',
  metadata: { name: 'spare' },
  spec: { projectRef: 'another', url: 'http://forge.test/acme/spare.git' },
}

type Deed = readonly [method: string, path: string, body?: object]

const deeds: readonly Deed[] = [
  ['GET', '/readyz'],
  ['GET', '/operations/open'],
  ['GET', '/operations/turns'],
  ['POST', '/operations/retention'],
  ['GET', '/operations/actors'],
  ['GET', `/operations/history?address=${anActor}`],
  ['GET', `/operations/replay?address=${anActor}`],
  ['GET', `/operations/export?address=${anActor}`],
  ['GET', '/operations/effects'],
  ['GET', '/operations/dead-letters'],
  ['POST', '/operations/redeliver', { key: 'letter:7' }],
  ['POST', '/operations/redeliver', { key: 'queue:default/demo/1/0' }],
  ['GET', `/inspector/api/actor?address=${anActor}`],
  ['PUT', '/resources', spare],
  ['DELETE', '/resources/repositories/default/spare'],
]

interface Watch {
  readonly seed: number
  readonly isOver: () => boolean
}

export function watchOperator(world: World, orchestrators: Orchestrators, { seed, isOver }: Watch): void {
  const asks = dice(seed, 'operator')
  const act = (): void => {
    if (isOver()) return
    world.after(everyMs, act)
    const [method, path, body] = asks.pick(deeds)
    void orchestrators.inspect(method, path, body)
  }
  act()
}
