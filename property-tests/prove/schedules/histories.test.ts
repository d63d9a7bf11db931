/** The laws of schedules over long random histories, in the prover's world; each finds the holes that break it. */
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { on } from '../../../machines/project/decide.ts'
import { handOut, refineFirst, upgrade } from '../../../machines/project/runs.ts'
import { drawnOf } from '../../../testing/drawn.ts'
import type { Changed } from '../../machines/world/world.ts'
import { cronHoles, withActions } from '../holes/of-schedules.ts'
import { acts, live } from './acts.ts'
import { scheduleLaws } from './laws.ts'

const numRuns = Number(process.env['STATEWRIGHT_RUNS'] ?? 300)
const seed = Number(process.env['STATEWRIGHT_SEED'] ?? 20261121)
const cronLaws = scheduleLaws.filter(({ law }) => law === 'schedule').map(({ says }) => says)

/** The first breach of a law that begins so; empty: none. */
function found(changed: Changed, finds: string, runs: number): string {
  const property = fc.property(acts, (history) => {
    const breach = live(history, changed).breaches.find((one) => one.startsWith(finds))
    if (breach !== undefined) throw new Error(breach)
  })
  const { failed, errorInstance } = fc.check(property, { numRuns: runs, seed, endOnFailure: true })
  return failed ? String(errorInstance) : ''
}

test(
  `in every history: ${scheduleLaws.map(({ says }) => says).join('; ')}`,
  { timeout: 60_000 + numRuns * 200 },
  () => {
    expect(found({}, '', numRuns)).toBe('')
  },
)

test('histories have runs of every block, sweeps that offer and sessions that begin', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(acts, (history) => {
      for (const moment of live(history, {}).trace)
        if (moment.kind === 'stepped' && moment.actor.startsWith('project:'))
          for (const { params } of moment.effects) {
            const event = params['event'] as { readonly type?: string; readonly kind?: string } | undefined
            if (event?.type) seen.add(event.kind ?? event.type)
          }
    }),
    { numRuns: 60, seed },
  )
  expect([...seen]).toEqual(
    expect.arrayContaining(['issue.offered', 'mr.offered', 'refine', 'brainstorm', 'documentation', 'upgrade']),
  )
})

type RandomHole = Pick<(typeof cronHoles)[number], 'wrong' | 'finds' | 'changed'>

/** What only a larger backlog than that of the prover's worlds shows. */
const holesOfBacklogs: readonly RandomHole[] = [
  {
    wrong: 'a sweep does not look at what is open',
    finds: 'no sweep hands out more than maxNewTasksPerSweep, or beyond maxOpenTasks',
    changed: withActions({
      'issueScan.handOut': on('backlog.read', (context, { backlog }) => handOut(context, { ...backlog, tasks: [] })),
    }),
  },
  {
    wrong: 'what was offered is forgotten beside new issues',
    finds: 'a head is offered once',
    changed: withActions({
      'issueScan.handOut': on('backlog.read', (context, { backlog }) =>
        handOut({ ...context, scheduled: { ...context.scheduled!, offered: [] } }, backlog),
      ),
    }),
  },
  {
    wrong: 'a brainstorm begins a refine of its own',
    finds: 'one refine lives at a time',
    changed: withActions({
      'brainstorm.refine': on('backlog.read', (context, { backlog }) =>
        refineFirst(context, 'brainstorm', { ...backlog, tasks: [] }),
      ),
    }),
  },
  {
    wrong: 'parked upgrades do not count',
    finds: 'upgrades and documentation keep to their lanes',
    changed: withActions({
      'upgrade.mint': on('backlog.read', (context, { backlog }) =>
        upgrade(context, { ...backlog, tasks: backlog.tasks.filter(({ open }) => open) }),
      ),
    }),
  },
]

describe('a law notices in a random history when', () => {
  it.each<RandomHole>(drawnOf<RandomHole>([...cronHoles, ...holesOfBacklogs], ({ wrong }) => wrong))(
    '$wrong: $finds',
    { timeout: 120_000 },
    ({ finds, changed }) => {
      expect(found(changed, finds, 2000)).toContain(finds)
    },
  )
})

test('no law of schedules is without a hole that a random history finds', () => {
  expect(cronLaws.filter((says) => !cronHoles.some(({ finds }) => finds === says))).toEqual([])
})
