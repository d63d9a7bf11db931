/** A thread that prepares memories: one comes in, slices of what was made of it go out as they are asked for. */
import { parentPort } from 'node:worker_threads'
import { prepare, type PreparedMemory } from './prepare.ts'
import type { PrepareAnswer, PrepareQuestion } from './prepare-in-thread.ts'

let prepared: PreparedMemory | undefined

parentPort?.on('message', (question: PrepareQuestion) => {
  if (question.kind === 'prepare') answer(made(question))
  else answer({ kind: 'slice', items: prepared![question.list].slice(question.begin, question.end) })
})

function made({ memory }: Extract<PrepareQuestion, { readonly kind: 'prepare' }>): PrepareAnswer {
  prepared = prepare(memory)
  const { contentSha, chunks, entities, edges } = prepared
  const lengths = { chunks: chunks.length, entities: entities.length, edges: edges.length }
  return { kind: 'prepared', contentSha, lengths }
}

function answer(given: PrepareAnswer): void {
  parentPort?.postMessage(given)
}
