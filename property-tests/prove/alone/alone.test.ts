/** The smaller machines in every state that they come to alone; all of them are `npm run prove`. */
import { describe, expect, it } from 'vitest'
import { allMachines } from '../../../machines/registry.ts'
import { dropRows, rowsOn, state, withTable } from '../../machines/rewrite.ts'
import { leavesOf } from '../rows/draft.ts'
import { againstItsRow } from '../rows/judge.ts'
import { againstTheirRows } from '../rows/rules.ts'
import { alphabets } from './alphabet.ts'
import { holdAlone } from './hold.ts'
import { walked } from './life.ts'

const small = ['pod', 'turn', 'queue', 'ledger', 'model-key', 'memory', 'memory-stack', 'ingest-job'] as const
type Small = (typeof small)[number]

function alone(kind: Small, definitions = allMachines): ReturnType<typeof holdAlone> {
  return holdAlone(definitions.find((one) => one.kind === kind)!)
}

describe('a machine alone, told anything at any time', () => {
  it.each(small)('takes each step as its row says: %s', { timeout: 60_000 }, (kind) => {
    const { breaches, steps } = alone(kind)
    expect(breaches).toEqual([])
    expect(steps).toBeGreaterThan(500)
  })

  it('is found out when a row of its table is gone', { timeout: 60_000 }, () => {
    const changed = withTable('pod', (table) => dropRows(state(table, 'alive.idle'), 'pod.stop'))
    expect(alone('pod', changed).breaches.join('\n')).toContain('pod at alive.idle on pod.stop: its row asks for')
  })

  it('is found out when it forgets what it was told', { timeout: 60_000 }, () => {
    const changed = withTable('turn', (table) => {
      for (const row of rowsOn(state(table, 'open.submitting'), 'submit.conflict')) delete row['actions']
    })
    expect(alone('turn', changed).breaches.join('\n')).toContain('submit.conflict: its row leaves {"liveTurnId"')
  })

  it('is found out when a timer of its own length is armed for another', { timeout: 60_000 }, () => {
    const changed = allMachines.map((definition) =>
      definition.kind === 'ingest-job'
        ? { ...definition, machine: definition.machine.provide({ delays: { retry: () => 7000 } } as never) }
        : definition,
    )
    expect(alone('ingest-job', changed).breaches.join('\n')).toContain('its row arms retry for 10000 ms, the step 7000')
  })
})

describe('a walk of a machine alone', () => {
  const walks = allMachines.flatMap((definition) =>
    (alphabets[definition.kind].walks ?? []).map((walk) => ({ definition, walk })),
  )

  it('comes to where it says, each step as its row says', { timeout: 60_000 }, () => {
    const breaches: string[] = []
    const ends = walks.map(({ definition, walk }) => {
      const end = walked(definition, walk, (step) => breaches.push(...againstItsRow(step))).at(-1)
      return leavesOf(end?.snapshot?.value ?? '').join(' and ')
    })
    expect(breaches).toEqual([])
    expect(ends).toEqual(walks.map(({ walk }) => walk.to))
    expect(walks.length).toBeGreaterThan(200)
  })
})

describe('a rule that machines share', () => {
  it('comes to what its rows say', () => {
    expect(againstTheirRows()).toEqual([])
  })
})
