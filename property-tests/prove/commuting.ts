/**
 * LAW-8, its second half: of two deliveries that may both come next, either comes first, and the same is left. Two that go
 * to two actors always commute; two from two senders to one actor do unless they are listed, and each that is listed
 * is met in both orders with a difference.
 */
import { dependentPairs } from './dependent-pairs.ts'
import { Explorer, type Memory } from './explore.ts'
import { taskPast } from './history.ts'
import { anyOrder } from './moves.ts'
import { newMemory } from './prove.ts'
import { idOf, kindOf } from '../machines/world/trace.ts'
import type { Changed, World } from '../machines/world/world.ts'
import type { ActorAddress } from '../../machines/definition.ts'
import type { StateKeys } from './state-key.ts'
import type { Future } from './world-model.ts'
import { modelOf, worlds } from './worlds.ts'

export const commutingLaw = {
  law: 8,
  says: 'independent events commute, and the dependent pairs are those that are listed',
} as const

/** Worlds in which much is on its way at once. */
const searched: readonly string[] = ['order', 'pair', 'fold', 'chain', 'mints', 'alerts', 'review']
const bounds = { deviations: 2, states: 2500, milliseconds: 600_000 }

type Pair = readonly [string, string]

function receiverOf(channel: string): ActorAddress {
  return channel.slice(channel.indexOf('>') + 1) as ActorAddress
}

function typeOf({ actors }: World, channel: string): string {
  return actors.mail(channel)[0]?.event.type ?? ''
}

function pairsIn({ actors }: World): readonly Pair[] {
  const { channels } = actors
  return channels.flatMap((one, index) => channels.slice(index + 1).map((other): Pair => [one, other]))
}

function after(world: World, channels: Pair, keys: StateKeys): string {
  const one = world.fork()
  for (const channel of channels) one.actors.deliver(channel)
  return keys.ofBoth(one, taskPast.none)
}

/** In words that name no actor; what goes to two actors says so. */
export function nameOf(world: World, [one, other]: Pair): string {
  const [to, too] = [receiverOf(one), receiverOf(other)]
  const types = [typeOf(world, one), typeOf(world, other)]
  if (to === too) return `${kindOf(to)}: ${types.toSorted().join(' and ')}`
  return `two actors: ${[`${kindOf(to)} ${types[0]}`, `${kindOf(too)} ${types[1]}`].toSorted().join(' and ')}`
}

/** Of the deliveries that may come next in this world. */
export function pairsOfTwoActors(world: World): readonly Pair[] {
  return pairsIn(world).filter(([one, other]) => receiverOf(one) !== receiverOf(other))
}

export function isDependent(world: World, [one, other]: Pair, keys: StateKeys): boolean {
  return after(world, [one, other], keys) !== after(world, [other, one], keys)
}

/** Told of each pair once for each state of who receives it. */
function looking(keys: StateKeys, found: (name: string) => void): Future {
  const asked = new Set<string>()
  const judge = (world: World): readonly string[] => {
    for (const pair of pairsIn(world)) {
      const name = nameOf(world, pair)
      const text = pair.map((channel) => momentOf(world, channel, keys)).join(' ')
      if (asked.has(`${name} ${text}`)) continue
      asked.add(`${name} ${text}`)
      if (isDependent(world, pair, keys)) found(name)
    }
    return []
  }
  let moments = 0
  return { ...commutingLaw, about: () => `${moments++}`, judge }
}

/** Who receives it as it is, and what it says. */
function momentOf(world: World, channel: string, keys: StateKeys): string {
  const to = receiverOf(channel)
  const snapshot = world.actors.snapshot(to)
  const { at: _at, ...said } = world.actors.mail(channel)[0]!.event
  return `${snapshot ? keys.ofActor(to, snapshot) : idOf(to)} ${JSON.stringify(said)}`
}

/** Pairs whose order makes a difference somewhere. */
export function dependent(changed: Changed = {}, names = searched, memory: Memory = newMemory()): readonly string[] {
  const found = new Set<string>()
  for (const name of names) {
    const world = worlds.find((one) => one.name === name)!
    const model = modelOf({ ...world, moves: [anyOrder(1), ...world.moves] }, { ...changed, pace: memory.steps })
    const futures = [looking(memory.keys, (pair) => found.add(pair))]
    new Explorer({ ...model, laws: [], futures }, bounds, memory, { now: () => 0 }).run()
  }
  return [...found].toSorted()
}

export function commutingBreaches(changed: Changed = {}): readonly string[] {
  const found = dependent(changed)
  return [
    ...found.filter((pair) => !dependentPairs.includes(pair)).map((pair) => `the order makes a difference of ${pair}`),
    ...dependentPairs.filter((pair) => !found.includes(pair)).map((pair) => `the order makes none of ${pair}`),
  ]
}
