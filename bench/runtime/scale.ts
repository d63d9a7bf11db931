/** What a store of many actors costs: a hot few thousand of them, and any of them, which must be loaded first. */
import type { CellResult, CellSpec } from '../kit/measure/cell.ts'
import { lastLineOf } from '../kit/child.ts'
import { interleave } from '../kit/measure/interleave.ts'
import type { Plan } from './plan.ts'
import type { RunJournal } from '../kit/run-journal.ts'
import { seed } from './seed.ts'
import type { Servers } from './servers.ts'
import { cellLine } from './throughput.ts'
import { mostForeignCores, undisturbed } from './undisturbed.ts'

export interface ScaleResult {
  readonly population: number
  readonly pick: 'hot' | 'any'
  readonly round: number
  readonly result: CellResult
}

const program = new URL('./contenders/own-on-postgres.ts', import.meta.url)
const overheadBoundMs = 90_000

export async function measureScale({ postgres }: Servers, plan: Plan, { say }: RunJournal): Promise<ScaleResult[]> {
  const results: ScaleResult[] = []
  for (const population of plan.populations) {
    const startedAt = performance.now()
    await postgres.create(databaseOf(population))
    await seed(postgres.url(databaseOf(population)), population)
    say(`${population} actors seeded in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  }
  const cells = plan.populations.flatMap((population) => [
    { population, pick: 'hot' as const },
    { population, pick: 'any' as const },
  ])
  await interleave(plan.rounds, cells, async ({ population, pick }, round) => {
    const name = `round ${round + 1} ${pick} of ${population} actors`
    const measure = (attempt: number): Promise<CellResult> =>
      lastLineOf<CellResult>(program, {
        argument: {
          clients: plan.scaleClients,
          warmMs: plan.warmMs,
          measureMs: plan.measureMs,
          serverPids: [postgres.pid],
          store: postgres.url(databaseOf(population)),
          isPostgres: true,
          tag: `scale-${population}-${pick}-${round}-${attempt}`,
          options: { actors: pick === 'hot' ? plan.actors : population, pick },
        } satisfies CellSpec,
        boundMs: plan.warmMs + plan.measureMs + overheadBoundMs,
      })
    const again = (result: CellResult): void => say(`disturbed: ${cellLine(name, result)}`)
    const result = await undisturbed(mostForeignCores.postgres, measure, again)
    results.push({ population, pick, round, result })
    say(cellLine(name, result))
  })
  for (const population of plan.populations) await postgres.drop(databaseOf(population))
  return results
}

function databaseOf(population: number): string {
  return `scale_${population}`
}
