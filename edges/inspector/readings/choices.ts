/** What a person may filter lists by, in the words that the page shows. Pure: what there is was counted before. */
import type { ActorKind } from '../../../machines/definition.ts'
import { reasons } from '../../../machines/generated/reasons.ts'
import { wordFor } from '../../../machines/why/standing.ts'
import type { Tally } from '../../../runtime/runtime.ts'
import type { ChoicesAnswer } from './answers.ts'

type Choice = ChoicesAnswer['items'][number]

/** Of the texts that actors list. */
export const chosenTexts = ['project', 'repository', 'person', 'reason'] as const

/** Of one filter and one kind; nobody reads more. */
const mostChoices = 200

export function choicesOf({ states, words }: Tally): readonly Choice[] {
  const ofWords = words.flatMap(({ kind, name, word, count }): readonly Choice[] => {
    const filter = chosenTexts.find((known) => known === name)
    if (filter === undefined || word === '') return []
    return [{ filter, kind, value: word, text: filter === 'reason' ? reasonText(kind, word) : word, count }]
  })
  const ofStates = states.flatMap(({ kind, path, count }): readonly Choice[] => [
    { filter: 'kind', kind, value: kind, text: kind, count },
    ...path.split(' ').flatMap((leaf) => stateChoice(kind, leaf, count)),
  ])
  return cut([...ofWords, ...ofStates])
}

/** What differs by its count alone is one. */
function cut(all: readonly Choice[]): readonly Choice[] {
  const sums = new Map<string, Choice>()
  for (const one of all) {
    const key = [one.filter, one.kind, one.value].join(' ')
    sums.set(key, { ...one, count: one.count + (sums.get(key)?.count ?? 0) })
  }
  const inOrder = [...sums.values()].toSorted((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1))
  return [...Map.groupBy(inOrder, ({ filter, kind }) => `${filter} ${kind}`).values()].flatMap((some) =>
    some.slice(0, mostChoices),
  )
}

const reasonNames = Object.keys(reasons).map((name) => name.toLowerCase())

/** Actors list the last part of a reason's name: what differs in the rest is found together. */
function reasonText(kind: ActorKind, word: string): string {
  const texts = Object.values(reasons).flatMap(({ text }, index) => {
    const name = reasonNames[index] ?? ''
    return name.startsWith(`${kind}/`) && name.endsWith(`/${word}`) ? [text] : []
  })
  return texts.length === 0 ? word : [...new Set(texts)].join('; ')
}

const inReadiness = 'scheduled.readiness.'

/**
 * The stage of a Task by its name; of any other region the word of its state. A Project is ready or not in either of two states, which
 * have one name. Null: another region has the word.
 */
function stateChoice(kind: ActorKind, leaf: string, count: number): readonly Choice[] {
  const [stage, name] = (kind === 'task' && /^stage(?:\.live(?:\.(?:active|parked))?)?\.([^.]+)/.exec(leaf)) || []
  if (stage !== undefined && name !== undefined) return [{ filter: 'state', kind, value: stage, text: name, count }]
  const word = wordFor(`${kind}/${leaf}`)
  if (word === null || leaf === '') return []
  const value = kind === 'project' && leaf.startsWith(inReadiness) ? leaf.slice(inReadiness.length) : leaf
  const last = value.split('.').slice(-2).join('.')
  return [{ filter: 'state', kind, value, text: word === undefined ? last : `${word.word} (${last})`, count }]
}
