import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { foldFaults } from '../../http/problems/faults.ts'
import { invalidInput, type Fault } from '../../http/problems/problem.ts'
import { faultsOf } from '../../http/problems/validation.ts'
import type { CodeEntity, IndexedFile } from '../graph/model.ts'
import type { Pushed, PushedEdge, PushedHyperedge } from '../graph/settle.ts'
import { JsonScanner } from '../json-stream/json-scanner.ts'
import { toProblem } from '../json-stream/read-json-body.ts'
import { rubricFault } from './rubric.ts'
import { EdgeBody, EntityBody, HyperedgeBody, IndexedFileBody, PushMembers } from './schema.ts'

/** What a body of `POST /code-graph:bulk` says, checked. */
export interface PushRequest extends Pushed {
  readonly members: PushMembers
  readonly files: readonly IndexedFile[]
  readonly offRubric: { readonly count: number; readonly examples: readonly Fault[] }
}

/** An answer lists this many faults; then nothing more is read. */
const mostFaults = 500
const mostExamples = 10
/** Bytes of one entity, edge or hyperedge. */
const maxElementBytes = 1024 * 1024

const lists = {
  files: checked(IndexedFileBody),
  entities: checked(EntityBody),
  edges: checked(EdgeBody),
  hyperedges: checked(HyperedgeBody),
}
type List = keyof typeof lists

/** Reads a body element by element as its bytes come: what was read is kept as values only. Throws 400 with every fault found. */
export class PushScan {
  readonly #gathered: Gathering
  readonly #scanner: JsonScanner

  constructor({ strict }: { readonly strict: boolean }) {
    const gathered = new Gathering(strict)
    this.#gathered = gathered
    this.#scanner = new JsonScanner(
      { arrays: Object.keys(lists), maxValueBytes: maxElementBytes },
      {
        began: (shape) => {
          if (shape === 'array') throw invalidInput([{ path: '', message: 'must be an object' }])
        },
        member: (name, value) => gathered.member(name, value),
        element: (list, index, value) => gathered.element(list as List, index, value),
        ended: () => undefined,
      },
    )
  }

  write(piece: Buffer): void {
    try {
      this.#scanner.write(piece)
    } catch (error) {
      throw toProblem(error)
    }
  }

  finish(): PushRequest {
    try {
      this.#scanner.end()
      return this.#gathered.finish()
    } catch (error) {
      throw toProblem(error)
    }
  }
}

class Gathering {
  readonly #strict: boolean
  readonly #members: Record<string, unknown> = {}
  readonly #faults: Fault[] = []
  readonly #files: IndexedFile[] = []
  readonly #entities: CodeEntity[] = []
  readonly #edges: PushedEdge[] = []
  readonly #hyperedges: PushedHyperedge[] = []
  readonly #examples: Fault[] = []
  #offRubric = 0

  constructor(strict: boolean) {
    this.#strict = strict
  }

  member(name: string, value: unknown): void {
    if (Object.hasOwn(lists, name)) this.#fault([{ path: `/${name}`, message: 'must be an array' }])
    else this.#members[name] = value
  }

  element(list: List, index: number, value: unknown): void {
    const path = `/${list}/${index}`
    const faults = lists[list](value)
    if (faults.length > 0) return this.#fault(faults.map((each) => ({ ...each, path: path + each.path })))
    switch (list) {
      case 'files':
        return void this.#files.push(value as IndexedFile)
      case 'entities':
        return void this.#entities.push(value as CodeEntity)
      case 'edges':
        return this.#edge(path, value as EdgeBody)
      case 'hyperedges':
        return this.#hyperedge(path, value as HyperedgeBody)
    }
  }

  #edge(path: string, { from, to, relation, metadata, file, confidence = 1, tier = 'EXTRACTED' }: EdgeBody): void {
    this.#judge(path, tier, confidence)
    this.#edges.push({
      from,
      to,
      relation,
      confidence,
      tier,
      ...(metadata === undefined ? {} : { metadata }),
      ...(file === undefined ? {} : { origin: file }),
    })
  }

  #hyperedge(path: string, { file, confidence = 1, tier = 'EXTRACTED', ...rest }: HyperedgeBody): void {
    this.#judge(path, tier, confidence)
    this.#hyperedges.push({ ...rest, confidence, tier, ...(file === undefined ? {} : { origin: file }) })
  }

  #judge(path: string, tier: PushedEdge['tier'], confidence: number): void {
    const message = rubricFault(tier, confidence)
    if (message === undefined) return
    const fault = { path: `${path}/confidence`, message }
    if (this.#strict) return this.#fault([fault])
    this.#offRubric += 1
    if (this.#examples.length < mostExamples) this.#examples.push(fault)
  }

  #fault(faults: readonly Fault[]): void {
    this.#faults.push(...faults)
    if (this.#faults.length >= mostFaults) throw invalidInput(this.#faults.slice(0, mostFaults))
  }

  finish(): PushRequest {
    this.#fault(faultsOf(PushMembers, this.#members))
    const members = this.#members as PushMembers
    this.#fault([...partFaults(members), ...(members.mode === 'files' ? this.#strangers() : [])])
    if (this.#faults.length > 0) throw invalidInput(this.#faults)
    return {
      members,
      files: this.#files,
      entities: this.#entities,
      edges: this.#edges,
      hyperedges: this.#hyperedges,
      offRubric: { count: this.#offRubric, examples: this.#examples },
    }
  }

  /** What comes from a file that the push is not about would stand in the graph twice over, or not be found again. */
  #strangers(): Fault[] {
    const listed = new Set(this.#files.map(({ file }) => file))
    const faults = (list: string, files: readonly (string | undefined)[]): Fault[] =>
      files.flatMap((file, index) =>
        file === undefined || listed.has(file)
          ? []
          : [{ path: `/${list}/${index}/file`, message: `${file} is not one of the files of this push` }],
      )
    const gone = new Set(this.#files.filter(({ sha }) => sha === '').map(({ file }) => file))
    return [
      ...(listed.size === 0 ? [{ path: '/files', message: 'names the files that are replaced' }] : []),
      ...faults(
        'entities',
        this.#entities.map((each) => each.file),
      ),
      ...faults(
        'edges',
        this.#edges.map((each) => each.origin),
      ),
      ...faults(
        'hyperedges',
        this.#hyperedges.map((each) => each.origin),
      ),
      ...this.#entities.flatMap(({ file }, index) =>
        file !== undefined && gone.has(file)
          ? [{ path: `/entities/${index}/file`, message: `${file} has an empty sha, which means that it is deleted` }]
          : [],
      ),
    ].slice(0, mostFaults)
  }
}

/** The members of a staged snapshot come together (GRAPH-RULE-1). */
function partFaults({ mode, snapshot_id, part, final }: PushMembers): Fault[] {
  if (snapshot_id === undefined)
    return [
      ...(part === undefined ? [] : [{ path: '/part', message: 'is only allowed with snapshot_id' }]),
      ...(final === undefined ? [] : [{ path: '/final', message: 'is only allowed with snapshot_id' }]),
    ]
  return [
    ...(part === undefined ? [{ path: '/part', message: 'is required with snapshot_id' }] : []),
    ...(mode === 'files' ? [{ path: '/snapshot_id', message: 'is only allowed with the mode snapshot' }] : []),
  ]
}

function checked(schema: TSchema): (value: unknown) => readonly Fault[] {
  const validator = Compile(schema)
  return (value) => (validator.Check(value) ? [] : foldFaults(validator.Errors(value)))
}
