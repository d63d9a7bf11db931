/**
 * Mutants that no law need notice, each with why. What is not here and survives is work: a law is missing, or a world.
 */
import type { Judged } from './run.ts'

interface Known {
  readonly fits: RegExp
  readonly why: string
}

const known: readonly Known[] = [
  {
    fits: /conjunct (?:\w+\.)?event\.type === '|conjunct '\w+' in event|conjunct is\(event, '/,
    why: 'narrows the type: the guard is asked on the rows of that event only',
  },
  {
    fits: / always(?: \d)?: guard true$/,
    why: 'two rows that lead to each other for ever: such a table comes to no step at all',
  },
  {
    fits: /inFlight on turn\.activity: target inFlight dropped$/,
    why: 'the row enters its own state anew, which it does without a target as well',
  },
  { fits: /effect effect\('(postComment|postReview)'/, why: 'words for people: no law speaks of what is written' },
  { fits: /^machines\/task\/comments\.ts/, why: 'words for people: no law speaks of what is written' },
  {
    fits: /^project\S* after (resync|recheck)/,
    why: 'the mirror is read back against lost webhooks, and no webhook is lost in these worlds',
  },
  {
    fits: /^machines\/ingest-job\//,
    why: 'runs in the memory service, in a store and among events of its own: its laws are its tests',
  },
  {
    fits: /agent\.asked|agentAsked/,
    why: 'a question saves the agent a reminder; without it the third silence parks the Task as well',
  },
]

export function reasonFor({ name }: Pick<Judged, 'name'>): string | undefined {
  return known.find(({ fits }) => fits.test(name))?.why
}
