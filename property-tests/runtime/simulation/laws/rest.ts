/** R7, R10, R11: all comes to rest, nothing ends in silence, nobody is given up, and the journal replays. */
import { name } from './facts.ts'
import type { Facts, Law } from './facts.ts'

export const restLaws: readonly Law[] = [
  everythingComesToRest,
  nothingIsLeft,
  nobodyIsQuarantined,
  journalsReplay,
  viewsAreTheLastRow,
  poisonIsShown,
]

function everythingComesToRest({ stuck }: Facts): string[] {
  return stuck.map((stage) => `R7: ${stage} never came to its end`)
}

function nothingIsLeft({ leftovers }: Facts): string[] {
  return leftovers.map((row) => `R7: left behind: ${JSON.stringify(row)}`)
}

function nobodyIsQuarantined({ views }: Facts): string[] {
  return views
    .filter((view) => view.status === 'quarantined')
    .map((view) => `R10: ${view.address} is quarantined: ${view.fault}`)
}

function journalsReplay({ replays }: Facts): string[] {
  return replays.filter((replay) => !replay.equal).map((replay) => `R11: ${replay.address}: ${replay.firstDifference}`)
}

function viewsAreTheLastRow({ views, journals }: Facts): string[] {
  return views.flatMap((view) => {
    const last = journals.get(view.address)?.at(-1)
    return last?.path === view.path ? [] : [`R4: ${view.address} is ${view.path}, its journal says ${last?.path}`]
  })
}

function poisonIsShown({ rows, hasLetter, lettersWereMoved }: Facts): string[] {
  return rows
    .filter((row) => row.fault !== undefined && !hasLetter(row.key) && !lettersWereMoved)
    .map((row) => `R7: ${name(row)} threw and nothing shows it`)
}
