/** Prints what reading a large body holds at most, piece by piece and whole: heap and buffers, after a collection. */
import { JsonScanner } from '../json-scanner.ts'

const items = 7900
const content = 'An item about the Harbour, its cranes and its tides. '.repeat(79)
const collect = (globalThis as { gc?: () => void }).gc ?? (() => undefined)

function held(): number {
  collect()
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  return heapUsed + Math.max(external, arrayBuffers)
}

function* pieces(): Generator<Buffer> {
  yield Buffer.from('{"repo":"lib","items":[')
  for (let index = 0; index < items; index += 1)
    yield Buffer.from(`${index === 0 ? '' : ','}{"content":${JSON.stringify(`${index} ${content}`)}}`)
  yield Buffer.from(']}')
}

function scan(): { readonly bytes: number; readonly count: number; readonly most: number } {
  const before = held()
  let count = 0
  let bytes = 0
  let most = 0
  const scanner = new JsonScanner(
    { arrays: ['items'], maxValueBytes: 1e6 },
    { began: () => undefined, member: () => undefined, element: () => void (count += 1), ended: () => undefined },
  )
  for (const piece of pieces()) {
    bytes += piece.length
    scanner.write(piece)
    if (count % 500 === 0) most = Math.max(most, held() - before)
  }
  scanner.end()
  return { bytes, count, most }
}

function readWhole(): number {
  const before = held()
  const text = Buffer.concat([...pieces()]).toString()
  const value: unknown = JSON.parse(text)
  const now = held()
  return JSON.stringify(value).length > 0 ? now - before : 0
}

const { bytes, count, most } = scan()
process.stdout.write(JSON.stringify({ bytes, items: count, most, whole: readWhole() }))
