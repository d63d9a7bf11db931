/** Straight ways to where a world gets interesting: what is done on them, and when. */
import { issueIn, taskIn, kindOf, type Snapshot } from '../machines/world/trace.ts'
import type { Process } from '../machines/world/processes.ts'
import type { World } from '../machines/world/world.ts'
import type { Lead } from './world-model.ts'

/** An agent of that kind in its turn, that has not decided. */
export function atWork({ processes }: World, kind: string): Process | undefined {
  return processes.alive.find((process) => process.kind === kind && !process.hasDecided && processes.running(process))
}

function when(kind: string, says: string, act: (world: World, process: Process) => void): Lead {
  return {
    says: `an agent of kind ${kind} ${says}`,
    when: (world) => atWork(world, kind) !== undefined,
    act: (world) => {
      const process = atWork(world, kind)
      if (process) act(world, process)
    },
  }
}

function isAt(world: World, stage: string, wanted = 1): boolean {
  const there = [...world.actors.snapshots()].filter(
    ([address, snapshot]) => kindOf(address) === 'task' && taskIn(snapshot).stage.name === stage,
  )
  return there.length >= wanted
}

function decide(process: Process, act: () => void): void {
  process.hasDecided = true
  act()
}

/** Where a reviewer reads what all merge requests of a Task are. */
export const toReview: readonly Lead[] = [when('review', 'begins to read', () => undefined)]

/** One of the two merge requests of a Task is merged, and the other one is not yet. */
export const toHalfMerged: readonly Lead[] = [
  {
    says: 'the first of two is merged',
    when: ({ actors }) =>
      [...actors.snapshots()].some(([address, task]) => kindOf(address) === 'task' && isHalfMerged(task)),
    act: () => undefined,
  },
]

function isHalfMerged(task: Snapshot): boolean {
  const states = taskIn(task).forge.mergeRequests.map(({ state }) => state)
  return states.includes('merged') && states.includes('open')
}

/** A reviewer sent the change of that kind back, and its agent is at work again. */
export function toSecondLap(kind: string): readonly Lead[] {
  return [
    when('review', 'asks for changes', (world, process) =>
      decide(process, () => world.agents.review(process, 'request_changes')),
    ),
    when(kind, 'begins again', () => undefined),
  ]
}

/** One member is parked with a merge request that is open, one without any; the agent that folds them is at work. */
export const toFold: readonly Lead[] = [
  when('review', 'asks for changes', (world, process) =>
    decide(process, () => world.agents.review(process, 'request_changes')),
  ),
  when('implement', 'discusses what was asked for', (world, process) =>
    decide(process, () => world.agents.stop(process, 'discuss')),
  ),
  {
    says: 'a second issue is opened, and labelled',
    when: (world) => isAt(world, 'awaiting-human') && world.processes.alive.length === 0,
    act: ({ forge }) => forge.openIssue('lib', 'maya', true),
  },
  when('implement', 'discusses the second', (world, process) =>
    decide(process, () => world.agents.stop(process, 'discuss')),
  ),
  {
    says: 'a refine is asked for',
    when: (world) => isAt(world, 'awaiting-human', 2) && world.processes.alive.length === 0,
    act: (world) => world.want('refine'),
  },
  when('refine', 'begins to read', () => undefined),
]

/** A Task has the only slot, and its turn runs. */
export const toFull: readonly Lead[] = [
  when('refine', 'begins to read', () => undefined),
  {
    says: 'rita opens a merge request',
    when: () => true,
    act: ({ forge }) => void forge.openMergeRequest('lib', 'fix', 'rita'),
  },
]

/** The issue was delivered, its Task is over, and somebody reopens it. */
export const toReopened: readonly Lead[] = [
  {
    says: 'the delivered issue is reopened',
    when: ({ actors }) =>
      actors.known('task').length === 0 &&
      [...actors.snapshots()].some(([address, issue]) => kindOf(address) === 'issue' && isClosedAsDelivered(issue)),
    act: ({ forge }) => {
      for (const issue of forge.issues) forge.changeIssue(issue, { state: 'open' })
    },
  },
]

function isClosedAsDelivered(issue: Snapshot): boolean {
  const { delivered, facts } = issueIn(issue)
  return delivered && facts?.state === 'closed'
}

function isHeld({ actors }: World): boolean {
  return [...actors.snapshots()].some(
    ([address, snapshot]) => kindOf(address) === 'task' && taskIn(snapshot).stage.reason === 'budget',
  )
}

/** What the day had left was used, and the turn of a review is refused. */
export const toHeld: readonly Lead[] = [
  when('incident', 'uses all that it may', (world, process) =>
    decide(process, () => {
      world.agents.conclude(process)
      world.endTurn(process, 'end_turn', false, world.mostPerTurn)
    }),
  ),
  { says: 'the day is spent', when: isHeld, act: () => undefined },
]
