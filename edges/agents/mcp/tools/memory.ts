/** The knowledge memory as tools (TOOL-MEMORY, docs/contract/tools.md): what was learned outside of this Task, in text and in its graph. */
import { Type } from 'typebox'
import { entryOf, misplaced, required } from '../../argument-faults.ts'
import type { Backend } from '../backend.ts'
import type { ToolAnswer } from '../tool-answer.ts'
import { answers, listAnswer, oneOf, reading, writingOnce, type Tool } from '../tool.ts'

const closed = { additionalProperties: false } as const
const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: 'At most this many items.' }))
const Question = Type.Object(
  {
    mode: oneOf(
      ['local', 'global', 'hybrid', 'naive'],
      'Take hybrid: words, paths, history. naive: words alone; local: around things it names; global: themes.',
    ),
    text: Type.String({ minLength: 1 }),
    top_k: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Default 10.' })),
    kinds: Type.Optional(
      Type.Array(Type.Enum(['files', 'changes', 'notes']), {
        description: 'Default: files and notes, then changes.',
      }),
    ),
  },
  closed,
)

/** Which argument goes with which `op`. */
const entityArguments: Readonly<Record<string, readonly string[]>> = {
  get: ['id'],
  search: ['q', 'limit'],
  patch: ['id', 'patch'],
}
const edgeArguments: Readonly<Record<string, readonly string[]>> = {
  list: ['from', 'to', 'relation', 'limit'],
  create: ['from', 'to', 'relation'],
  delete: ['id'],
}

/** What an `op` does not need, but takes. */
const optional = ['limit']

function faultsByOperation(
  input: Readonly<Record<string, unknown>>,
  table: Readonly<Record<string, readonly string[]>>,
  mayLack: readonly string[],
): ReturnType<typeof required> {
  const op = String(input['op'])
  const takes = entryOf(table, op)
  const others = Object.keys(input).filter((name) => name !== 'op' && !takes.includes(name))
  const needs = takes.filter((name) => !mayLack.includes(name))
  return [...required(input, needs, `op=${op}`), ...misplaced(input, others, `is not allowed with op=${op}`)]
}

/** What an ingest says of a memory of its own: a note with these would be taken for a file, and go with its next push. */
const ingested = ['file', 'commit']

/** Another spelling would be shown beside no file. */
function isFileOfRepository(metadata: unknown): boolean {
  const { about } = Object(metadata)
  return about === undefined || !/^(?:\.{0,2}\/|\s|$)|\s$/.test(about)
}

/** Of a question at the service. A Task of more works on most of its Project: nothing is foreign to it. */
const mostReposFirst = 64

/** The Task's own Repositories come first, whatever else the Project's memory holds (TOOL-MEMORY-12). */
function ask(backend: Backend, path: string, question: Readonly<Record<string, unknown>>): Promise<ToolAnswer> {
  const { repositories } = backend.pod
  return backend.send('memory', 'POST', path, {
    ...question,
    ...(repositories.length === 0 || repositories.length > mostReposFirst ? {} : { repos_first: repositories }),
  })
}

export const memoryTools: readonly Tool[] = [
  {
    name: 'memory_query',
    title: 'Search the memory',
    description:
      'Ranked passages of what the project knows: documents, earlier issues, decisions, notes of other Tasks. Ask before you research from scratch. Example: {"mode": "hybrid", "text": "why are durations strings", "top_k": 5}.',
    input: Question,
    output: answers({ mode: Type.String(), results: Type.Array(Type.Unknown()) }),
    annotations: reading,
    call: (question, backend) => ask(backend, 'queries', question),
  },
  {
    name: 'memory_describe',
    title: 'Summarise from the memory',
    description:
      'Summarises the passages found, with references. Use it for an overview; quote from memory_query. Example: {"mode": "global", "text": "release process"}.',
    input: Question,
    output: answers({ mode: Type.String(), summary: Type.String(), references: Type.Array(Type.Unknown()) }),
    annotations: reading,
    call: (question, backend) => ask(backend, 'queries:describe', question),
  },
  {
    name: 'memory_write',
    title: 'Write into the memory',
    description:
      'Stores something that later Tasks should know: a decision with its reason, a trap, how a thing works. Not for the state of this Task (task_note), never secrets. Name its file in metadata.about: queries show both. Example: {"text": "...", "metadata": {"about": "src/a.ts"}}.',
    input: Type.Object(
      {
        text: Type.String({ minLength: 1 }),
        metadata: Type.Optional(Type.Record(Type.String(), Type.String(), { maxProperties: 64 })),
      },
      closed,
    ),
    output: answers({ track_id: Type.String() }),
    annotations: writingOnce,
    faults: ({ metadata }) => [
      ...ingested
        .filter((name) => Object.hasOwn(Object(metadata), name))
        .map((name) => ({
          path: `/metadata/${name}`,
          message: 'is for what an ingest stores, and replaces: name the file in metadata.about',
        })),
      ...(isFileOfRepository(metadata)
        ? []
        : [{ path: '/metadata/about', message: 'is a path within the repository, such as src/a.ts' }]),
    ],
    call: (memory, backend) => backend.send('memory', 'POST', 'memories', memory),
  },
  {
    name: 'memory_entity',
    title: 'Read or amend an entity of the memory',
    description:
      'Entities are the things that memories mention. search finds them by name, get reads one, patch amends its description or metadata. Code is in code_search. Example: {"op": "search", "q": "scheduler"}.',
    input: Type.Object(
      {
        op: oneOf(['get', 'search', 'patch'], 'What to do.'),
        id: Type.Optional(Type.String({ minLength: 1, description: 'get and patch.' })),
        q: Type.Optional(Type.String({ minLength: 1, description: 'search only.' })),
        patch: Type.Optional(
          Type.Record(Type.String(), Type.Unknown(), {
            description: 'patch only: description and metadata, a null removes a key.',
          }),
        ),
        limit,
      },
      closed,
    ),
    output: answers({}),
    annotations: writingOnce,
    faults: (input) => faultsByOperation(input, entityArguments, optional),
    call: ({ op, id, q, patch, limit: most }, backend) => {
      const path = `entities/${encodeURIComponent(String(id))}`
      if (op === 'search') return backend.get('memory', 'entities', { q, limit: most })
      return op === 'get' ? backend.get('memory', path) : backend.send('memory', 'PATCH', path, patch)
    },
  },
  {
    name: 'memory_edges',
    title: 'Read or write edges of the memory',
    description:
      'Typed, directed edges between entities: list them, create one, delete one by its id. Ids of entities come from memory_entity. Example: {"op": "create", "from": "<id>", "to": "<id>", "relation": "caused-by"}.',
    input: Type.Object(
      {
        op: oneOf(['list', 'create', 'delete'], 'What to do.'),
        id: Type.Optional(Type.String({ minLength: 1, description: 'delete only.' })),
        from: Type.Optional(Type.String({ minLength: 1 })),
        to: Type.Optional(Type.String({ minLength: 1 })),
        relation: Type.Optional(Type.String({ minLength: 1 })),
        limit,
      },
      closed,
    ),
    output: listAnswer,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    faults: (input) =>
      faultsByOperation(input, edgeArguments, input['op'] === 'list' ? ['from', 'to', 'relation', 'limit'] : optional),
    call: ({ op, id, ...rest }, backend) => {
      if (op === 'list') return backend.get('memory', 'edges', rest)
      return op === 'create'
        ? backend.send('memory', 'POST', 'edges', rest)
        : backend.send('memory', 'DELETE', `edges/${encodeURIComponent(String(id))}`)
    },
  },
]
