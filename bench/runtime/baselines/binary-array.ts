/** One-dimensional arrays in Postgres's binary format: node-postgres sends a Buffer as it is, and nothing is escaped. */
const headerBytes = 20

interface Element {
  readonly oid: number
  readonly encode: (value: never) => Buffer
}

const int4: Element = { oid: 23, encode: (value: number) => encoded(4, (bytes) => bytes.writeInt32BE(value)) }
const int8: Element = {
  oid: 20,
  encode: (value: number) => encoded(8, (bytes) => bytes.writeBigInt64BE(BigInt(value))),
}
const text: Element = { oid: 25, encode: (value: string) => Buffer.from(value, 'utf8') }
export const element = { int4, int8, text }

export function binaryArray(values: readonly (number | string)[], { oid, encode }: Element): Buffer {
  const items = values.map((value) => encode(value as never))
  const size = items.reduce((sum, item) => sum + 4 + item.length, headerBytes)
  const bytes = Buffer.allocUnsafe(size)
  const dimensions = 1
  const hasNulls = 0
  const lowerBound = 1
  let at = [dimensions, hasNulls, oid, items.length, lowerBound].reduce(
    (offset, word) => bytes.writeInt32BE(word, offset),
    0,
  )
  for (const item of items) {
    at = bytes.writeInt32BE(item.length, at)
    at += item.copy(bytes, at)
  }
  return bytes
}

function encoded(size: number, write: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  write(bytes)
  return bytes
}
