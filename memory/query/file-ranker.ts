/**
 * Which files a question is about, by more than the words in them: the words of their paths, their own name as one word,
 * the changes whose subjects resemble the question, the files that change together with those found, what has their name (a
 * test and what it tests), and how often a file changes at all. Each signal is put in relation to its best file; their
 * weighted sum ranks.
 */
import { WordIndex } from './word-index.ts'

export interface Change {
  readonly subject: string
  readonly files: readonly string[]
  /** Epoch milliseconds. */
  readonly at: number
}

export interface Weights {
  readonly bestChunk: number
  readonly chunks: number
  readonly path: number
  readonly named: number
  readonly history: number
  readonly together: number
  readonly namesake: number
  readonly often: number
}

/** Found on fastify alone, and judged on others (`npm run bench -- retrieval`). */
export const weights: Weights = {
  bestChunk: 0.5,
  chunks: 0.5,
  path: 0.8,
  named: 0.3,
  history: 0.6,
  together: 0.3,
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
/** Half lives apart; beyond it a date is nobody's. */
const mostHalfLives = 60

type Scores = Map<string, number>

interface RankedFile {
  readonly repo: string
  readonly file: string
  readonly score: number
}

/** A file among those of several repositories. */
export function fileKey(repo: string, file: string): string {
  return `${repo}\0${file}`
}

/** What is known of the files of one repository; it follows what comes and goes. Files are named by their keys. */
export class FileRanker {
  readonly repo: string
  readonly #files = new Set<string>()
  readonly #changes = new Map<string, Change>()
  readonly #paths = new WordIndex<string>()
  readonly #subjects = new WordIndex<string>()
  readonly #together = new Map<string, Scores>()
  readonly #byName = new Map<string, Set<string>>()
  readonly #often: Scores = new Map()
  /** Weights are kept as of this moment, and told as of the newest change. */
  #epoch: number | undefined
  #newest = 0

  constructor(repo: string) {
    this.repo = repo
  }

  addFile(file: string): void {
    const key = fileKey(this.repo, file)
    if (this.#files.has(key)) return
    this.#files.add(key)
    this.#paths.add(key, pathWords(file))
    const name = nameOf(file)
    const namesakes = this.#byName.get(name)
    if (namesakes === undefined) this.#byName.set(name, new Set([key]))
    else namesakes.add(key)
  }

  removeFile(file: string): void {
    const key = fileKey(this.repo, file)
    if (!this.#files.delete(key)) return
    this.#paths.remove(key, pathWords(file))
    this.#byName.get(nameOf(file))?.delete(key)
  }

  /** `id`: of the memory that says so. */
  addChange(id: string, change: Change): void {
    if (change.files.length > mostChanged || this.#changes.has(id)) return
    this.#epoch ??= change.at
    this.#newest = Math.max(this.#newest, change.at)
    this.#changes.set(id, change)
    this.#subjects.add(id, change.subject)
    this.#learn(change, 1)
  }

  removeChange(id: string): void {
    const change = this.#changes.get(id)
    if (change === undefined) return
    this.#changes.delete(id)
    this.#subjects.remove(id, change.subject)
    this.#learn(change, -1)
  }

  has(key: string): boolean {
    return this.#files.has(key)
  }

  byPath(text: string): Scores {
    return this.#paths.score(text)
  }

  /** The square lets a change that resembles much count for more than many that resemble a little. */
  byHistory(text: string): Scores {
    const scores: Scores = new Map()
    const similar = [...this.#subjects.score(text)].toSorted(([, a], [, b]) => b - a).slice(0, similarChanges)
    for (const [id, score] of similar) {
      const change = this.#changes.get(id)
      if (change === undefined) continue
      const keys = change.files.map((file) => fileKey(this.repo, file)).filter((key) => this.has(key))
      const worth = score * score * halved(this.#newest - change.at, halfLifeYears.change)
      for (const key of keys) add(scores, key, worth / Math.sqrt(keys.length))
    }
    return scores
  }

  named(text: string): Scores {
    const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? []
    const long = words.filter((word) => word.length >= shortestName)
    return new Map(long.flatMap((word) => [...(this.#byName.get(word) ?? [])].map((key): [string, number] => [key, 1])))
  }

  /** Who is beside everybody gets less from each. */
  together(key: string): Scores {
    const scale = this.#scale()
    const size = this.often(key) + 2
    const beside = [...(this.#together.get(key) ?? [])].filter(([other]) => this.has(other))
    return new Map(beside.map(([other, weight]) => [other, (weight * scale) / size]))
  }

  namesakes(key: string): Scores {
    const others = [...(this.#byName.get(nameOf(key)) ?? [])].filter((other) => other !== key)
    return new Map(others.length >= mostNamesakes ? [] : others.map((other) => [other, 1 / others.length]))
  }

  often(key: string): number {
    return (this.#often.get(key) ?? 0) * this.#scale()
  }

  mostOften(): number {
    let most = 0
    for (const [key, often] of this.#often) if (this.has(key)) most = Math.max(most, often)
    return most * this.#scale()
  }

  #scale(): number {
    return halved(this.#newest - (this.#epoch ?? 0), halfLifeYears.together)
  }

  #learn({ files, at }: Change, sign: 1 | -1): void {
    const weight = sign * halved((this.#epoch ?? 0) - at, halfLifeYears.together)
    const keys = files.map((file) => fileKey(this.repo, file))
    for (const key of keys) {
      add(this.#often, key, weight)
      if (keys.length > mostTogether) continue
      for (const other of keys)
        if (other !== key) add(scoresOf(this.#together, key), other, weight / Math.log2(1 + keys.length))
    }
  }
}

/** `chunks`: for each file, by its key, the scores of its chunks that were found. Every file that any signal names, best first. */
export function rankFiles(
  rankers: ReadonlyMap<string, FileRanker>,
  text: string,
  chunks: ReadonlyMap<string, readonly number[]>,
  given: Weights = weights,
): RankedFile[] {
  const total: Scores = new Map()
  const all = [...rankers.values()]
  const mix = (scores: Scores, weight: number): void => {
    let best = Number.MIN_VALUE
    for (const score of scores.values()) best = Math.max(best, score)
    for (const [key, score] of scores) add(total, key, (weight * score) / best)
  }
  const joined = (signal: (ranker: FileRanker) => Scores): Scores => new Map(all.flatMap((one) => [...signal(one)]))
  const found = [...chunks].map(([key, scores]) => [key, scores.toSorted((a, b) => b - a)] as const)
  mix(new Map(found.map(([key, [first = 0]]) => [key, first])), given.bestChunk)
  mix(new Map(found.map(([key, scores]) => [key, shared(scores)])), given.chunks)
  mix(
    joined((one) => one.byPath(text)),
    given.path,
  )
  mix(
    joined((one) => one.byHistory(text)),
    given.history,
  )
  const first = [...total].toSorted(([, a], [, b]) => b - a).slice(0, seeds)
  const rankerOf = (key: string): FileRanker | undefined => rankers.get(key.slice(0, key.indexOf('\0')))
  mix(
    spread(first, (key) => rankerOf(key)?.together(key)),
    given.together,
  )
  mix(
    spread(first, (key) => rankerOf(key)?.namesakes(key)),
    given.namesake,
  )
  mix(
    joined((one) => one.named(text)),
    given.named,
  )
  const most = Math.log1p(all.reduce((highest, one) => Math.max(highest, one.mostOften()), Number.MIN_VALUE))
  const possible = Object.values(given).reduce((sum, weight) => sum + weight, 0)
  return [...total]
    .map(([key, score]): readonly [string, number] => {
      const often = Math.min(1, Math.log1p(rankerOf(key)?.often(key) ?? 0) / most)
      return [key, (score + given.often * often) / possible]
    })
    .toSorted(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
    .map(([key, score]) => ({ repo: key.slice(0, key.indexOf('\0')), file: key.slice(key.indexOf('\0') + 1), score }))
}

function halved(ms: number, years: number): number {
  return 0.5 ** Math.max(-mostHalfLives, Math.min(mostHalfLives, ms / yearMs / years))
}

function pathWords(file: string): string {
  return file.replaceAll(/[/.-]/g, ' ')
}

/** Without its folder, its extension, and what says that it is a test. */
function nameOf(file: string): string {
  const name = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\0')) + 1).toLowerCase()
  return name
    .replace(/\.[^.]*$/, '')
    .replaceAll(/(^|[._-])(tests?|spec)(?=$|[._-])/g, '')
    .replace(/tests?$/, '')
    .replaceAll(/^[._-]+|[._-]+$/g, '')
}

function shared(scores: readonly number[]): number {
  return chunkShares.reduce((sum, share, at) => sum + share * (scores[at] ?? 0), 0)
}

/** From the files that were found to those beside them. */
function spread(
  from: readonly (readonly [key: string, score: number])[],
  beside: (key: string) => Scores | undefined,
): Scores {
  const scores: Scores = new Map()
  for (const [key, score] of from) for (const [other, weight] of beside(key) ?? []) add(scores, other, score * weight)
  return scores
}

function add(scores: Scores, key: string, score: number): void {
  scores.set(key, (scores.get(key) ?? 0) + score)
}

function scoresOf(all: Map<string, Scores>, key: string): Scores {
  const known = all.get(key)
  if (known !== undefined) return known
  const fresh: Scores = new Map()
  all.set(key, fresh)
  return fresh
}
