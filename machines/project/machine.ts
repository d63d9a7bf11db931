/**
 * One Project (SCHEDULE, docs/rules.md): not ready, it mints and spawns nothing while running turns
 * go on; ready, its mirror is read back every 30 minutes whatever the schedules say. What it does by itself is a region
 * each, beside its readiness, once it is applied with anything of that.
 */
import { setup } from 'xstate'
import { withContext, type JsonObject, type MachineDefinition, type MachineInput } from '../definition.ts'
import { keepRefineEnd, refineRegion } from './block.ts'
import { blocks } from './blocks.ts'
import { meta, type Part } from './chart.ts'
import { newProject, type ProjectContext } from './context.ts'
import type { Guarded } from './decide.ts'
import { blockNames, type ProjectEvent } from './events.ts'
import { readinessActions, readinessGuards, readinessStates } from './readiness.ts'
import { spending } from './spending.ts'

export type { ProjectContext } from './context.ts'

const minute = 60_000

const parts: readonly Part[] = [...blocks, spending]

function all<K extends 'actions' | 'guards' | 'delays'>(what: K): Part[K] {
  return Object.assign({}, ...parts.map((part) => part[what])) as Part[K]
}

function comesWithSettings({ event }: Guarded): boolean {
  return event.type === 'project.applied' && event.settings !== undefined
}

const plain = readinessStates([
  { guard: 'isScheduledReady', target: '#project.scheduled.readiness.ready' },
  { guard: 'isScheduled', target: '#project.scheduled' },
  {},
])
const scheduled = readinessStates([{}])
const regions = Object.fromEntries(parts.map(({ region }) => [region.id, region]))

const states = {
  ...plain,
  scheduled: {
    type: 'parallel',
    meta: meta('project', 'follows its schedules', 'its regions name who'),
    states: {
      readiness: {
        meta: meta('project', 'whether it is ready', 'its states name who'),
        initial: 'notReady',
        states: scheduled,
      },
      refine: refineRegion,
      ...regions,
    },
  },
  // Not final: a Project of the same name may be applied again, and has the same id.
  deleted: {
    meta: meta('human', 'was deleted', 'a Project of this name is applied again'),
    entry: 'closeDeleted',
    on: {
      'project.applied': [
        { guard: 'isScheduled', target: '#project.scheduled', actions: ['configure', 'check'] },
        { target: 'notReady', actions: ['configure', 'check'] },
      ],
      'project.deleted': {},
    },
  },
} as const

export const projectMachine = setup({
  types: { context: {} as ProjectContext, events: {} as ProjectEvent, input: {} as MachineInput },
  delays: {
    /** A mirror is at most an hour stale, with one resync lost (MIRROR-1). */
    resync: 30 * minute,
    /** A Secret may come or a forge return without anything being applied. */
    recheck: 5 * minute,
    ...all('delays'),
  },
  actions: { ...readinessActions, ...all('actions'), keepRefineEnd },
  guards: {
    ...readinessGuards,
    ...all('guards'),
    refineLives: ({ context }) => context.scheduled !== null && context.scheduled.refine.task !== '',
    refineEnded: ({ context, event }) => event.type === 'task.ended' && event.task === context.scheduled?.refine.task,
    isScheduled: comesWithSettings,
    isScheduledReady: (args) => comesWithSettings(args) && args.context.reason === '',
  },
}).createMachine({
  // Nothing at the root: XState would still run it on a machine that is done.
  id: 'project',
  context: ({ input }) => newProject(input.id),
  initial: 'notReady',
  // The parts name their rows by text; XState's own types would pair every row with the whole union.
  states: states as unknown as { readonly [S in keyof typeof states]: object },
})

/** By the path of its state: with anything scheduled, readiness is one region of several. */
export function isReady(path: string | undefined): boolean {
  return path?.split(' ').some((leaf) => leaf === 'ready' || leaf === 'scheduled.readiness.ready') ?? false
}

/** The Tasks that live are unknown; when `documentation` and `upgrade` were last completed is unknown too. */
function awaitNone(snapshot: JsonObject): JsonObject[string] {
  const { scheduled } = snapshot['context'] as unknown as Pick<ProjectContext, 'scheduled'>
  if (scheduled === null) return null
  const blocks = blockNames.map((name) => {
    const last = name === 'documentation' || name === 'upgrade' ? null : scheduled.blocks[name].last
    return [name, { ...scheduled.blocks[name], last, awaited: [] }]
  })
  return { ...scheduled, blocks: Object.fromEntries(blocks) } as unknown as JsonObject
}

export const projectDefinition: MachineDefinition = {
  kind: 'project',
  version: 4,
  machine: projectMachine,
  createdBy: ['project.applied'],
  upgrades: {
    1: (snapshot) => withContext(snapshot, { at: 0, faults: [], isPaused: true, scheduled: null }),
    2: (snapshot) => snapshot,
    3: (snapshot) => withContext(snapshot, { since: {}, applied: {}, observed: {}, scheduled: awaitNone(snapshot) }),
  },
}
