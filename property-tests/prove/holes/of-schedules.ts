/** Holes of cron blocks and of budgets by windows. */
import { assign } from 'xstate'
import { on } from '../../../machines/project/decide.ts'
import { projectMachine } from '../../../machines/project/machine.ts'
import { document, handOut, refineFirst, upgrade } from '../../../machines/project/runs.ts'
import { machines } from '../../../machines/registry.ts'
import { alsoDo, rowsOn, state, type Part } from '../../machines/rewrite.ts'
import type { Changed } from '../../machines/world/world.ts'
import { said, table, unsaid, type Hole } from './hole.ts'

/** The Project with other decisions. */
export function withActions(actions: Readonly<Record<string, unknown>>): Changed {
  const machine = projectMachine.provide({ actions } as never)
  return { definitions: machines.map((one) => (one.kind === 'project' ? { ...one, machine } : one)) }
}

const block = (root: Part, path: string): Part => state(root, `scheduled.${path}`)

/** Random histories find them too (`../schedules/histories.test.ts`). */
export const cronHoles: readonly Hole[] = [
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
]

const holesOfBudgetsAndFutures: readonly Hole[] = [
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

export const holesOfSchedules: readonly Hole[] = [...cronHoles, ...holesOfBudgetsAndFutures]
