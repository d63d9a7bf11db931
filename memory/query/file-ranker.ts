/**
 * Which files a question is about, by more than the words in them: the words of their paths, their own name as one word,
 * the changes whose subjects resemble the question, the files that change together with those found, what is linked with
 * them in the code graph, what has their name (a test and what it tests), and how often a file changes at all. Each signal is put in relation to its best file; their weighted sum ranks.
 */
import { wordIndex, type WordIndex } from './word-index.ts'

export interface Change {
  readonly subject: string
  readonly files: readonly string[]
  /** Epoch milliseconds. */
  readonly at: number
}

export interface FileLink {
  readonly from: string
  readonly to: string
  readonly confidence: number
}

export interface FileCorpus {
  readonly files: readonly string[]
  readonly changes: readonly Change[]
  readonly links: readonly FileLink[]
}

export interface Weights {
  readonly bestChunk: number
  readonly chunks: number
  readonly path: number
  readonly named: number
  readonly history: number
  readonly together: number
  readonly linked: number
  readonly namesake: number
  readonly often: number
}

/** Found on fastify alone, and reported for others (`npm run bench -- retrieval`). */
export const weights: Weights = {
  bestChunk: 0.5,
  chunks: 0.5,
  path: 0.8,
  named: 0.3,
  history: 0.6,
  together: 0.3,
  linked: 0.1,
  namesake: 0.2,
  often: 0.2,
}

/** A change of the whole repository (a formatter, a licence) says nothing of any file. */
const mostChanged = 30
/** Files of one change belong together the less, the more they are. */
const mostTogether = 15
const similarChanges = 60
const seeds = 10
/** Of the second and third best chunk of a file. */
const chunkShares = [1, 0.5, 0.25]
/** What is as old as this counts half: for a change that resembles, and for files that change together. */
const halfLifeYears = { change: 4, together: 3 } as const
/** A name that more files have (`index`, `mod`) says nothing. */
const mostNamesakes = 6
/** A shorter one is in too many questions by chance. */
const shortestName = 3
const yearMs = 365.25 * 86_400_000

type Scores = Map<string, number>

export class FileRanker {
  readonly #files: readonly string[]
  readonly #known: ReadonlySet<string>
  readonly #changes: readonly Change[]
  readonly #paths: WordIndex
  readonly #subjects: WordIndex
  readonly #together = new Map<string, Scores>()
  readonly #linked = new Map<string, Scores>()
  readonly #byName: ReadonlyMap<string, readonly string[]>
  readonly #often: Scores = new Map()
  readonly #newest: number
  readonly #weights: Weights

