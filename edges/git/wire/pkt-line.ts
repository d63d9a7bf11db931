/** git's framing: four hex digits of length, then the bytes; `0000` ends a section (gitprotocol-common). */
const HEAD = 4
const LONGEST = 65_520
const hexLength = /^[0-9a-f]{4}$/i

export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
}

export function pktLine(data: string | Buffer): Buffer {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  if (bytes.length + HEAD > LONGEST) throw new ProtocolError('a pkt-line is too long')
  return Buffer.concat([Buffer.from((bytes.length + HEAD).toString(16).padStart(HEAD, '0')), bytes])
}

export const flushPkt: Buffer = Buffer.from('0000')

/** Side-band channel 1 carries the report, channel 2 text for people. */
export function sideBand(channel: 1 | 2, data: Buffer): Buffer {
  const size = LONGEST - HEAD - 1
  const parts = Array.from({ length: Math.ceil(data.length / size) }, (_, index) =>
    data.subarray(index * size, (index + 1) * size),
  )
  return Buffer.concat(parts.map((part) => pktLine(Buffer.concat([Buffer.from([channel]), part]))))
}

export interface PktReader {
  /** The next line, `flush`, or `end` when nothing follows. */
  next(): Promise<Buffer | 'flush' | 'end'>
  /** What comes after the last line read. */
  rest(): AsyncGenerator<Buffer>
}

export function readPkts(source: AsyncIterable<Buffer>): PktReader {
  const chunks = source[Symbol.asyncIterator]()
  let held = Buffer.alloc(0)

  async function fill(size: number): Promise<boolean> {
    while (held.length < size) {
      const { done, value } = await chunks.next()
      if (done === true) return false
      held = Buffer.concat([held, value])
    }
    return true
  }

  function take(size: number): Buffer {
    const taken = held.subarray(0, size)
    held = held.subarray(size)
    return taken
  }

  return {
    async next() {
      if (!(await fill(HEAD))) {
        if (held.length === 0) return 'end'
        throw new ProtocolError('the request ends within a pkt-line')
      }
      const text = take(HEAD).toString('latin1')
      if (!hexLength.test(text)) throw new ProtocolError('this is no pkt-line')
      const length = Number.parseInt(text, 16)
      if (length === 0) return 'flush'
      if (length < HEAD || length > LONGEST) throw new ProtocolError('a pkt-line has an impossible length')
      if (!(await fill(length - HEAD))) throw new ProtocolError('the request ends within a pkt-line')
      return take(length - HEAD)
    },
    async *rest() {
      if (held.length > 0) yield take(held.length)
      for (;;) {
        const { done, value } = await chunks.next()
        if (done === true) return
        yield value
      }
    },
  }
}
