/** The region of the token budget (PROJECT-BUDGET, docs/contract/resources.md): what it holds back is told to the queue, on a change only. */
import { effect, tellQueue } from '../emit.ts'
import { accountChangesIn, boundWindow, hasWindow, holdOf, openWindow } from './budget.ts'
import { is, meta, type Actions, type Guards, type Part, type State } from './chart.ts'
import type { ProjectContext, Scheduled } from './context.ts'
import { on, planned, type Does } from './decide.ts'
import type { BudgetSettings } from './events.ts'

/** The name under which the reset of the window is asked for. */
const windowName = 'window'

function budgetOf({ scheduled }: ProjectContext): BudgetSettings | undefined {
  return scheduled?.settings.budget
}

function wants(mode: (budget: BudgetSettings | undefined) => boolean): Guards[string] {
  return ({ context }) => mode(budgetOf(context))
}

const isWindow = (budget: BudgetSettings | undefined): boolean => budget?.mode === 'customWindow'
const isBounded = (budget: BudgetSettings | undefined): boolean => budget !== undefined && hasWindow(budget)
const isAccount = (budget: BudgetSettings | undefined): boolean => budget?.mode === 'claudeSubscription'

/** What follows for the queue from what is known now. */
function settled({ id, at }: ProjectContext, scheduled: Scheduled): Does {
  const hold = holdOf(scheduled.settings.budget, scheduled.spending, at)
  const changed = hold !== scheduled.spending.hold
  return {
    context: { scheduled: { ...scheduled, spending: { ...scheduled.spending, hold } } },
    effects: changed ? [tellQueue(id, { type: 'queue.budgeted', state: hold })] : [],
  }
}

const actions: Actions = {
  'budget.judge': planned(settled),
  'budget.forget': planned((context, scheduled) =>
    settled(context, {
      ...scheduled,
      spending: { ...scheduled.spending, windowStart: null, windowTokens: 0, windowEnd: null, account: null },
    }),
  ),
  'budget.plan': planned(({ id, at }, { settings: { budget } }) =>
    budget?.resetSchedule
      ? { effects: [effect('planTick', { project: id, name: windowName, schedule: budget.resetSchedule, after: at })] }
      : {},
  ),
  'budget.boundPlanned': on('tick.planned', (context, { next, previous }) => {
    const boundaries = { next, ...(previous === undefined ? {} : { previous }) }
    return context.scheduled === null ? {} : settled(context, boundWindow(context.scheduled, context.at, boundaries))
  }),
  'budget.bound': planned((context, scheduled) => settled(context, boundWindow(scheduled, context.at, null))),
  'budget.open': planned((context, scheduled) => settled(context, openWindow(scheduled, context.at))),
  'budget.spend': on('usage.spent', (context, { tokens }) => {
    const { scheduled } = context
    if (scheduled === null) return {}
    const windowTokens = scheduled.spending.windowTokens + tokens
    return settled(context, { ...scheduled, spending: { ...scheduled.spending, windowTokens } })
  }),
  'budget.keepAccount': on('usage.reported', (context, { fiveHour, weekly, reportedAt }) =>
    context.scheduled === null
      ? {}
      : settled(context, {
          ...context.scheduled,
          spending: { ...context.scheduled.spending, account: { fiveHour, weekly, reportedAt } },
        }),
  ),
}

const isPlanned: Guards[string] = ({ context, event }) =>
  (is(event, 'tick.planned') || is(event, 'tick.refused')) &&
  event.name === windowName &&
  event.schedule === budgetOf(context)?.resetSchedule

