/** Whose turn it is: the same for every contender that has actors. */
import type { CellSpec } from '../../kit/measure/cell.ts'
import { shares } from '../../kit/measure/closed-loop.ts'

/**
 * As many as 4,096 actors are for each of 128 clients. A lone client that went through all of them would measure how an
 * actor is read for the first time; what that costs, cells over many actors say.
 */
const mostOfClient = 32

export type Pick = (client: number) => number

/** Each client goes round a share of its own. */
export function actorTurns({ options, clients }: CellSpec): Pick {
  return shares(Math.min(Number(options['actors']), mostOfClient * clients), clients)
}
