/** An operator looks at things and puts a thing or two in order, as on any other day. */
import { dice } from '../runtime/simulation/dice.ts'
import type { World } from '../runtime/simulation/world.ts'
import type { Orchestrators } from './orchestrators.ts'
import type { Plan } from './plan.ts'

const everyMs = 15_000
const anActor = encodeURIComponent('queue:default/demo')
const spare = {
  apiVersion: 'platform.dev/v1alpha1',
  kind: 'Repository',
  metadata: { name: 'spare' },
  spec: { projectRef: 'another', url: 'https://forge.test/acme/spare.git' },
}

type Deed = readonly [method: string, path: string, body?: object]

const oldLetterId = 7
/** Whoever finds it there sends it again. */
export const sendsOldLetter: Deed = ['POST', '/operations/redeliver', { key: `letter:${oldLetterId}` }]

const deeds: readonly Deed[] = [
  ['GET', '/readyz'],
  ['GET', '/metrics'],
  ['GET', '/operations/open'],
  ['GET', '/operations/turns'],
  ['POST', '/operations/retention'],
  ['GET', '/operations/actors'],
  ['GET', `/operations/history?address=${anActor}`],
  ['GET', `/operations/replay?address=${anActor}`],
  ['GET', `/operations/export?address=${anActor}`],
  ['GET', '/operations/effects'],
  ['GET', '/operations/dead-letters'],
  sendsOldLetter,
  ['POST', '/operations/redeliver', { key: 'queue:default/demo/1/0' }],
  ['GET', `/inspector/api/actor?address=${anActor}`],
  ['PUT', '/resources', spare],
  ['DELETE', '/resources/repositories/default/spare'],
]

interface Watch {
  readonly plan: Plan
  readonly isOver: () => boolean
}

/** Of an entry that no queue has any more: whoever takes it does nothing. */
export const oldLetter = {
  actor: 'queue:default/demo',
  key: 'of-former-days',
  body: JSON.stringify({ type: 'queue.release', at: 0, entry: 'of-former-days' }),
}

/** What the version before could not deliver and left for an operator. */
function leaveOldLetter(world: World): void {
  const { actor, key, body } = oldLetter
  world.onStore(async () => {
    await world.store.query(
      `insert into dead_letter (id, actor, key, body, reason, at) values ($1, $2, $3, $4, 'unknown actor', 0)`,
      [oldLetterId, actor, key, body],
    )
  })
}

export function watchOperator(world: World, orchestrators: Orchestrators, { plan, isOver }: Watch): void {
  const asks = dice(plan.seed, 'operator')
  if (plan.hasOldLetter) leaveOldLetter(world)
  const act = (): void => {
    if (isOver()) return
    world.after(everyMs, act)
    const [method, path, body] = asks.pick(deeds)
    void orchestrators.inspect(method, path, body)
  }
  act()
}
