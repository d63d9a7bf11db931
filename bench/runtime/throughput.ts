/** All contenders at all numbers of clients, round by round, and some of them again. */
import type { CellResult, CellSpec } from '../kit/measure/cell.ts'
import { lastLineOf } from '../kit/child.ts'
import { numberText } from '../kit/number-text.ts'
import type { ContenderInfo } from './contenders/contenders.ts'
import type { Cell, Measured } from './measured.ts'
import { visitUntilNarrow } from './pairing.ts'
import type { Plan } from './plan.ts'
import type { RunJournal } from '../kit/run-journal.ts'
import type { Servers } from './servers.ts'
import { withStore } from './servers.ts'
import { mostAttempts, mostForeignCores, undisturbed } from './undisturbed.ts'

/** Beyond measuring: opening a store, warming up, draining what a slow peer has begun. */
const overheadBoundMs = 90_000

export async function measureThroughput(
  servers: Servers,
  wanted: readonly ContenderInfo[],
  plan: Plan,
  journal: RunJournal,
): Promise<Measured[]> {
  const measured: Measured[] = []
  const cells = plan.clients.flatMap((clients) => wanted.map((contender) => ({ contender, clients })))
  await visitUntilNarrow(plan, cells, measured, async (cell, round) => {
    const name = `round ${round + 1} c=${cell.clients} ${cell.contender.name}`
    const again = (result: CellResult): void => journal.say(`disturbed: ${cellLine(name, result)}`)
    const limit = mostForeignCores[cell.contender.store]
    const result = await journal.attemptAgain(name, mostAttempts, (time) =>
      undisturbed(limit, (attempt) => measureCell(servers, cell, `${round}_${time}_${attempt}`, plan), again),
    )
    if (!result) return
    measured.push({ contender: cell.contender.name, clients: cell.clients, round, result })
    journal.say(cellLine(name, result))
  })
  return measured
}

function measureCell(servers: Servers, { contender, clients }: Cell, turn: string, plan: Plan): Promise<CellResult> {
  const { warmMs, measureMs, actors } = plan
  const tag = `${contender.name}_${clients}_${turn}`.replaceAll('-', '_')
  return withStore(servers, contender, tag, (place) =>
    lastLineOf<CellResult>(contender.program, {
      argument: {
        ...place,
        clients,
        warmMs,
        measureMs,
        tag,
        options: { actors, ...contender.options },
      } satisfies CellSpec,
      boundMs: warmMs + measureMs + overheadBoundMs,
    }),
  )
}

export function cellLine(name: string, result: CellResult): string {
  const { perSecond, ackP50Ms, ackP99Ms, effectP50Ms, cpuUs, logBytes, foreignCores } = result
  const figures = [
    `${numberText(perSecond)}/s`,
    `ack ${numberText(ackP50Ms)}/${numberText(ackP99Ms)} ms`,
    `effect ${numberText(effectP50Ms)} ms`,
    `CPU ${numberText(cpuUs)} µs`,
    `log ${numberText(logBytes)} B`,
    `others ${numberText(foreignCores)} cores`,
  ]
  return `${name}: ${figures.join(', ')}`
}
