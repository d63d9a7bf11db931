import { mostLevels } from '../../http/problems/plain-input.ts'
import { JsonSyntaxError, parseValue, requirePlainKey } from './parse-value.ts'

/**
 * Finds the values of one JSON document as its bytes arrive, so that a large body is never held whole. It knows the
 * document's outer shape (an object, or an array of elements) and hands on each inner value as the text that it is;
 * `JSON.parse` then judges that text.
 */
export interface ScannerEvents {
  /** The document began; an array's elements come under the name ''. */
  readonly began: (shape: 'object' | 'array') => void
  /** A member of the object that is not one of the arrays named. */
  readonly member: (name: string, value: unknown) => void
  readonly element: (array: string, index: number, value: unknown) => void
  /** `array` ended; it may have been empty. */
  readonly ended: (array: string) => void
}

export interface ScannerLimits {
  /** Members of the object whose elements are handed on one by one. */
  readonly arrays: readonly string[]
  /** Bytes of one element or member. */
  readonly maxValueBytes: number
}

/** The value that was being read is larger than the limit. */
export class ValueTooLargeError extends Error {
  override readonly name = 'ValueTooLargeError'
  /** A JSON Pointer. */
  readonly path: string

  constructor(path: string, maxBytes: number) {
    super(`is larger than ${maxBytes} bytes`)
    this.path = path
  }
}

type State =
  | 'start'
  | 'first-key'
  | 'key'
  | 'colon'
  | 'member'
  | 'after-member'
  | 'first-element'
  | 'element'
  | 'after-element'
  | 'end'

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openObject = 0x7b
const closeObject = 0x7d
const openArray = 0x5b
const closeArray = 0x5d

export class JsonScanner {
  readonly #events: ScannerEvents
  readonly #limits: ScannerLimits
  readonly #seen = new Set<string>()
  #state: State = 'start'
  /** Of the document itself, '' being an array of elements. */
  #array = ''
  #isBare = false
  #key = ''
  #index = 0
  /** The value under way: its pieces of earlier chunks, and where it stands. */
  #pieces: Buffer[] = []
  #pieceBytes = 0
  #inValue = false
  #depth = 0
  #inString = false
  #isEscaped = false

  constructor(limits: ScannerLimits, events: ScannerEvents) {
    this.#limits = limits
    this.#events = events
  }

