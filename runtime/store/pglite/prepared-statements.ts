import type { PGlite, parse, protocol, Results } from '@electric-sql/pglite'

/** What of PGlite's own module speaks its protocol; it is loaded with the store. */
interface Protocol {
  readonly parse: typeof parse
  readonly protocol: typeof protocol
}

interface Prepared {
  readonly name: string
  /** Of each parameter, by OID. */
  readonly types: readonly number[]
}

/** As on a server (`../postgres/pg-sql.ts`): statements are constants of the code; beyond so many they go unprepared. */
const mostPrepared = 400

/**
 * Statements of one PGlite, each parsed once, and planned anew only as long as Postgres finds that worth its while. PGlite's own
 * `query` parses and plans each time and crosses into WebAssembly six times, which is most of what a small statement costs.
 */
export class PreparedStatements {
  readonly #db: PGlite
  readonly #protocol: Protocol
  readonly #known = new Map<string, Prepared>()

  constructor(db: PGlite, protocol: Protocol) {
    this.#db = db
    this.#protocol = protocol
  }

  /** Not beside another call: the session is one. */
  async query(text: string, params: readonly unknown[]): Promise<Results<object>> {
    const prepared = this.#known.get(text) ?? (await this.#prepare(text))
    if (prepared === undefined) return this.#db.query<object>(text, [...params])
    const { serialize } = this.#protocol.protocol
    const values = params.map((param, at) => this.#valueOf(param, prepared.types[at]!))
    const messages = await this.#send([
      serialize.bind({ statement: prepared.name, values }),
      serialize.describe({ type: 'P' }),
      serialize.execute({}),
    ])
    await this.#db.syncToFs()
    return this.#protocol.parse.parseResults(messages, this.#db.parsers)[0] as Results<object>
  }

  async #prepare(text: string): Promise<Prepared | undefined> {
    if (this.#known.size >= mostPrepared) return undefined
    const { serialize } = this.#protocol.protocol
    const name = `s${this.#known.size}`
    const messages = await this.#send([serialize.parse({ name, text }), serialize.describe({ type: 'S', name })])
    const prepared = { name, types: this.#protocol.parse.parseDescribeStatementResults(messages) }
    this.#known.set(text, prepared)
    return prepared
  }

  async #send(parts: readonly Uint8Array[]): Promise<Parameters<typeof parse.parseResults>[0]> {
    const message = Buffer.concat([...parts, this.#protocol.protocol.serialize.sync()])
    return (await this.#db.execProtocol(message, { syncToFs: false })).messages
  }

  #valueOf(param: unknown, type: number): string | null {
    if (param === null || param === undefined) return null
    const serializer = this.#db.serializers[type]
    return serializer === undefined ? String(param) : serializer(param)
  }
}