const guards: Guards = {
  'budget.isWindow': wants(isWindow),
  'budget.isAccount': wants(isAccount),
  'budget.isScheduled': wants((budget) => isBounded(budget) && budget?.resetSchedule !== ''),
  'budget.isBounded': wants(isBounded),
  'budget.notWindow': wants((budget) => !isWindow(budget)),
  'budget.notAccount': wants((budget) => !isAccount(budget)),
  'budget.planned': isPlanned,
  /** `windowDuration` bounds a window whose schedule cannot be followed. */
  'budget.refusedButTimed': (args) => isPlanned(args) && (budgetOf(args.context)?.windowMs ?? 0) > 0,
  /** A snapshot that came late says less than the one that is known. */
  'budget.isNewer': ({ context, event }) =>
    is(event, 'usage.reported') && event.reportedAt >= (context.scheduled?.spending.account?.reportedAt ?? 0),
}

const spend = { 'usage.spent': { actions: 'budget.spend' } } as const
/** A percentage or the limit may have changed; another schedule counts from the next window. */
const applied = { 'project.applied': { actions: 'budget.judge' } } as const
const notWindow = { guard: 'budget.notWindow', target: '#budget.off' } as const

const windowStates: Readonly<Record<string, State>> = {
  choosing: {
    meta: meta('platform', 'a window of the token budget begins', 'nothing: it follows at once'),
    entry: 'budget.open',
    always: [
      { guard: 'budget.isScheduled', target: 'planning' },
      { guard: 'budget.isBounded', target: 'metering', actions: 'budget.bound' },
      { target: 'unbounded' },
    ],
  },
  planning: {
    meta: meta('platform', 'asks when the window of the token budget ends', 'its schedule is read'),
    entry: 'budget.plan',
    always: notWindow,
    on: {
      ...spend,
      'tick.planned': { guard: 'budget.planned', target: 'metering', actions: 'budget.boundPlanned' },
      'tick.refused': [
        { guard: 'budget.refusedButTimed', target: 'metering', actions: 'budget.bound' },
        { guard: 'budget.planned', target: 'unbounded' },
      ],
    },
  },
  metering: {
    meta: meta('project', 'counts the tokens of a window', 'the reset of the window'),
    always: notWindow,
    after: { 'budget.reset': { target: 'choosing' } },
    on: { ...spend, ...applied },
  },
  unbounded: {
    meta: meta('human', 'counts tokens but limits nothing: no window is set', 'resetSchedule or windowDuration'),
    always: [notWindow],
    on: { ...spend, 'project.applied': { target: 'choosing' } },
  },
}

const accountStates: Readonly<Record<string, State>> = {
  unknown: {
    meta: meta('agent', 'no pod has reported how much of the subscription is used', 'a turn of any pod ends'),
    always: { guard: 'budget.notAccount', target: '#budget.off' },
    on: { 'usage.reported': { guard: 'budget.isNewer', target: 'known', actions: 'budget.keepAccount' } },
  },
  known: {
    meta: meta('project', 'knows how much of the subscription is used', 'a newer report, a reset, or 90 minutes'),
    always: { guard: 'budget.notAccount', target: '#budget.off' },
    after: { 'budget.account': { target: 'known', reenter: true, actions: 'budget.judge' } },
    on: {
      'usage.reported': { guard: 'budget.isNewer', target: 'known', reenter: true, actions: 'budget.keepAccount' },
      ...applied,
    },
  },
}

export const spending: Part = {
  region: {
    id: 'budget',
    meta: meta('project', 'the token budget', 'its states name who'),
    initial: 'off',
    states: {
      off: {
        meta: meta('human', 'no token budget limits the Project', 'tokenBudget.enabled'),
        entry: 'budget.forget',
        always: [
          { guard: 'budget.isWindow', target: 'choosing' },
          { guard: 'budget.isAccount', target: 'unknown' },
        ],
      },
      ...windowStates,
      ...accountStates,
    },
  },
  actions,
  guards,
  delays: {
    'budget.reset': ({ context }) => {
      const { windowEnd } = context.scheduled?.spending ?? { windowEnd: null }
      return Math.max(0, (windowEnd ?? context.at) - context.at)
    },
    'budget.account': ({ context }) => accountChangesIn(context),
  },
}
