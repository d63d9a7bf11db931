/** Each law of schedules, spending, entries, folds, repeats and merge order finds a hole that was planted for it. */
import { assign } from 'xstate'
import { describe, expect, it, test } from 'vitest'
import type { MachineDefinition } from '../../machines/definition.ts'
import { on } from '../../machines/project/does.ts'
import { projectMachine } from '../../machines/project/machine.ts'
import { document, handOut, refineFirst, upgrade } from '../../machines/project/runs.ts'
import { machines } from '../../machines/registry.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import type { Effect } from '../../runtime/runtime.ts'
import { alsoDo, dropRows, rowsOn, setRows, state, withTable, type Part } from '../machines/rewrite.ts'
import type { Changed } from '../machines/world/world.ts'
import type { Tamper } from '../machines/world/actors.ts'
import { entryLaw } from './entries.ts'
import type { Explored } from './explore.ts'
import { mergeOrderLaw } from './merge-order.ts'
import { everyWorld, prove } from './prove.ts'
import { repeatLaws } from './repeats.ts'
import { scheduleFutures } from './schedules/futures.ts'
import { scheduleLaws } from './schedules/laws.ts'
import { spendingLaws } from './spending-laws.ts'

interface Hole {
  readonly wrong: string
  readonly world: string
  /** What the law that finds it says. */
  readonly finds: string
  readonly deviations: number
  readonly changed: Changed
  /** Others find it too, and sooner. */
  readonly isShared?: boolean
}

/** By states, never by time: the same on every machine. */
function explored({ world, deviations, changed, isShared = false }: Hole): Explored {
  const found = everyWorld.find(({ name }) => name === world)!
  const bounds = { deviations, states: 30_000, milliseconds: 600_000 }
  return prove(found, bounds, { now: () => 0, stopsAtFirst: !isShared }, changed)
}

interface Told {
  readonly to: string
  readonly event: { readonly type: string; readonly [field: string]: unknown }
}

function toldBy({ type, params }: Effect): Told | undefined {
  return type === 'deliver' ? (params as unknown as Told) : undefined
}

/** What one kind of actor says becomes something else. */
function said(kind: string, change: (effect: Effect, told: Told | undefined) => readonly Effect[]): Changed {
  const tamper: Tamper = (actor, effects) =>
    actor.startsWith(`${kind}:`) ? effects.flatMap((effect) => change(effect, toldBy(effect))) : effects
  return { tamper }
}

/** What one kind of actor says and another never hears. */
function unsaid(kind: string, type: string): Changed {
  return said(kind, (effect, told) => (told?.event.type === type ? [] : [effect]))
}

function table(kind: MachineDefinition['kind'], change: (root: Part) => void): Changed {
  return { definitions: withTable(kind, change) }
}

function withActions(actions: Readonly<Record<string, unknown>>): Changed {
  const machine = projectMachine.provide({ actions } as never)
  return { definitions: machines.map((one) => (one.kind === 'project' ? { ...one, machine } : one)) }
}

const block = (root: Part, path: string): Part => state(root, `scheduled.${path}`)
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
      ? (context as TaskContext).mergeRequests.findLast((one) => one.state === 'open')
      : undefined
    if (effect.type !== 'mergeMergeRequest' || !last) return effect
    const { repository, number, headSha: sha } = last
    return { ...effect, params: { ...effect.params, repository, number, sha } } as Effect
  })