  constructor({ files, changes, links }: FileCorpus, given: Weights = weights) {
    this.#weights = given
    this.#files = files
    this.#known = new Set(files)
    this.#byName = Map.groupBy(files, nameOf)
    this.#changes = changes.filter((change) => change.files.length <= mostChanged)
    this.#newest = this.#changes.reduce((latest, { at }) => Math.max(latest, at), 0)
    this.#paths = wordIndex(files.map((file) => file.replaceAll(/[/.-]/g, ' ')))
    this.#subjects = wordIndex(this.#changes.map(({ subject }) => subject))
    for (const change of this.#changes) this.#learn(change)
    for (const { from, to, confidence } of links)
      for (const [one, other] of [
        [from, to],
        [to, from],
      ] as const)
        if (this.#known.has(one) && this.#known.has(other) && one !== other)
          add(scoresOf(this.#linked, one), other, confidence)
  }

  /** `chunks`: for each file the scores of its chunks that were found. Every file that any signal names, best first. */
  rank(text: string, chunks: ReadonlyMap<string, readonly number[]>): { file: string; score: number }[] {
    const total: Scores = new Map()
    const mix = (scores: Scores, weight: number): void => {
      const best = Math.max(...scores.values(), Number.MIN_VALUE)
      for (const [file, score] of scores) add(total, file, (weight * score) / best)
    }
    const { bestChunk, chunks: all, path, named, history, together, linked, namesake, often } = this.#weights
    const found = [...chunks].map(([file, scores]) => [file, scores.toSorted((a, b) => b - a)] as const)
    mix(new Map(found.map(([file, [first = 0]]) => [file, first])), bestChunk)
    mix(new Map(found.map(([file, scores]) => [file, shared(scores)])), all)
    mix(this.#byPath(text), path)
    mix(this.#byHistory(text), history)
    const first = [...total].toSorted(([, a], [, b]) => b - a).slice(0, seeds)
    mix(
      spread(
        first,
        (file) => this.#together.get(file),
        (file) => (this.#often.get(file) ?? 0) + 2,
      ),
      together,
    )
    mix(
      spread(
        first,
        (file) => this.#linked.get(file),
        (file) => (this.#linked.get(file)?.size ?? 0) + 2,
      ),
      linked,
    )
    mix(
      spread(
        first,
        (file) => this.#namesakes(file),
        () => 1,
      ),
      namesake,
    )
    mix(this.#named(text), named)
    const most = Math.log1p(Math.max(...this.#often.values(), Number.MIN_VALUE))
    for (const [file, score] of total) total.set(file, score + (often * Math.log1p(this.#often.get(file) ?? 0)) / most)
    const possible = bestChunk + all + path + named + history + together + linked + namesake + often
    return [...total]
      .map(([file, score]) => ({ file, score: score / possible }))
      .toSorted((one, other) => other.score - one.score || (one.file < other.file ? -1 : 1))
  }

  #learn({ files, at }: Change): void {
    const known = files.filter((file) => this.#known.has(file))
    const weight = this.#aged(at, halfLifeYears.together)
    for (const file of known) {
      add(this.#often, file, weight)
      if (known.length > mostTogether) continue
      for (const other of known)
        if (other !== file) add(scoresOf(this.#together, file), other, weight / Math.log2(1 + known.length))
    }
  }

  #aged(at: number, halfLife: number): number {
    return 0.5 ** ((this.#newest - at) / yearMs / halfLife)
  }

  #byPath(text: string): Scores {
    return new Map([...this.#paths.score(text)].map(([at, score]) => [this.#files[at] ?? '', score]))
  }

  #named(text: string): Scores {
    const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? []
    return new Map(words.filter((word) => word.length >= shortestName).flatMap((word) => this.#filesNamed(word)))
  }

  #filesNamed(name: string): [string, number][] {
    return (this.#byName.get(name) ?? []).map((file) => [file, 1])
  }

  #namesakes(file: string): Scores {
    const others = (this.#byName.get(nameOf(file)) ?? []).filter((other) => other !== file)
    return new Map(others.length >= mostNamesakes ? [] : others.map((other) => [other, 1 / others.length]))
  }

  /** The square lets a change that resembles much count for more than many that resemble a little. */
  #byHistory(text: string): Scores {
    const scores: Scores = new Map()
    const similar = [...this.#subjects.score(text)].toSorted(([, a], [, b]) => b - a).slice(0, similarChanges)
    for (const [at, score] of similar) {
      const change = this.#changes[at]
      if (change === undefined) continue
      const files = change.files.filter((file) => this.#known.has(file))
      for (const file of files)
        add(scores, file, (score * score * this.#aged(change.at, halfLifeYears.change)) / Math.sqrt(files.length))
    }
    return scores
  }
}

/** Without its folder, its extension, and what says that it is a test. */
function nameOf(file: string): string {
  const name = file.slice(file.lastIndexOf('/') + 1).toLowerCase()
  return name
    .replace(/\.[^.]*$/, '')
    .replaceAll(/(^|[._-])(tests?|spec)(?=$|[._-])/g, '')
    .replace(/tests?$/, '')
    .replaceAll(/^[._-]+|[._-]+$/g, '')
}

function shared(scores: readonly number[]): number {
  return chunkShares.reduce((sum, share, at) => sum + share * (scores[at] ?? 0), 0)
}

/** From the files that were found to those beside them; who is beside everybody gets less from each. */
function spread(
  from: readonly (readonly [file: string, score: number])[],
  beside: (file: string) => Scores | undefined,
  size: (file: string) => number,
): Scores {
  const scores: Scores = new Map()
  for (const [file, score] of from)
    for (const [other, weight] of beside(file) ?? []) add(scores, other, (score * weight) / size(file))
  return scores
}

function add(scores: Scores, file: string, score: number): void {
  scores.set(file, (scores.get(file) ?? 0) + score)
}

function scoresOf(all: Map<string, Scores>, file: string): Scores {
  const known = all.get(file)
  if (known !== undefined) return known
  const fresh: Scores = new Map()
  all.set(file, fresh)
  return fresh
}
