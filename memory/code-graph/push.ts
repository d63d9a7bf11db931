import { invalidInput, Problem, type Fault } from '../../http/problem.ts'
import type { Contributions } from '../graph/model.ts'
import type { GraphStore, StageOutcome } from '../graph/port.ts'
import { eachOf, merged, settle, sortByFile, type Pushed } from '../graph/settle.ts'
import type { PushRequest } from './push-reader.ts'

export interface PushContext {
  readonly graph: GraphStore
  readonly repo: string
  readonly pushedAt: number
}

/** Stores a push; what comes of it, in the words of the answer. */
export async function push(context: PushContext, request: PushRequest): Promise<StageOutcome> {
  const { graph, repo, pushedAt } = context
  const { files } = request
  const { mode, snapshot_id, part = 0, final = false } = request.members
  // A snapshot is of its own commit, named or not; some files change what is stored of another one (CODE-PUSH-24).
  const commit = mode === 'files' ? request.members.commit : (request.members.commit ?? null)
  const { settled, unsettled } = await sortByFile(request)
  if (snapshot_id !== undefined) {
    const staged = { repo, commit, pushedAt, files, snapshotId: snapshot_id, part, final }
    return refusingGaps(await graph.stage({ ...staged, contributions: settled, unsettled }))
  }
  const contributions = await merged(settled, await settle(unsettled, eachOf(settled)))
  const placed = mode === 'files' ? await placedInFiles(request, contributions) : contributions
  return { status: 'pushed', head: await graph.push({ repo, commit, pushedAt, mode, files, contributions: placed }) }
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
