/** As much of the protocol of PostgreSQL (version 3, text format) as prepared statements need: PGlite's own reads and writes it at twice the price. */
const letters = {
  parse: 0x50,
  bind: 0x42,
  describe: 0x44,
  execute: 0x45,
  sync: 0x53,
  query: 0x51,
  statement: 0x53,
  rowDescription: 0x54,
  dataRow: 0x44,
  commandComplete: 0x43,
  error: 0x45,
} as const

const lengthBytes = 4
/** Of a string in UTF-8, for each unit of it. */
const mostBytesPerUnit = 3

export interface Column {
  readonly name: string
  readonly type: number
}

export interface Answer {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly (string | null)[])[]
  /** `INSERT 0 3`, `UPDATE 2`. */
  readonly tag: string
  readonly error: Error | undefined
}

export function prepareMessage(name: string, text: string): Uint8Array {
  return Buffer.concat([
    message(letters.parse, Buffer.from(`${name}\0${text}\0\0\0`)),
    message(letters.describe, Buffer.concat([Buffer.of(letters.statement), Buffer.from(`${name}\0`)])),
    syncMessage,
  ])
}

export function queryMessage(text: string): Uint8Array {
  return message(letters.query, Buffer.from(`${text}\0`))
}

function message(letter: number, body: Uint8Array): Buffer {
  const head = Buffer.alloc(1 + lengthBytes)
  head.writeUInt8(letter)
  head.writeInt32BE(lengthBytes + body.length, 1)
  return Buffer.concat([head, body])
}

const syncMessage = message(letters.sync, Buffer.alloc(0))
/** The unnamed portal, to its end. */
const runMessage = Buffer.concat([message(letters.execute, Buffer.alloc(5)), syncMessage])

/** Valid until the next one is made. */
export function runner(): (name: string, values: readonly (string | null)[]) => Uint8Array {
  let scratch = Buffer.alloc(1 << 16)
  return (name, values) => {
    const most = values.reduce((sum, value) => sum + lengthBytes + (value?.length ?? 0) * mostBytesPerUnit, 0)
    const needed = most + name.length + runMessage.length + 16
    if (scratch.length < needed) scratch = Buffer.alloc(needed * 2)
    // The unnamed portal of this statement, all parameters as text.
    let at = scratch.writeUInt8(letters.bind) + lengthBytes
    at += scratch.write(`\0${name}\0\0\0`, at)
    at = scratch.writeInt16BE(values.length, at)
    for (const value of values) {
      const bytes = value === null ? -1 : scratch.write(value, at + lengthBytes)
      at = scratch.writeInt32BE(bytes, at) + Math.max(0, bytes)
    }
    // All columns as text.
    at = scratch.writeInt16BE(0, at)
    scratch.writeInt32BE(at - 1, 1)
    return scratch.subarray(0, at + runMessage.copy(scratch, at))
  }
}

export function readAnswer(bytes: Buffer): Answer {
  const rows: (readonly (string | null)[])[] = []
  let [columns, tag]: [readonly Column[], string] = [[], '']
  let error: Error | undefined
  for (let at = 0; at < bytes.length;) {
    const [letter, body] = [bytes[at], at + 1 + lengthBytes]
    at += 1 + bytes.readInt32BE(at + 1)
    if (letter === letters.dataRow) rows.push(readRow(bytes, body))
    else if (letter === letters.rowDescription) columns = readColumns(bytes, body)
    else if (letter === letters.commandComplete) tag = bytes.toString('latin1', body, at - 1)
    else if (letter === letters.error) error ??= readError(bytes.toString('utf8', body, at))
  }
  return { columns, rows, tag, error }
}

function readRow(bytes: Buffer, from: number): readonly (string | null)[] {
  const fields = Array.from<string | null>({ length: bytes.readInt16BE(from) })
  let at = from + 2
  for (let index = 0; index < fields.length; index++) {
    const length = bytes.readInt32BE(at)
    at += lengthBytes
    fields[index] = length < 0 ? null : bytes.toString('utf8', at, at + length)
    at += Math.max(0, length)
  }
  return fields
}

/** After its name: table, column, type, size, modifier, format. */
const [typeAfterName, columnAfterName] = [6, 18]

function readColumns(bytes: Buffer, from: number): readonly Column[] {
  let at = from + 2
  return Array.from({ length: bytes.readInt16BE(from) }, () => {
    const end = bytes.indexOf(0, at)
    const column = { name: bytes.toString('utf8', at, end), type: bytes.readInt32BE(end + 1 + typeAfterName) }
    at = end + 1 + columnAfterName
    return column
  })
}

function readError(text: string): Error {
  const fields = new Map(text.split('\0').map((field) => [field[0], field.slice(1)]))
  const [code, constraint] = [fields.get('C'), fields.get('n')]
  return Object.assign(new Error(fields.get('M')), { code, ...(constraint === undefined ? {} : { constraint }) })
}
