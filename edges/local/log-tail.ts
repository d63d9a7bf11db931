/** The end of a log file, whatever its length. */
import { open } from 'node:fs/promises'
import { invalidInput } from '../../http/problems/problem.ts'
import type { LogWish } from '../ports/pods.ts'
import { codeOf } from '../../runtime/errors.ts'

interface LogTail {
  readonly lines: readonly string[]
  readonly isTruncated: boolean
  /** The place in the file behind the last line, in bytes. */
  readonly cursor: string
}

const lineEnd = 10

/**
 * `isGrowing`: somebody may still write. Then a last line without its end waits for the rest of it.
 * Undefined: there is no such file. @throws Problem `invalid-input` for a cursor that is none.
 */
export async function readTail(path: string, wish: LogWish, isGrowing: boolean): Promise<LogTail | undefined> {
  const file = await open(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  })
  if (file === undefined) return undefined
  try {
    const { size } = await file.stat()
    const begin = startOf(wish.after, size)
    const from = Math.max(begin, size - wish.bytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from)
    const read = buffer.subarray(0, bytesRead)
    const start = from > begin ? wholeFrom(read) : 0
    const end = isGrowing && bytesRead < wish.bytes ? read.lastIndexOf(lineEnd) + 1 : bytesRead
    const lines = linesOf(read.subarray(start, Math.max(start, end)))
    return {
      lines: lines.slice(-wish.lines),
      isTruncated: from > begin || lines.length > wish.lines,
      cursor: String(from + Math.max(start, end)),
    }
  } finally {
    await file.close()
  }
}

/** A cursor beyond the end is of a file that was there before. */
function startOf(cursor: string | undefined, size: number): number {
  if (cursor === undefined) return 0
  if (!/^\d{1,15}$/.test(cursor))
    throw invalidInput([{ in: 'query', path: '/cursor', message: 'is no cursor of this log: start again without one' }])
  return Number(cursor) > size ? 0 : Number(cursor)
}

/** Behind the line that was cut, unless that is all there is. */
function wholeFrom(read: Buffer): number {
  const start = read.indexOf(lineEnd) + 1
  return start === read.length ? 0 : start
}

function linesOf(read: Buffer): readonly string[] {
  const text = read.toString('utf8')
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}
