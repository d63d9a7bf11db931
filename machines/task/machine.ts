/**
 * One Task, from mint to settled (STAGE, PARK and POD, docs/rules.md). Two regions: `stage` says what it is about, `pod` keeps at most
 * one pod for what the stage wants; `stage` stands first, so that one event moves the stage before the pod follows.
 * Nothing stands on the root: a done snapshot still takes what stands there.
 */
import { setup } from 'xstate'
import { withContext, type MachineDefinition, type MachineInput } from '../definition.ts'
import { taskDelays } from './budgets.ts'
import { meta } from './chart.ts'
import { newTask, type TaskContext } from './context.ts'
import type { TaskEvent } from './events.ts'
import { podRegion } from './pod-region.ts'
import { stage } from './stage/region.ts'
import { inParts, withClock, withPeopleHeard, withReviewsAnswered } from './upgrade.ts'

export const taskMachine = setup({
  types: { context: {} as TaskContext, events: {} as TaskEvent, input: {} as MachineInput },
  delays: taskDelays,
}).createMachine({
  id: 'task',
  type: 'parallel',
  meta: meta('platform', 'a Task', 'its regions name who'),
  context: ({ input }) => newTask(input.id),
  // Each row is checked against its event by `StateConfig`; XState's own types pair every row with the whole union.
  states: { stage, pod: podRegion } as unknown as { readonly stage: object; readonly pod: object },
})

export const taskDefinition: MachineDefinition = {
  kind: 'task',
  version: 8,
  machine: taskMachine,
  createdBy: ['task.minted'],
  upgrades: {
    1: (snapshot) => withContext(snapshot, { failedOpenings: 0, folds: [], budgetRaised: 0 }),
    2: (snapshot) => snapshot,
    3: inParts,
    4: withReviewsAnswered,
    5: withPeopleHeard,
    6: withClock,
    7: (snapshot) => snapshot,
  },
}
