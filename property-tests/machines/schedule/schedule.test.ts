/** The laws of schedules over random histories, each held to by mutants that break it. */
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { on } from '../../../machines/project/decide.ts'
import { projectMachine } from '../../../machines/project/machine.ts'
import { handOut, refineFirst, upgrade } from '../../../machines/project/runs.ts'
import { machines } from '../../../machines/registry.ts'
import { state, withTable, type Part } from '../rewrite.ts'
import { scheduleLaws } from './laws.ts'
import { acts, live, type Changed } from './world.ts'

const numRuns = Number(process.env['STATEWRIGHT_RUNS'] ?? 300)
const seed = Number(process.env['STATEWRIGHT_SEED'] ?? 20261121)
type LawName = keyof typeof scheduleLaws

function found(changed: Changed, names: readonly LawName[], runs: number): fc.RunDetails<unknown> {
  const property = fc.property(acts, (history) => {
    const trace = live(history, changed)
    const breaches = names.flatMap((name) => scheduleLaws[name].breaches(trace).map((one) => `${name}: ${one}`))
    if (breaches.length > 0) throw new Error(breaches.slice(0, 3).join('\n'))
  })
  return fc.check(property, { numRuns: runs, seed, endOnFailure: true }) as never
}

const real: Changed = { definitions: machines }
const allLaws = Object.keys(scheduleLaws) as LawName[]

test(
  `in every history: ${Object.values(scheduleLaws)
    .map(({ says }) => says)
    .join('; ')}`,
  { timeout: 60_000 + numRuns * 200 },
  () => {
    const result = found(real, allLaws, numRuns)
    expect(result.failed ? String(result.errorInstance) : '').toBe('')
  },
)

test('histories have runs of every block, sweeps that offer and sessions that begin', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(acts, (history) => {
      for (const moment of live(history, real))
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

function withActions(actions: Readonly<Record<string, unknown>>): Changed {
  const machine = projectMachine.provide({ actions } as never)
  return {
    definitions: machines.map((definition) =>
      definition.kind === 'project' ? { ...definition, machine } : definition,
    ),
  }
}

function table(change: (table: Part) => void): Changed {
  return { definitions: withTable('project', change) }
}

const dueOf = (root: Part, name: string): Part => state(root, `scheduled.${name}.due`)

const mutants: readonly { readonly law: LawName; readonly wrong: string; readonly changed: Changed }[] = [
  {
    law: 'pause',
    wrong: 'a due tick runs whether paused or not',
    changed: table((root) => {
      dueOf(root, 'documentation')['always'] = [{ target: 'running' }]
    }),
  },
  {
    law: 'once',
    wrong: 'missed ticks are asked for one after another',
    changed: {
      definitions: machines,
      tamper: (_actor, effects) =>
        effects.map((effect) =>
          effect.type === 'planTick'
            ? { ...effect, params: { ...effect.params, after: Number(effect.params['after']) - 36e6 } }
            : effect,
        ),
    },
  },
  {
    law: 'caps',
    wrong: 'a sweep looks at what it minted, and not at what is open',
    changed: withActions({
      'issueScan.handOut': on('backlog.read', (context, { backlog }) => handOut(context, { ...backlog, tasks: [] })),
    }),
  },
  {
    law: 'heads',
    wrong: 'what was offered is forgotten',
    changed: withActions({
      'issueScan.handOut': on('backlog.read', (context, { backlog }) =>
        handOut({ ...context, scheduled: { ...context.scheduled!, offered: [] } }, backlog),
      ),
    }),
  },
  {
    law: 'refines',
    wrong: 'each block begins a refine of its own',
    changed: withActions({
      'brainstorm.refine': on('backlog.read', (context, { backlog }) =>
        refineFirst(context, 'brainstorm', { ...backlog, tasks: [] }),
      ),
    }),
  },
  {
    law: 'floor',
    wrong: 'a session begins at its tick, however short ago the last one was',
    changed: table((root) => {
      const due = dueOf(root, 'brainstorm')
      due['always'] = (due['always'] as Part[]).filter(({ target }) => target !== 'resting')
    }),
  },
  {
    law: 'upgrades',
    wrong: 'parked upgrades do not count',
    changed: withActions({
      'upgrade.mint': on('backlog.read', (context, { backlog }) =>
        upgrade(context, { ...backlog, tasks: backlog.tasks.filter(({ open }) => open) }),
      ),
    }),
  },
]

describe('a law notices when', () => {
  it.each(mutants)('$wrong ($law)', { timeout: 120_000 }, ({ law, changed }) => {
    const result = found(changed, [law], 2000)
    expect(result.failed).toBe(true)
    expect(String(result.errorInstance)).toContain(`${law}: `)
  })
})

it('no law is without a mutant that breaks it', () => {
  expect(allLaws.filter((name) => !mutants.some(({ law }) => law === name))).toEqual([])
})
