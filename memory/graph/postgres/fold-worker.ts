/** A thread that folds one graph: pieces come in, columns and slices of lists go out as they are asked for. */
import { parentPort } from 'node:worker_threads'
import { Fold } from '../resolved/fold.ts'
import type { FoldQuestion, FoldAnswer } from './fold-in-thread.ts'
import type { ResolvedGraph } from '../resolved/graph.ts'
import { readPiece } from './piece.ts'

const fold = new Fold()
let graph: ResolvedGraph | undefined
let metadata: readonly (readonly [number, object])[] = []

parentPort?.on('message', (question: FoldQuestion) => {
  if (question.kind === 'piece') fold.add(question.file, readPiece(question.body))
  else if (question.kind === 'finish') finish()
  else slice(question)
})

function finish(): void {
  graph = fold.finish()
  metadata = [...graph.edgeMetadata]
  const { from, to, relation, confidence, tier, out, in: into } = graph
  const columns = { from, to, relation, confidence, tier, out, in: into }
  const lengths = {
    entities: graph.entities.length,
    relations: graph.relations.length,
    metadata: metadata.length,
    hyperedges: graph.hyperedges.length,
  }
  const arrays = [from, to, relation, confidence, tier, out.starts, out.edges, into.starts, into.edges]
  answer(
    { kind: 'columns', columns, lengths },
    arrays.map((each) => each.buffer as ArrayBuffer),
  )
}

function slice({ list, begin, end }: Extract<FoldQuestion, { readonly kind: 'slice' }>): void {
  const lists = { ...graph!, metadata }
  answer({ kind: 'slice', items: lists[list].slice(begin, end) })
}

function answer(given: FoldAnswer, moved: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(given, [...moved])
}
