/**
 * Which file each part of a push came from. An entity says so itself. An edge came from the file it names, else from
 * the file of its `from`, else of its `to`; a hyperedge from the first file among its members. An entity without a file
 * (a package, a namespace) is contributed by every file that brings an edge or hyperedge to it, so that it goes when
 * the last of them goes.
 */
import type { CodeEdge, CodeEntity, Contribution, Contributions, Hyperedge } from './model.ts'
import { Turns } from './turns.ts'

export interface PushedEdge extends CodeEdge {
  /** The file it came from, where that is not the one of its ends. */
  readonly origin?: string
}

export interface PushedHyperedge extends Hyperedge {
  readonly origin?: string
}

export interface Pushed {
  readonly entities: readonly CodeEntity[]
  readonly edges: readonly PushedEdge[]
  readonly hyperedges: readonly PushedHyperedge[]
}

interface Growing {
  readonly entities: CodeEntity[]
  readonly edges: CodeEdge[]
  readonly hyperedges: Hyperedge[]
}

/** Behind the name of any file in the order of code units. */
const lastText = '\uFFFF'

/** What belongs to a file for certain, and what other parts of the same snapshot have a say in. */
export interface Sorted {
  readonly settled: Contributions
  readonly unsettled: Pushed
}

export async function sortByFile(pushed: Pushed): Promise<Sorted> {
  const turns = new Turns()
  const fileOf = new Map<string, string>()
  await turns.each(pushed.entities, ({ id, file }) => {
    if (file !== undefined && file < (fileOf.get(id) ?? lastText)) fileOf.set(id, file)
  })
  const settled = new ByFile()
  const open = { entities: [] as CodeEntity[], edges: [] as PushedEdge[], hyperedges: [] as PushedHyperedge[] }
  await turns.each(pushed.entities, (entity) => {
    if (entity.file === undefined) open.entities.push(entity)
    else settled.of(entity.file).entities.push(entity)
  })
  await turns.each(pushed.edges, (edge) => {
    const file = edge.origin ?? fileOf.get(edge.from)
    if (file === undefined) open.edges.push(edge)
    else settled.of(file).edges.push(edgeOf(edge))
  })
  await turns.each(pushed.hyperedges, (hyperedge) => {
    const file = hyperedge.origin
    if (file === undefined) open.hyperedges.push(hyperedge)
    else settled.of(file).hyperedges.push(hyperedgeOf(hyperedge))
  })
  return { settled: settled.files, unsettled: open }
}

/** `pieces` is all that is settled, as often as it is asked for. */
export type EachPiece = (visit: (file: string, contribution: Contribution) => void) => Promise<void>

/** Gives what was left unsettled to its files, once everything is known. */
export async function settle(unsettled: Pushed, eachPiece: EachPiece): Promise<Contributions> {
  const turns = new Turns()
  const { fileOf, filesOf } = await look(unsettled, eachPiece, turns)
  const settled = new ByFile()
  await turns.each(unsettled.edges, (edge) => {
    const file = fileOf.get(edge.from) ?? fileOf.get(edge.to) ?? ''
    settled.of(file).edges.push(edgeOf(edge))
    for (const end of [edge.from, edge.to]) filesOf.get(end)?.add(file)
  })
  await turns.each(unsettled.hyperedges, (hyperedge) => {
    const file = hyperedge.members.map((id) => fileOf.get(id)).find((each) => each !== undefined) ?? ''
    settled.of(file).hyperedges.push(hyperedgeOf(hyperedge))
    for (const member of hyperedge.members) filesOf.get(member)?.add(file)
  })
  await turns.each(unsettled.entities, (entity) => {
    const files = filesOf.get(entity.id) ?? new Set()
    for (const file of files.size === 0 ? [''] : files) settled.of(file).entities.push(entity)
  })
  return settled.files
}

interface Known {
  /** Of the ids that unsettled edges and hyperedges name: the first file that declares them. */
  readonly fileOf: ReadonlyMap<string, string>
  /** Of entities without a file: whose edges and hyperedges name them. */
  readonly filesOf: ReadonlyMap<string, Set<string>>
}

async function look(unsettled: Pushed, eachPiece: EachPiece, turns: Turns): Promise<Known> {
  const wanted = new Set<string>()
  await turns.each(unsettled.edges, ({ from, to }) => wanted.add(from).add(to))
  await turns.each(unsettled.hyperedges, ({ members }) => members.forEach((member) => wanted.add(member)))
  const fileOf = new Map<string, string>()
  const filesOf = new Map(unsettled.entities.map(({ id }) => [id, new Set<string>()]))
  await eachPiece((file, { entities, edges, hyperedges }) => {
    for (const { id } of entities)
      if (wanted.has(id) && file !== '' && file < (fileOf.get(id) ?? lastText)) fileOf.set(id, file)
    for (const { from, to } of edges) {
      filesOf.get(from)?.add(file)
      filesOf.get(to)?.add(file)
    }
    for (const { members } of hyperedges) for (const member of members) filesOf.get(member)?.add(file)
  })
  return { fileOf, filesOf }
}

/** Of one file, which may bring a million edges. */
const elementsAtOnce = 1_000

export function eachOf(contributions: Contributions): EachPiece {
  return async (visit) => {
    const turns = new Turns()
    for (const [file, { entities, edges, hyperedges }] of contributions) {
      const most = Math.max(entities.length, edges.length, hyperedges.length)
      for (let at = 0; at < most; at += elementsAtOnce) {
        const part = <T>(list: readonly T[]): readonly T[] => list.slice(at, at + elementsAtOnce)
        visit(file, { entities: part(entities), edges: part(edges), hyperedges: part(hyperedges) })
        await turns.spent(Math.min(elementsAtOnce, most - at))
      }
    }
  }
}

/** Both together, whoever brings more to a file that both know. */
export async function merged(one: Contributions, other: Contributions): Promise<Contributions> {
  const turns = new Turns()
  const files = new ByFile()
  for (const part of [one, other])
    for (const [file, { entities, edges, hyperedges }] of part) {
      const growing = files.of(file)
      await turns.each(entities, (entity) => growing.entities.push(entity))
      await turns.each(edges, (edge) => growing.edges.push(edge))
      await turns.each(hyperedges, (hyperedge) => growing.hyperedges.push(hyperedge))
    }
  return files.files
}

class ByFile {
  readonly files = new Map<string, Growing>()

  of(file: string): Growing {
    const known = this.files.get(file)
    if (known !== undefined) return known
    const fresh: Growing = { entities: [], edges: [], hyperedges: [] }
    this.files.set(file, fresh)
    return fresh
  }
}

function edgeOf({ from, to, relation, confidence, tier, metadata }: PushedEdge): CodeEdge {
  return { from, to, relation, confidence, tier, ...(metadata === undefined ? {} : { metadata }) }
}

function hyperedgeOf({ id, relation, label, members, confidence, tier, metadata }: PushedHyperedge): Hyperedge {
  return { id, relation, label, members, confidence, tier, ...(metadata === undefined ? {} : { metadata }) }
}
