/**
 * What a maintainer says beside the kills, drawn from the seed of the kills. Each word that withholds the merge has the
 * word that lifts it, with a time limit: so the story can always end.
 */
import { seeded } from '../../runtime/random.ts'

/** Right before the kill; while the victim is down; when the orchestrator answers again. */
export type Moment = 'before' | 'down' | 'after'
type Sort = 'remark' | 'hold' | 'doubt' | 'changes'
/** Where it is written. Before there is a merge request, all is written on the issue. */
export type Form = 'issue' | 'mergeRequest' | 'review' | 'line'

interface Lift {
  readonly form: 'issue' | 'mergeRequest' | 'review'
  /** Index of the later kill beside which it is said, if that comes in time. */
  readonly kill: number | null
  /** Said at the latest so long after the word, or after the orchestrator has started again. */
  readonly afterMs: number
}

export interface PlannedWord {
  readonly n: number
  /** Index of the kill. */
  readonly kill: number
  readonly moment: Moment
  readonly sort: Sort
  readonly form: Form
  readonly text: string
  /** Of a word that withholds the merge. */
  readonly lift: (Lift & { readonly text: string }) | null
}

/** Each costs a park and another pod: more would only make the run longer. */
export const mostWithdrawals = 3
/** A lift of the same second as its word lifts nothing, because forges date in whole seconds. */
export const shortestLiftMs = 2_500
/** A merge that is going to be asked for is asked for within some seconds: an earlier lift would hide a merge over the word. */
export const earliestLiftMs = 8_000
export const longestLiftMs = 20_000
/** How often a kill has a second word. */
const secondShare = 0.4
/** Keeps these draws apart from those of the kills. */
const salt = 0x5ea4

export function planWords(kills: number, seed: number): readonly PlannedWord[] {
  const draw = seeded(seed ^ salt)
  const withheldAt = indexes(kills)
    .map((kill) => ({ kill, order: draw() }))
    .toSorted((a, b) => a.order - b.order)
    .slice(0, mostWithdrawals)
    .map(({ kill }) => kill)
  const words: PlannedWord[] = []
  for (const kill of indexes(kills)) {
    const moments = draw() < secondShare ? 2 : 1
    const [first, ...others] = shuffled(draw, ['before', 'down', 'after'])
    for (const moment of [first, ...others].slice(0, moments)) {
      const rank = moment === first ? withheldAt.indexOf(kill) : -1
      const sort = rank < 0 ? 'remark' : sortOf(draw, rank)
      words.push(wordOf(draw, { n: words.length + 1, kill, kills, moment: moment ?? 'down', sort }, seed))
    }
  }
  return words
}

/** The first is a `/hold`; of requests for changes there is one at most, since each costs a lap of work. */
function sortOf(draw: () => number, rank: number): Sort {
  if (rank === 0) return 'hold'
  return rank === 1 ? pick(draw, ['doubt', 'changes']) : pick(draw, ['hold', 'doubt'])
}

interface Place {
  readonly n: number
  readonly kill: number
  readonly kills: number
  readonly moment: Moment
  readonly sort: Sort
}

function wordOf(draw: () => number, { n, kill, kills, moment, sort }: Place, seed: number): PlannedWord {
  // A review takes the forge some time: right before a kill it would come too late for the state that the kill is aimed at.
  const early = moment === 'before'
  const form = pick<Form>(draw, early ? ['issue', 'mergeRequest'] : ['issue', 'mergeRequest', 'review', 'line'])
  const name = `Word ${n} of seed ${seed}`
  const asChanges = sort === 'changes' && !early
  const real = sort === 'changes' && early ? 'doubt' : sort
  return {
    n,
    kill,
    moment,
    sort: real,
    form: asChanges ? 'review' : form,
    text: textOf(real, name),
    lift: real === 'remark' ? null : { ...liftOf(draw, kill, kills), text: `/approve\n\n${name} is answered.` },
  }
}

function textOf(sort: Sort, name: string): string {
  if (sort === 'hold') return `/hold\n\n${name}: I want to look at this first.`
  if (sort === 'doubt') return `${name}: please hold off, legal has to look at this first.`
  if (sort === 'changes') return `${name}: the error could name the position too.`
  return `${name}: the names of the tests read well.`
}

function liftOf(draw: () => number, kill: number, kills: number): Lift {
  const form = pick<Lift['form']>(draw, ['issue', 'mergeRequest', 'review'])
  const beside = kill + 1 < kills && draw() < 0.5 ? kill + 1 + Math.floor(draw() * (kills - kill - 1)) : null
  return { form, kill: beside, afterMs: Math.round(earliestLiftMs + draw() * (longestLiftMs - earliestLiftMs)) }
}

function pick<T>(draw: () => number, from: readonly [T, ...T[]]): T {
  return from[Math.floor(draw() * from.length)] ?? from[0]
}

function shuffled(draw: () => number, moments: readonly Moment[]): readonly Moment[] {
  return moments
    .map((moment) => ({ moment, order: draw() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ moment }) => moment)
}

function indexes(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index)
}