  write(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length) at = this.#inValue ? this.#continueValue(chunk, at) : this.#between(chunk, at)
  }

  /** The document is whole. */
  end(): void {
    if (this.#state !== 'end') throw new JsonSyntaxError('the body ends before its JSON does')
  }

  /** One byte outside of values: white space, or what the state expects. */
  #between(chunk: Buffer, at: number): number {
    const byte = chunk[at]!
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return at + 1
    switch (this.#state) {
      case 'start':
        return this.#begin(byte, at)
      case 'first-key':
        if (byte === closeObject) return this.#goTo('end', at)
        return this.#beginValue('key', byte === quote, at)
      case 'key':
        return this.#beginValue('key', byte === quote, at)
      case 'colon':
        return byte === colon ? this.#goTo('member', at) : unexpected()
      case 'member':
        return this.#beginMember(byte, at)
      case 'after-member':
        if (byte === comma) return this.#goTo('key', at)
        return byte === closeObject ? this.#goTo('end', at) : unexpected()
      case 'first-element':
        if (byte === closeArray) return this.#endArray(at)
        return this.#beginValue('element', true, at)
      case 'element':
        return this.#beginValue('element', byte !== closeArray, at)
      case 'after-element':
        if (byte === comma) return this.#goTo('element', at)
        return byte === closeArray ? this.#endArray(at) : unexpected()
      case 'end':
        return unexpected()
    }
  }

  #goTo(state: State, at: number): number {
    this.#state = state
    return at + 1
  }

  #begin(byte: number, at: number): number {
    if (byte === openObject) {
      this.#events.began('object')
      return this.#goTo('first-key', at)
    }
    if (byte !== openArray) return unexpected()
    this.#isBare = true
    this.#events.began('array')
    return this.#goTo('first-element', at)
  }

  #beginMember(byte: number, at: number): number {
    const isList = byte === openArray && this.#limits.arrays.includes(this.#key)
    if (!isList) return this.#beginValue('member', true, at)
    this.#array = this.#key
    this.#index = 0
    return this.#goTo('first-element', at)
  }

  #endArray(at: number): number {
    this.#events.ended(this.#array)
    return this.#goTo(this.#isBare ? 'end' : 'after-member', at)
  }

  #beginValue(state: State, isAllowed: boolean, at: number): number {
    if (!isAllowed) return unexpected()
    this.#state = state
    this.#inValue = true
    this.#depth = 0
    this.#inString = false
    this.#isEscaped = false
    this.#pieces = []
    this.#pieceBytes = 0
    return at
  }

  /** Reads on from `from`; what ends a value that is no string or bracket belongs to whoever comes next. */
  #continueValue(chunk: Buffer, from: number): number {
    let at = from
    while (at < chunk.length) {
      if (this.#inString) {
        at = this.#skipString(chunk, at)
        if (!this.#inString && this.#depth === 0) return this.#finish(chunk, from, at)
        continue
      }
      const byte = chunk[at]!
      if (byte === quote) this.#inString = true
      else if (byte === openObject || byte === openArray) this.#deepen()
      else if (byte === closeObject || byte === closeArray) {
        if (this.#depth === 0) return this.#finish(chunk, from, at)
        this.#depth -= 1
        if (this.#depth === 0) return this.#finish(chunk, from, at + 1)
      } else if (this.#depth === 0 && (byte === comma || byte === colon)) return this.#finish(chunk, from, at)
      at += 1
    }
    this.#keep(chunk.subarray(from))
    return at
  }

  /** A value may nest less by the levels around it: the document, and the array whose element it is. */
  #deepen(): void {
    this.#depth += 1
    const around = this.#state === 'element' && !this.#isBare ? 2 : 1
    if (this.#depth + around > mostLevels) throw new JsonSyntaxError(`the body nests deeper than ${mostLevels} levels`)
  }

  /** The place after the string's end, or the chunk's. Quotes are sought natively: strings are most of a body. */
  #skipString(chunk: Buffer, from: number): number {
    let at = from
    if (this.#isEscaped && at < chunk.length) {
      this.#isEscaped = false
      at += 1
    }
    for (;;) {
      const end = chunk.indexOf(quote, at)
      const stop = end === -1 ? chunk.length : end
      let slashes = 0
      while (stop - slashes > at && chunk[stop - slashes - 1] === backslash) slashes += 1
      const isEscaped = slashes % 2 === 1
      if (end === -1) {
        this.#isEscaped = isEscaped
        return chunk.length
      }
      at = end + 1
      if (!isEscaped) {
        this.#inString = false
        return at
      }
    }
  }

  #keep(piece: Buffer): void {
    this.#pieceBytes += piece.length
    if (this.#pieceBytes > this.#limits.maxValueBytes)
      throw new ValueTooLargeError(this.#path(), this.#limits.maxValueBytes)
    // A copy: the chunk belongs to its socket, and a view of it would hold all of it.
    if (piece.length > 0) this.#pieces.push(Buffer.from(piece))
  }

  #finish(chunk: Buffer, from: number, to: number): number {
    const last = chunk.subarray(from, to)
    if (this.#pieceBytes + last.length > this.#limits.maxValueBytes)
      throw new ValueTooLargeError(this.#path(), this.#limits.maxValueBytes)
    const bytes = this.#pieces.length === 0 ? last : Buffer.concat([...this.#pieces, last])
    this.#pieces = []
    this.#inValue = false
    this.#take(parseValue(bytes))
    return to
  }

  #take(value: unknown): void {
    if (this.#state === 'key') return this.#takeKey(value)
    if (this.#state === 'member') {
      this.#state = 'after-member'
      return this.#events.member(this.#key, value)
    }
    this.#state = 'after-element'
    this.#events.element(this.#array, this.#index, value)
    this.#index += 1
  }

  #takeKey(value: unknown): void {
    const key = String(value)
    requirePlainKey(key)
    if (this.#seen.has(key)) throw new JsonSyntaxError(`the member ${JSON.stringify(key.slice(0, 64))} appears twice`)
    this.#seen.add(key)
    this.#key = key
    this.#state = 'colon'
  }

  #path(): string {
    if (this.#state === 'key') return ''
    if (this.#state === 'member') return `/${this.#key}`
    return this.#array === '' ? `/${this.#index}` : `/${this.#array}/${this.#index}`
  }
}

function unexpected(): never {
  throw new JsonSyntaxError('the body is not valid JSON')
}