const holes: readonly Hole[] = [
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
    isShared: true,
    changed: { tamper: backwards },
  },
  {
    wrong: 'a fold mints nobody for what it collected',
    world: 'chain',
    finds: 'what is handed over is owned or carried at every moment',
    deviations: 0,
    changed: said('task', (effect, told) =>
      told?.event.type === 'queue.enqueue' && told.event['sort'] === 'mint' ? [] : [effect],
    ),
  },
  {
    wrong: 'one of the folded issues is closed, and its heir with it',
    world: 'chain',
    finds: 'what is handed over is owned or carried at every moment',
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
    finds: 'what is handed over is owned or carried at every moment',
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
  {
    wrong: 'a due tick runs whether paused or not',
    world: 'nightly',
    finds: 'no run begins while paused or not ready',
    deviations: 1,
    changed: table('project', (root) => {
      block(root, 'documentation.due')['always'] = [{ target: 'running' }]
    }),
  },
  {
    wrong: 'missed ticks are asked for one after another',
    world: 'nightly',
    finds: 'a missed tick runs once: between two runs lies a tick',
    deviations: 0,
    changed: said('project', (effect) =>
      effect.type === 'planTick'
        ? [{ ...effect, params: { ...effect.params, after: Number(effect.params['after']) - 36e6 } }]
        : [effect],
    ),
  },
  {
    wrong: 'ticks that fall due during a run are left out',
    world: 'nightly',
    finds: 'what falls due during a run follows it',
    deviations: 0,
    changed: said('project', (effect) =>
      effect.type === 'planTick'
        ? [{ ...effect, params: { ...effect.params, after: Number(effect.params['after']) + 36e6 } }]
        : [effect],
    ),
  },
  {
    wrong: 'a tick that is due while paused is dropped',
    world: 'nightly',
    finds: 'a tick that is due stays due',
    deviations: 1,
    isShared: true,
    changed: table('project', (root) => {
      block(root, 'upgrade.due')['after'] = { 1000: 'planning' }
    }),
  },
  {
    wrong: 'a sweep looks at what it minted, and not at what is open',
    world: 'sweep',
    finds: 'no sweep hands out more than maxNewTasksPerSweep, or beyond maxOpenTasks',
    deviations: 0,
    changed: withActions({
      'issueScan.handOut': on('backlog.read', (context, { backlog }) => {
        const twice = [...backlog.issues, ...backlog.issues.map((one) => ({ ...one, repository: 'app' }))]
        const { scheduled } = context
        const settings = { ...scheduled!.settings, maxNewTasksPerSweep: 9 }
        return handOut({ ...context, scheduled: { ...scheduled!, settings } }, { ...backlog, issues: twice })
      }),
    }),
  },
  {
    wrong: 'what was offered is forgotten',
    world: 'sweep',
    finds: 'a head is offered once',
    deviations: 0,
    changed: withActions({
      'issueScan.handOut': on('backlog.read', (context, { backlog }) =>
        handOut({ ...context, scheduled: { ...context.scheduled!, offered: [] } }, { ...backlog, issues: [] }),
      ),
    }),
  },
  {
    wrong: 'each block begins a refine of its own',
    world: 'sessions',
    finds: 'one refine lives at a time',
    deviations: 1,
    changed: withActions({
      'brainstorm.refine': on('backlog.read', (context, { backlog }) =>
        refineFirst(context, 'brainstorm', { ...backlog, tasks: [] }),
      ),
      'issueScan.refine': on('backlog.read', (context, { backlog }) =>
        refineFirst(context, 'issueScan', { ...backlog, tasks: [] }),
      ),
    }),
  },
  {
    wrong: 'a session begins at its tick, however short ago the last one was',
    world: 'sessions',
    finds: 'between two sessions lies the floor',
    deviations: 0,
    changed: table('project', (root) => {
      const due = block(root, 'brainstorm.due')
      due['always'] = (due['always'] as Part[]).filter(({ target }) => target !== 'resting')
    }),
  },
  {
    wrong: 'living upgrades and documentation do not count',
    world: 'nightly',
    finds: 'upgrades and documentation keep to their lanes',
    deviations: 1,
    changed: withActions({
      'upgrade.mint': on('backlog.read', (context, { backlog }) => upgrade(context, { ...backlog, tasks: [] })),
      'documentation.mint': on('backlog.read', (context, { backlog }) => document(context, { ...backlog, tasks: [] })),
    }),
  },
  {
    wrong: 'a run waits for its answer for ever',
    world: 'nightly',
    finds: 'a run that nobody answers ends by its own time',
    deviations: 0,
    changed: table('project', (root) => {
      delete block(root, 'upgrade.running')['after']
    }),
  },
  {
    wrong: 'a schedule that was refused once is refused for ever',
    world: 'nightly',
    finds: 'every block can run again',
    deviations: 1,
    changed: table('project', (root) => {
      delete block(root, 'upgrade.refused')['always']
    }),
  },
  {
    wrong: 'the queue admits while the budget holds',
    world: 'window',
    finds: 'the queue holds what the budget holds',
    deviations: 1,
    changed: unsaid('project', 'queue.budgeted'),
  },
  {
    wrong: 'what the account said late is believed',
    world: 'account',
    finds: 'what is held is what the usage says',
    deviations: 2,
    changed: table('project', (root) => {
      for (const row of rowsOn(block(root, 'budget.known'), 'usage.reported')) delete row['guard']
    }),
  },
  {
    wrong: 'a hold takes the slots back',
    world: 'window',
    finds: 'a hold takes no slot from who has it',
    deviations: 2,
    isShared: true,
    changed: table('queue', (root) => alsoDo(rowsOn(root, 'queue.budgeted'), assign({ entries: [] } as never))),
  },
  {
    wrong: 'a window never ends',
    world: 'window',
    finds: 'a budget opens by time alone',
    deviations: 1,
    changed: table('project', (root) => {
      delete block(root, 'budget.metering')['after']
    }),
  },
]

describe('a law of the prover finds it when', () => {
  it.each(holes)('$wrong, in the world $world', { timeout: 120_000 }, (hole) => {
    expect(explored(hole).breaches.map(({ says }) => says)).toContain(hole.finds)
  })
})

test('each of these laws has a hole that it finds', () => {
  const laws = [...spendingLaws, ...repeatLaws, mergeOrderLaw, entryLaw, ...scheduleLaws, ...scheduleFutures]
  const found = new Set(holes.map(({ finds }) => finds))
  expect(laws.filter(({ says }) => !found.has(says)).map(({ says }) => says)).toEqual([])
})
