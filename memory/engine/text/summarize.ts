import type { Description, Passage } from '../port.ts'
import { readableOf } from './readable.ts'
import { isTestFile } from './test-files.ts'
import { termsOf } from './tokenize.ts'

/** A paragraph that one reads. */
const mostSentences = 6
const mostCharacters = 1_200
/** Carbonell and Goldstein 1998: how much a sentence's own worth counts against its likeness to those told already. */
const lambda = 0.7
/** Likeness is compared among the best so many. */
const mostCandidates = 120
/** What tests say of a thing counts so much less than what the thing says. */
const worthOfTests = 0.5

interface Candidate {
  readonly sentence: string
  /** It is then code of one line, which a sentence of ours names. */
  readonly isSignature: boolean
  readonly terms: ReadonlySet<string>
  readonly worth: number
  readonly passage: number
  readonly location: number
}

/**
 * Sentences of the passages themselves, chosen for the query and for saying different things, in the passages' order, those
 * of tests behind the others. A signature is one where it has a word of the query: others only fill a paragraph.
 */
export function summarize(query: string, passages: readonly Passage[]): Description {
  const asked = new Set(termsOf(query).keys())
  const candidates = passages
    .flatMap((passage, at) => {
      const { sentences, signatures } = readableOf(passage.content, passage)
      const [prose, code] = [new Set(sentences), new Set(signatures)]
      return [...prose, ...code].map((sentence, location) =>
        candidate(sentence, { passage, at, location, isSignature: location >= prose.size }, asked),
      )
    })
    .filter(({ isSignature, terms }) => !isSignature || asked.size === 0 || [...asked].some((term) => terms.has(term)))
    .toSorted((a, b) => b.worth - a.worth || a.passage - b.passage || a.location - b.location)
    .slice(0, mostCandidates)
  const chosen = choose(candidates)
  const isTest = (at: number): boolean => isTestFile(passages[at]?.file ?? '')
  const uses = [...new Set(chosen.map((one) => one.passage))].toSorted(
    (a, b) => Number(isTest(a)) - Number(isTest(b)) || a - b,
  )
  const paragraphs = uses.map((at) => {
    const sentences = chosen.filter((one) => one.passage === at).toSorted((a, b) => a.location - b.location)
    const { file } = passages[at]!
    const lead = file === undefined || file.startsWith('@') ? '' : `${file}: `
    const prose = sentences.filter((one) => !one.isSignature).map((one) => one.sentence)
    const code = sentences.filter((one) => one.isSignature).map((one) => `\`${one.sentence}\``)
    return `${lead}${[...prose, ...(code.length === 0 ? [] : [`It has ${listed(code)}.`])].join(' ')}`
  })
  return { summary: paragraphs.join('\n\n'), generatedBy: 'extractive', uses }
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

interface Location {
  readonly isSignature: boolean
  readonly passage: Passage
  readonly at: number
  readonly location: number
}

function candidate(
  sentence: string,
  { passage, at, location, isSignature }: Location,
  asked: ReadonlySet<string>,
): Candidate {
  const terms = new Set(termsOf(sentence).keys())
  const covered = asked.size === 0 ? 0 : [...asked].filter((term) => terms.has(term)).length / asked.size
  const share = isTestFile(passage.file ?? '') ? worthOfTests : 1
  return { sentence, isSignature, terms, worth: share * passage.score * (0.2 + covered), passage: at, location }
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
