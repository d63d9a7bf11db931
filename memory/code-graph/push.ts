import { invalidInput, Problem, type Fault } from '../../http/problems/problem.ts'
import type { Contributions } from '../graph/model.ts'
import type { GraphPart, GraphStore, StageOutcome } from '../graph/port.ts'
import { eachOf, merged, settle, sortByFile, type Pushed } from '../graph/settle.ts'
import type { PushRequest } from './push-reader.ts'

export interface PushContext {
  readonly graph: GraphStore
  readonly repo: string
  readonly pushedAt: number
}

/** How much of each a push has. */
interface PushCounts {
  readonly files: number
  readonly entities: number
  readonly edges: number
  readonly hyperedges: number
}

/** A push that is checked and sorted: what is left to do is to store it. */
export interface SortedPush
  extends Pick<PushRequest, 'members' | 'files' | 'offRubric'>, Pick<GraphPart, 'contributions' | 'written'> {
  readonly counts: PushCounts
  /** Of a part: what the others have a say in. */
  readonly unsettled: GraphPart['unsettled']
}

/** Gives each element to its file. Throws 400 where files are replaced and an element belongs to none of them. */
export async function sortPush(request: PushRequest): Promise<SortedPush> {
  const { members, files, offRubric, entities, edges, hyperedges } = request
  const counts = {
    files: files.length,
    entities: entities.length,
    edges: edges.length,
    hyperedges: hyperedges.length,
  }
  const { settled, unsettled } = await sortByFile(request)
  const sorted = { members, files, offRubric, counts, unsettled }
  if (members.snapshot_id !== undefined) return { ...sorted, contributions: settled }
  const contributions = await merged(settled, await settle(unsettled, eachOf(settled)))
  const placed = members.mode === 'files' ? await placedInFiles(request, contributions) : contributions
  return { ...sorted, contributions: placed, unsettled: { entities: [], edges: [], hyperedges: [] } }
}

/** Stores a push; what comes of it, in the words of the answer. */
export async function push(context: PushContext, sorted: SortedPush): Promise<StageOutcome> {
  const { graph, repo, pushedAt } = context
  const { files, contributions, written, unsettled } = sorted
  const { mode, snapshot_id, part = 0, final = false } = sorted.members
  // A snapshot is of its own commit, named or not; some files change what is stored of another one (CODE-PUSH-24).
  const commit = mode === 'files' ? sorted.members.commit : (sorted.members.commit ?? null)
  const given = { repo, commit, pushedAt, files, contributions, ...(written === undefined ? {} : { written }) }
  if (snapshot_id !== undefined)
    return refusingGaps(await graph.stage({ ...given, unsettled, snapshotId: snapshot_id, part, final }))
  return { status: 'pushed', head: await graph.push({ ...given, mode }) }
}

function refusingGaps(outcome: StageOutcome): StageOutcome {
  if (outcome.status !== 'incomplete') return outcome
  throw new Problem(
    'conflict',
    `the final part arrived, but these parts are missing: ${outcome.missing.slice(0, 20).join(', ')}`,
    {
      members: { missing: outcome.missing.slice(0, 500) },
    },
  )
}

/** Where one file is replaced, all of the push is its; where several are, what names none of them is nobody's. */
async function placedInFiles(request: PushRequest, contributions: Contributions): Promise<Contributions> {
  const homeless = contributions.get('')
  if (homeless === undefined) return contributions
  const [only, ...others] = request.files
  if (only === undefined || others.length > 0) throw invalidInput(homelessFaults(request))
  const rest = new Map([...contributions].filter(([file]) => file !== ''))
  return merged(rest, new Map([[only.file, homeless]]))
}

function homelessFaults({ entities, edges, hyperedges }: Pushed): Fault[] {
  const placed = new Set(entities.filter(({ file }) => file !== undefined).map(({ id }) => id))
  const message = 'names no file of this push, and neither do its ends'
  const faults = (list: string, ends: readonly (readonly string[] | undefined)[]): Fault[] =>
    ends.flatMap((ids, index) =>
      ids === undefined || ids.some((id) => placed.has(id)) ? [] : [{ path: `/${list}/${index}/file`, message }],
    )
  const found = [
    ...faults(
      'edges',
      edges.map(({ origin, from, to }) => (origin === undefined ? [from, to] : undefined)),
    ),
    ...faults(
      'hyperedges',
      hyperedges.map(({ origin, members }) => (origin === undefined ? members : undefined)),
    ),
  ]
  if (found.length > 0) return found.slice(0, 500)
  // Nothing leads to them, so no file would ever take them away.
  return entities.flatMap(({ file }, index) =>
    file === undefined
      ? [{ path: `/entities/${index}/file`, message: 'is required where no edge says whose it is' }]
      : [],
  )
}
