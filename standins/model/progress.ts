/** Where a turn stands in its entry, and the next thing to do. */
import { isCall, type CallStep, type Entry, type ExpectStep, type FaultStep, type Step } from '../scenarios/format.ts'
import { slug } from '../scenarios/check.ts'
import { readCallId, type CallPlace } from './call-id.ts'
import { holds } from './condition.ts'
import type { PlayedCall, Turn } from './conversation.ts'
import { nextCall, type Call } from './expand.ts'
import type { Facts } from './facts.ts'
import { fill, MissingValue } from './template.ts'

export type Next =
  | { readonly do: 'call'; readonly say: string; readonly call: Call; readonly place: CallPlace }
  | { readonly do: 'end'; readonly say: string }
  | { readonly do: 'fail'; readonly say: string }
  | { readonly do: 'fault'; readonly fault: FaultStep; readonly step: number }

/** Faults leave no trace in a conversation, so the server counts them: the one thing a restart forgets. */
export type FaultSpent = (step: number, fault: FaultStep) => boolean

interface Cursor {
  readonly entry: Entry
  readonly turn: Turn
  readonly facts: Facts
  readonly faultSpent: FaultSpent
}

export function nextOf(entry: Entry, turn: Turn, facts: Facts, faultSpent: FaultSpent): Next {
  const cursor = { entry, turn, facts, faultSpent }
  const last = callsOf(turn, entry).at(-1)
  if (last === undefined) return walk(cursor, 0, '')
  const step = entry.steps[last.place.step]
  if (step === undefined || !isCall(step)) return fail(last.place.step, 'the scenario changed under this conversation')
  return guarded(last.place.step, () => afterCall(cursor, step, last))
}

function afterCall(cursor: Cursor, step: CallStep, last: PlacedCall): Next {
  const { entry, facts, turn } = cursor
  const earlier = callsOf(turn, entry).filter((one) => one.place.step === last.place.step)
  const answers = earlier.map(({ call }) => call.answer ?? { text: 'there was no answer', error: true })
  const tolerant =
    step.allowError === true || nextCall(step, last.place.part, answers.slice(0, -1), facts)?.tolerant === true
  const answer = answers.at(-1)
  if (answer?.error === true && !tolerant) return fail(last.place.step, answer.text)
  const part = last.place.part + 1
  const more = nextCall(step, part, answers, facts)
  if (more !== undefined)
    return { do: 'call', say: '', call: more, place: { entry: entry.name, step: last.place.step, part } }
  return walk(cursor, last.place.step + 1, answer?.text ?? '')
}

/** From this step on to the first that needs the client, with what is said on the way. */
function walk(cursor: Cursor, from: number, lastAnswer: string): Next {
  const { entry, facts, faultSpent } = cursor
  const said: string[] = []
  for (let index = from; index < entry.steps.length; index++) {
    const step = entry.steps[index] as Step
    const next = guarded(index, (): Next | undefined => {
      if (!holds(step.when, facts)) return undefined
      if ('fault' in step) return faultSpent(index, step) ? undefined : { do: 'fault', fault: step, step: index }
      if ('say' in step) said.push(String(fill(step.say, facts)))
      if ('expect' in step) return failUnless(index, unmet(step, lastAnswer, facts))
      return isCall(step) ? firstCall(cursor, step, index) : undefined
    })
    if (next !== undefined) return next.do === 'call' ? { ...next, say: said.join('\n\n') } : next
  }
  return { do: 'end', say: said.join('\n\n') || 'Done.' }
}

function firstCall(cursor: Cursor, step: CallStep, index: number): Next | undefined {
  const call = nextCall(step, 0, [], cursor.facts)
  return call === undefined
    ? undefined
    : { do: 'call', say: '', call, place: { entry: cursor.entry.name, step: index, part: 0 } }
}

function failUnless(step: number, reason: string | undefined): Next | undefined {
  return reason === undefined ? undefined : fail(step, reason)
}

/** A missing value is an error that the transcript shows, not a step that quietly does something else. */
function guarded<Result>(step: number, action: () => Result): Result | Extract<Next, { do: 'fail' }> {
  try {
    return action()
  } catch (error) {
    if (error instanceof MissingValue) return fail(step, error.message)
    throw error
  }
}

export const failurePrefix = 'I stop here: '

function fail(step: number, reason: string): Extract<Next, { do: 'fail' }> {
  return { do: 'fail', say: `${failurePrefix}step ${step + 1} failed: ${reason.trim().slice(0, 2000)}` }
}

interface PlacedCall {
  readonly call: PlayedCall
  readonly place: CallPlace
}

function callsOf(turn: Turn, entry: Entry): readonly PlacedCall[] {
  return turn.calls.flatMap((call) => {
    const place = readCallId(call.id)
    return place !== undefined && place.entry === slug(entry.name) ? [{ call, place }] : []
  })
}

/** What is wrong with an `expect` step, over the answer of the call before it or the value it names; undefined when it holds. */
function unmet(step: ExpectStep, lastAnswer: string, facts: Facts): string | undefined {
  const { value, contains, lacks, matches } = step.expect
  const text = value === undefined ? lastAnswer : print(fill(value, facts))
  const seen = `the answer was: ${text.length > 400 ? `${text.slice(0, 400)}...` : text}`
  if (contains !== undefined && !text.includes(print(fill(contains, facts))))
    return `expected the answer to contain "${contains}"; ${seen}`
  if (lacks !== undefined && text.includes(print(fill(lacks, facts))))
    return `expected the answer to lack "${lacks}"; ${seen}`
  if (matches !== undefined && !new RegExp(matches, 'ims').test(text))
    return `expected the answer to match /${matches}/; ${seen}`
  return undefined
}

function print(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
