/**
 * What a repository that an agent wrote may send (law B1), read off the wire before git reads it:
 * L1 protocol version 0 only: it knows neither bundle nor packfile URIs, and a server may pick another unasked.
 * L2 so many refs, L3 so many objects, L4 so many bytes.
 */
export interface WireLimits {
  readonly refs: number
  readonly objects: number
  readonly bytes: number
}

const lengthBytes = 4
const packHeaderBytes = 12
const sideband = 1

export class PackLimits {
  readonly #limits: WireLimits
  #rest = Buffer.alloc(0)
  #pack = Buffer.alloc(0)
  #bytes = 0
  #refs = 0
  #isAdvertised = false
  #isCounted = false

  constructor(limits: WireLimits) {
    this.#limits = limits
  }

  /** Takes what the server sends next; answers what is wrong with it. */
  take(chunk: Buffer): string | undefined {
    this.#bytes += chunk.length
    if (this.#bytes > this.#limits.bytes) return `more than ${this.#limits.bytes} bytes`
    if (this.#isCounted) return undefined
    this.#rest = Buffer.concat([this.#rest, chunk])
    return this.#read()
  }

  #read(): string | undefined {
    while (!this.#isCounted && this.#rest.length >= lengthBytes) {
      // Without side bands the pack follows the last packet as it is.
      if (this.#isAdvertised && this.#rest.subarray(0, lengthBytes).equals(Buffer.from('PACK')))
        return this.#rest.length < packHeaderBytes ? undefined : this.#count(this.#rest)
      const length = lengthOf(this.#rest)
      if (length === undefined) return 'something that is no packet'
      if (this.#rest.length < length) return undefined
      const payload = this.#rest.subarray(lengthBytes, Math.max(length, lengthBytes))
      this.#rest = this.#rest.subarray(Math.max(length, lengthBytes))
      const complaint = length === 0 ? this.#flush() : this.#packet(payload)
      if (complaint !== undefined) return complaint
    }
    return undefined
  }

  #flush(): undefined {
    this.#isAdvertised = true
  }

  #packet(payload: Buffer): string | undefined {
    if (!this.#isAdvertised) return this.#advertised(payload)
    if (payload[0] !== sideband) return undefined
    this.#pack = Buffer.concat([this.#pack, payload.subarray(1, 1 + packHeaderBytes)])
    return this.#pack.length < packHeaderBytes ? undefined : this.#count(this.#pack)
  }

  #advertised(payload: Buffer): string | undefined {
    if (payload.subarray(0, 8).toString('latin1') === 'version ') return 'a protocol version that was not asked for'
    this.#refs += 1
    return this.#refs > this.#limits.refs ? `more than ${this.#limits.refs} refs` : undefined
  }

  #count(header: Buffer): string | undefined {
    this.#isCounted = true
    this.#rest = Buffer.alloc(0)
    const objects = header.readUInt32BE(8)
    return objects > this.#limits.objects ? `more than ${this.#limits.objects} objects` : undefined
  }
}

function lengthOf(packet: Buffer): number | undefined {
  const text = packet.subarray(0, lengthBytes).toString('latin1')
  return /^[0-9a-f]{4}$/i.test(text) ? Number.parseInt(text, 16) : undefined
}
