/**
 * One-dimensional arrays in Postgres' binary form (`array_send` in its sources): dimensions, a flag for nulls, the
 * element type, its count, the lower bound, then each element behind its length. As text every JSON body would be
 * escaped here and unescaped there.
 */
import type { ColumnArray, ColumnType } from './columns.ts'

const elementOid: Readonly<Record<ColumnType, number>> = { boolean: 16, bigint: 20, int: 23, text: 25 }
const headBytes = 20
const nullLength = -1
const twoTo32 = 2 ** 32

let scratch = Buffer.allocUnsafeSlow(1 << 16)

/** Makes room for `bytes` behind `used`, keeping what is there. */
function reserve(used: number, bytes: number): void {
  if (used + bytes <= scratch.length) return
  const larger = Buffer.allocUnsafeSlow(Math.max(scratch.length * 2, used + bytes))
  scratch.copy(larger, 0, 0, used)
  scratch = larger
}

export function binaryArray({ type, values }: ColumnArray): Buffer {
  let at = headBytes
  let hasNulls = 0
  for (const value of values) {
    if (value === null || value === undefined) {
      hasNulls = 1
      reserve(at, 4)
      at = scratch.writeInt32BE(nullLength, at)
    } else at = writeElement(type, value, at)
  }
  scratch.writeInt32BE(1, 0)
  scratch.writeInt32BE(hasNulls, 4)
  scratch.writeInt32BE(elementOid[type], 8)
  scratch.writeInt32BE(values.length, 12)
  scratch.writeInt32BE(1, 16)
  return Buffer.from(scratch.subarray(0, at))
}

function writeElement(type: ColumnType, value: unknown, at: number): number {
  if (type === 'text') return writeText(value as string, at)
  reserve(at, 12)
  if (type === 'bigint') return writeBigint(value as number, at)
  if (type === 'int') return scratch.writeInt32BE(value as number, scratch.writeInt32BE(4, at))
  return scratch.writeUInt8(value ? 1 : 0, scratch.writeInt32BE(1, at))
}

function writeText(text: string, at: number): number {
  // A UTF-16 unit has three bytes at most in UTF-8.
  reserve(at, 4 + text.length * 3)
  const bytes = scratch.write(text, at + 4)
  scratch.writeInt32BE(bytes, at)
  return at + 4 + bytes
}

function writeBigint(value: number, at: number): number {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no integer that a number holds exactly`)
  const high = Math.floor(value / twoTo32)
  scratch.writeInt32BE(8, at)
  scratch.writeInt32BE(high, at + 4)
  scratch.writeUInt32BE(value - high * twoTo32, at + 8)
  return at + 12
}
