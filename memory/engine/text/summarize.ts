import { sentencesOf } from './sentences.ts'
import { termsOf } from './tokenize.ts'

export interface Passage {
  readonly content: string
  readonly score: number
}

/** A paragraph that one reads. */
const mostSentences = 6
const mostCharacters = 1_200
/** Carbonell and Goldstein 1998: how much a sentence's own worth counts against its likeness to those told already. */
const lambda = 0.7
/** Likeness is compared among the best so many. */
const mostCandidates = 120

interface Candidate {
  readonly sentence: string
  readonly terms: ReadonlySet<string>
  readonly worth: number
  readonly place: number
}

/** Sentences of the passages themselves, chosen for the query and for saying different things, in the passages' order. */
export function summarize(query: string, passages: readonly Passage[]): string {
  const asked = new Set(termsOf(query).keys())
  const candidates = passages
    .flatMap((passage, rank) =>
      sentencesOf(passage.content).map((sentence, at) => candidate(sentence, passage, asked, rank * 1_000 + at)),
    )
    .toSorted((a, b) => b.worth - a.worth || a.place - b.place)
    .slice(0, mostCandidates)
  const chosen = choose(candidates)
  if (chosen.length === 0) return leadOf(passages)
  return chosen
    .toSorted((a, b) => a.place - b.place)
    .map((one) => one.sentence)
    .join(' ')
}

function candidate(sentence: string, passage: Passage, asked: ReadonlySet<string>, place: number): Candidate {
  const terms = new Set(termsOf(sentence).keys())
  const covered = asked.size === 0 ? 0 : [...asked].filter((term) => terms.has(term)).length / asked.size
  return { sentence, terms, worth: passage.score * (0.2 + covered), place }
}

function choose(candidates: readonly Candidate[]): Candidate[] {
  const chosen: Candidate[] = []
  const left = new Set(candidates)
  let characters = 0
  while (chosen.length < mostSentences && left.size > 0) {
    let best: { one: Candidate; value: number } | undefined
    for (const one of left) {
      const value =
        lambda * one.worth - (1 - lambda) * Math.max(0, ...chosen.map((other) => likeness(one.terms, other.terms)))
      if (!best || value > best.value) best = { one, value }
    }
    left.delete(best!.one)
    if (characters + best!.one.sentence.length > mostCharacters && chosen.length > 0) continue
    chosen.push(best!.one)
    characters += best!.one.sentence.length
  }
  return chosen
}

function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const both = [...one].filter((term) => other.has(term)).length
  return both === 0 ? 0 : both / (one.size + other.size - both)
}

/** Passages of code have no sentences: their first lines say what they are. */
function leadOf(passages: readonly Passage[]): string {
  const leads = passages
    .slice(0, 3)
    .map(({ content }) => content.trim().split('\n').slice(0, 4).join('\n').slice(0, 400))
  return leads.join('\n…\n')
}
