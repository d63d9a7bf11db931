/** Journals as `statewright export` writes them, lived by real machines in the worlds of the prover under a seed. */
import type { ActorBundle, BundledEvent } from '../../runtime/journal/bundle/schema.ts'
import { seeded } from '../../runtime/random.ts'
import { statePath } from '../../runtime/step/state-path.ts'
import { kindOf, type Stepped } from '../machines/world/trace.ts'
import { World } from '../machines/world/world.ts'
import { worlds } from './worlds.ts'

const maxMoves = 400

/** Draws whole numbers below `size`. */
function dice(seed: number): (size: number) => number {
  const random = seeded(seed)
  return (size) => (random() * 2 ** 32) % size
}

/** Mostly everybody does what is next; now and then somebody does something else. */
function lived(seed: number): readonly Stepped[] {
  const roll = dice(seed)
  const { setting, moves } = worlds[roll(worlds.length)]!
  const world = World.begin(setting)
  for (let step = 0; step < maxMoves; step++) {
    const others = roll(20) === 0 ? moves.flatMap((some) => some(world)) : []
    const move = others[roll(Math.max(1, others.length))]
    if (move) move.act(world)
    else if (!world.cooperate()) break
  }
  return world.actors.trace.filter((moment): moment is Stepped => moment.kind === 'stepped')
}

function eventOf({ event, effects, after }: Stepped, index: number, machineHash: string): BundledEvent {
  return {
    seq: index + 1,
    key: `event/${index + 1}`,
    event,
    effects: effects.map(({ type, params }) => ({ type, params: { ...params } })),
    path: statePath(after.value as never),
    status: after.status,
    handled: true,
    fault: null,
    machineHash,
    at: event.at,
  }
}

/** The Tasks of one life, each with its whole journal. */
export function journalsOf(seed: number, machineHash: string): readonly ActorBundle[] {
  const steps = lived(seed).filter(({ actor }) => kindOf(actor) === 'task')
  return [...Map.groupBy(steps, ({ actor }) => actor)].map(([address, own]) => {
    const events = own.map((step, index) => eventOf(step, index, machineHash))
    const last = events.at(-1)!
    return {
      address,
      kind: 'task',
      seq: events.length,
      version: 1,
      machineHash,
      status: last.status,
      path: last.path,
      fault: null,
      replay: { ok: true },
      baselines: [],
      snapshot: null,
      events,
      effects: [],
      timers: [],
    }
  })
}
