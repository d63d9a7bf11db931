/** Holes of spending, repeats, entries, folds and merge order. */
import { assign } from 'xstate'
import type { TaskContext } from '../../../machines/task/context.ts'
import { headOf } from '../../../machines/task/queries.ts'
import type { Effect } from '../../../runtime/runtime.ts'
import { alsoDo, dropRows, rowsOn, setRows, state, type Part } from '../../machines/rewrite.ts'
import type { Tamper } from '../../machines/world/actors.ts'
import { said, table, unsaid, type Hole } from './hole.ts'

const parkOf = (root: Part): Part => state(root, 'stage.live.parked.awaiting-human')

/** The grant of a turn that was refused. */
const generous = said('ledger', (effect, told) =>
  told?.event.type === 'reservation.refused'
    ? [{ ...effect, params: { to: told.to, event: { type: 'reservation.granted' } } } as unknown as Effect]
    : [effect],
)

const backwards: Tamper = (actor, effects, { context }) =>
  effects.map((effect) => {
    const last = actor.startsWith('task:')
      ? (context as TaskContext).forge.mergeRequests.findLast((one) => one.state === 'open')
      : undefined
    if (effect.type !== 'mergeMergeRequest' || !last) return effect
    return { ...effect, params: { ...effect.params, ...headOf(last) } } as Effect
  })

export const holesOfNames: readonly Hole[] = [
  {
    wrong: 'a refused turn begins all the same',
    world: 'ledger',
    finds: 'spent and reserved together never exceed a limit',
    deviations: 1,
    changed: generous,
  },
  {
    wrong: 'a metered turn does not wait for its reservation',
    world: 'ledger',
    finds: 'a metered turn begins only with its reservation',
    deviations: 0,
    changed: table('turn', (root) => setRows(state(root, 'new'), 'turn.start', [{ target: 'open', actions: 'begin' }])),
  },
  {
    wrong: 'a turn ends and settles nothing',
    world: 'ledger',
    finds: 'a turn that is over is settled, once',
    deviations: 0,
    changed: unsaid('turn', 'reservation.settled'),
  },
  {
    wrong: 'a spent budget ends the Task',
    world: 'ledger',
    finds: 'a spent budget holds a Task and never ends it',
    deviations: 1,
    changed: table('task', (root) => {
      for (const name of ['upgrading', 'investigating', 'reviewing'])
        for (const row of rowsOn(state(root, `stage.live.active.${name}`), 'budget.exhausted'))
          row['target'] = '#failed'
    }),
  },
  {
    wrong: 'a held Task hears of no raise and no new day',
    world: 'held',
    finds: 'a raise or a new day lets a held Task go on where it was',
    deviations: 1,
    changed: table('task', (root) => {
      dropRows(parkOf(root), 'budget.raised')
      dropRows(parkOf(root), 'budget.renewed')
    }),
  },
  {
    wrong: 'the ledger keeps the new day for itself',
    world: 'held',
    finds: 'a new day calls whom the day held',
    deviations: 1,
    changed: unsaid('ledger', 'budget.renewed'),
  },
  {
    wrong: 'a known entry counts again',
    world: 'alerts',
    finds: 'what is told again changes nothing',
    deviations: 1,
    changed: table('queue', (root) =>
      alsoDo(
        rowsOn(root, 'queue.enqueue'),
        assign(({ context }) => ({ sequence: Number((context as { readonly sequence: number }).sequence) + 1 })),
      ),
    ),
  },
  {
    wrong: 'a pod is asked for under two keys',
    world: 'alerts',
    finds: 'no write is outstanding under two keys',
    deviations: 0,
    changed: said('pod', (effect) => (effect.type === 'createPod' ? [effect, effect] : [effect])),
  },
  {
    wrong: 'an alert is let in beyond the slots of alerts',
    world: 'alerts',
    finds: 'no admission above the slots of a class, and none while paused or held',
    deviations: 0,
    changed: {
      tamper: (actor, effects, { context }) => {
        if (!actor.startsWith('queue:')) return effects
        const { entries } = context as { readonly entries: readonly Record<string, unknown>[] }
        const waiting = entries.filter((one) => one['class'] === 'alert' && one['admittedAt'] === null)
        const grants = waiting.map(({ task, seed, entry }) => ({
          type: 'deliver',
          params: { to: `task:${String(task)}`, event: { type: 'task.minted', seed, entry } },
        }))
        return [...effects, ...(grants as unknown as readonly Effect[])]
      },
    },
  },
  {
    wrong: 'the last merge request of an order merges first',
    world: 'train',
    finds: 'merge requests of several repositories merge in the order that was given',
    deviations: 0,
    changed: { tamper: backwards },
  },
  {
    wrong: 'a fold mints nobody for what it collected',
    world: 'chain',
    finds: 'what is handed over is at every moment owned, carried, or told that nobody comes for it',
    deviations: 0,
    changed: said('task', (effect, told) =>
      told?.event.type === 'queue.enqueue' && told.event['sort'] === 'mint' ? [] : [effect],
    ),
  },
  {
    wrong: 'one of the folded issues is closed, and its heir with it',
    world: 'chain',
    finds: 'what is handed over is at every moment owned, carried, or told that nobody comes for it',
    deviations: 1,
    changed: {
      tamper: (actor, effects, { context }) => {
        const { mint, facts } = context as {
          readonly mint?: { readonly entry: string; readonly shared?: boolean } | null
          readonly facts?: { readonly state: string } | null
        }
        if (!actor.startsWith('issue:') || !mint?.shared || facts?.state !== 'closed') return effects
        const event = { type: 'queue.withdraw', entry: mint.entry }
        return [...effects, { type: 'deliver', params: { to: 'queue:default/demo', event } } as unknown as Effect]
      },
    },
  },
  {
    wrong: 'what was taken over goes to nobody',
    world: 'review',
    finds: 'what is handed over is at every moment owned, carried, or told that nobody comes for it',
    deviations: 1,
    changed: said('task', (effect, told) =>
      told?.event.type === 'queue.enqueue' && told.event['sort'] === 'mint' ? [] : [effect],
    ),
  },
  {
    wrong: 'an entry that was withdrawn is admitted',
    world: 'mints',
    finds: 'a Task is minted only for who waits for it',
    deviations: 1,
    changed: table('queue', (root) => dropRows(root, 'queue.withdraw')),
  },
]
