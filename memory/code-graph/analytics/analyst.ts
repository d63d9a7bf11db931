import type { EdgeFilter, GraphArrays, GraphView } from '../../graph/port.ts'
import { tiers } from '../../graph/model.ts'
import type { EdgeList } from '../../communities/links.ts'
import { Slots } from '../../slots.ts'
import { placesWithout, type Aside } from '../own-code.ts'
import type { JobKind, JobResults } from './jobs.ts'
import { runInThread, type RunJob } from './thread.ts'

/** A newer version came while this one was worked on. */
export class OvertakenError extends Error {
  override readonly name = 'OvertakenError'
}

export interface Question<K extends JobKind> {
  readonly kind: K
  readonly filter: EdgeFilter
  /** Left out with all their edges. */
  readonly without?: readonly Aside[]
  readonly seed: number
}

export interface Answer<K extends JobKind> {
  readonly result: JobResults[K]
  /** Places of the edges that were looked at in the graph's own list, where not all of them were. */
  readonly positions: Int32Array
  /** The same of the entities: what `result` counts from 0. */
  readonly places: Int32Array
  readonly arrays: GraphArrays
}

interface OneVersion {
  readonly version: number
  readonly overtaken: AbortController
  readonly answers: Map<string, Promise<Answer<JobKind>>>
}

/** Threads at once: the service goes on answering meanwhile. */
const mostAtOnce = 2
/** Answers kept of one version, and versions (one a repository): filters make questions countless. */
const mostAnswers = 32
const mostRepos = 64

/** Works out each question once a version. A version that is overtaken is dropped with all that is under way for it. */
export class Analyst {
  readonly #run: RunJob
  readonly #repos = new Map<string, OneVersion>()
  readonly #slots = new Slots(mostAtOnce)

  constructor(run: RunJob = runInThread) {
    this.#run = run
  }

  /** Rejects with `OvertakenError` when the view's version is no longer the newest that was asked about. */
  async ask<K extends JobKind>(view: GraphView, question: Question<K>): Promise<Answer<K>> {
    const { answers, overtaken } = this.#versionOf(view)
    const key = JSON.stringify([question.kind, question.filter, question.without, question.seed])
    const known = answers.get(key)
    if (known !== undefined) return known as Promise<Answer<K>>
    const answer = this.#work(view, question, overtaken.signal)
    answers.set(key, answer)
    for (const oldest of answers.keys()) {
      if (answers.size <= mostAnswers) break
      answers.delete(oldest)
    }
    // What failed is tried anew by who asks next.
    answer.catch(() => answers.delete(key))
    return answer
  }

  #versionOf({ head: { repo, version } }: GraphView): OneVersion {
    const known = this.#repos.get(repo)
    if (known?.version === version) return known
    if (known !== undefined && known.version > version) throw new OvertakenError(`${repo} has a newer version`)
    known?.overtaken.abort(new OvertakenError(`${repo} has a newer version`))
    const fresh: OneVersion = { version, overtaken: new AbortController(), answers: new Map() }
    this.#repos.delete(repo)
    this.#repos.set(repo, fresh)
    for (const oldest of this.#repos.keys()) {
      if (this.#repos.size <= mostRepos) break
      this.#repos.delete(oldest)
    }
    return fresh
  }

  async #work<K extends JobKind>(view: GraphView, question: Question<K>, signal: AbortSignal): Promise<Answer<K>> {
    const arrays = await view.arrays()
    const places = placesWithout(arrays.entities, question.without ?? [])
    const nodeAt = new Int32Array(arrays.ids.length).fill(-1)
    for (const [node, place] of places.entries()) nodeAt[place] = node
    const positions = wantedPositions(arrays, question.filter, nodeAt)
    const edges = edgeList(arrays, positions, { nodes: places.length, nodeAt })
    const job = { kind: question.kind, edges, seed: question.seed }
    const result = await this.#slots.run(() => this.#run(job, signal))
    return { result: result as JobResults[K], positions, places, arrays }
  }

  close(): void {
    for (const { overtaken } of this.#repos.values()) overtaken.abort(new OvertakenError('the service stops'))
    this.#repos.clear()
  }
}

function wantedPositions(arrays: GraphArrays, filter: EdgeFilter, nodeAt: Int32Array): Int32Array {
  const { relations, minConfidence = 0, tiers: wanted } = filter
  const relation = arrays.relations.map((name) => relations?.includes(name) ?? true)
  const tier = tiers.map((name) => wanted?.includes(name) ?? true)
  const isAside = (place: number | undefined): boolean => nodeAt[place ?? 0] === -1
  const positions: number[] = []
  for (let edge = 0; edge < arrays.from.length; edge++)
    if (
      relation[arrays.relation[edge] ?? 0] === true &&
      tier[arrays.tier[edge] ?? 0] === true &&
      (arrays.confidence[edge] ?? 0) >= minConfidence &&
      !isAside(arrays.from[edge]) &&
      !isAside(arrays.to[edge])
    )
      positions.push(edge)
  return Int32Array.from(positions)
}

function edgeList(
  { from, to, confidence }: GraphArrays,
  positions: Int32Array,
  { nodes, nodeAt }: { readonly nodes: number; readonly nodeAt: Int32Array },
): EdgeList {
  return {
    nodes,
    from: positions.map((edge) => nodeAt[from[edge] ?? 0] ?? 0),
    to: positions.map((edge) => nodeAt[to[edge] ?? 0] ?? 0),
    weight: Float64Array.from(positions, (edge) => confidence[edge] ?? 0),
  }
}
