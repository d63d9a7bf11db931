/** A thread that reads, checks and sorts one push after the other: bytes come in, texts to store go out. */
import { parentPort } from 'node:worker_threads'
import { Problem } from '../../http/problems/problem.ts'
import { piecesOf } from '../graph/postgres/piece.ts'
import type { WrittenPiece } from '../graph/port.ts'
import { PushScan } from './push-reader.ts'
import { sortPush, type SortedPush } from './push.ts'
import type { PushAnswer, PushQuestion } from './read-push.ts'

/** Characters of one answer: what the store writes in one statement. */
const mostCharacters = 400_000
const mostPieces = 1_000
const mostFiles = 1_000

let scan = new PushScan({ strict: false })
let sorted: SortedPush | undefined
let pieces = allPieces(new Map())

parentPort?.on('message', (question: PushQuestion) => {
  answerOf(question).then(
    (answer) => parentPort?.postMessage(answer),
    (error: unknown) => {
      // Whatever else it is ends the thread, which its asker hears of.
      if (!(error instanceof Problem)) throw error
      const { code, message, members } = error
      parentPort?.postMessage({ kind: 'refused', code, message, members } satisfies PushAnswer)
    },
  )
})

async function answerOf(question: PushQuestion): Promise<PushAnswer> {
  switch (question.kind) {
    case 'begin':
      scan = new PushScan(question)
      return { kind: 'more' }
    case 'bytes':
      scan.write(Buffer.from(question.bytes.buffer, question.bytes.byteOffset, question.bytes.byteLength))
      return { kind: 'more' }
    case 'finish':
      return finish()
    case 'files':
      return { kind: 'files', files: sorted!.files.slice(question.begin, question.begin + mostFiles) }
    case 'pieces':
      if (question.isFirst) pieces = allPieces(sorted!.contributions)
      return { kind: 'pieces', pieces: nextPieces() }
  }
}

async function finish(): Promise<PushAnswer> {
  sorted = await sortPush(scan.finish())
  const { members, counts, offRubric, unsettled } = sorted
  return { kind: 'sorted', members, counts, offRubric, unsettled: JSON.stringify(unsettled) }
}

function* allPieces(contributions: SortedPush['contributions']): Generator<WrittenPiece> {
  for (const [file, contribution] of contributions) for (const body of piecesOf(contribution)) yield { file, body }
}

/** As many as one answer has; none are left when it is empty. */
function nextPieces(): WrittenPiece[] {
  const next: WrittenPiece[] = []
  for (let characters = 0; characters < mostCharacters && next.length < mostPieces;) {
    const { value, done } = pieces.next()
    if (done === true) break
    next.push(value)
    characters += value.body.length
  }
  return next
}
