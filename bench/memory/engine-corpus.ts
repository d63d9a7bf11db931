import { seeded } from '../../runtime/random.ts'
import type { EngineMemory } from '../../memory/engine/port.ts'

/** Words fall off in frequency as those of a language do (Zipf); names are made of two or three of them. */
const words = 20_000
const wordsInText = 130
const syllables = [
  'ba',
  'co',
  'di',
  'fe',
  'gu',
  'ha',
  'jo',
  'ki',
  'lo',
  'mu',
  'na',
  'pe',
  'qui',
  'ro',
  'su',
  'ta',
  've',
  'wo',
  'xi',
  'zu',
]

export interface Corpus {
  readonly memories: readonly EngineMemory[]
  /** Five words each, as people ask: of every frequency. */
  readonly queries: readonly string[]
}

/** One text a chunk. */
export function corpusOf(size: number, queryCount: number): Corpus {
  const random = seeded(11)
  const word = (): string => spelled(Math.floor(words ** random()))
  const name = (): string => {
    const parts = Array.from({ length: 2 + Math.floor(random() * 2) }, () => spelled(Math.floor(300 * random())))
    return parts.map((part) => part[0]!.toUpperCase() + part.slice(1)).join('')
  }
  const text = (): string => {
    const said = Array.from({ length: wordsInText }, (_, at) => (at % 11 === 5 ? name() : word()))
    return said.map((one, at) => one + (at % 13 === 12 ? '.\n' : ' ')).join('')
  }
  const memories = Array.from({ length: size }, (_, at) => ({
    id: `bench-${at}`,
    content: text(),
    metadata: { part: String(at % 10) },
    repo: `repo-${at % 5}`,
    file: `src/${spelled(at % 500)}/${spelled(at)}.ts`,
  }))
  return { memories, queries: Array.from({ length: queryCount }, () => Array.from({ length: 5 }, word).join(' ')) }
}

function spelled(number: number): string {
  let left = number + 1
  let text = ''
  do {
    text += syllables[left % syllables.length]
    left = Math.floor(left / syllables.length)
  } while (left > 0)
  return text.length < 4 ? `${text}n${text}` : text
}
