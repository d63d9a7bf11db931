/** A thin skin over the driver: queries that read, queries that write, and what a server can't do in a transaction. */
import neo4j, { type Driver, type Result } from 'neo4j-driver'

export type Row = Readonly<Record<string, unknown>>
export type Parameters = Readonly<Record<string, unknown>>
export type Query = (text: string, parameters?: Parameters) => Promise<readonly Row[]>

export interface Bolt {
  /** Many queries of one reader. They may see what is committed between them: Neo4j knows no snapshot. */
  read<T>(run: (query: Query) => Promise<T>): Promise<T>
  /** One transaction. */
  write<T>(run: (query: Query) => Promise<T>): Promise<T>
  /** By itself, as `CALL { ... } IN TRANSACTIONS` has to be. */
  alone(text: string, parameters?: Parameters): Promise<void>
  server(): Promise<string>
  close(): Promise<void>
}

export interface BoltOptions {
  /** `bolt://user:password@host:port`, or any scheme that the driver knows. */
  readonly url: string
  readonly database?: string
}

/** The server ends what takes longer; a load of many batches is many transactions. */
const timeoutMs = 60_000

export function openBolt({ url, database }: BoltOptions): Bolt {
  const { address, user, password } = partsOf(url)
  const driver = neo4j.driver(address, neo4j.auth.basic(user, password), {
    // Counts and lines stay far below 2^53.
    disableLosslessIntegers: true,
    // Postgres answers when Neo4j doesn't, so nobody waits for it long.
    maxTransactionRetryTime: 3_000,
    connectionTimeout: 5_000,
    connectionAcquisitionTimeout: 10_000,
    // A connection that a restart of the server has ended fails its next query, which is not tried again.
    connectionLivenessCheckTimeout: 10_000,
    telemetryDisabled: true,
  })
  const where = database === undefined ? {} : { database }
  return {
    // A transaction would cost two more round trips and give a reader nothing: Neo4j knows no snapshot in it either.
    read: (run) =>
      inSession(driver, { ...where, defaultAccessMode: neo4j.session.READ }, (session) =>
        run(queryBy((text, parameters) => session.run(text, parameters, { timeout: timeoutMs }))),
      ),
    write: (run) =>
      inSession(driver, where, (session) =>
        session.executeWrite((tx) => run(queryBy((text, parameters) => tx.run(text, parameters))), {
          timeout: timeoutMs,
        }),
      ),
    alone: (text, parameters = {}) =>
      inSession(driver, where, async (session) => void (await session.run(text, { ...parameters }))),
    server: async () => (await driver.getServerInfo(where)).agent ?? 'neo4j',
    close: () => driver.close(),
  }
}

function partsOf(url: string): { readonly address: string; readonly user: string; readonly password: string } {
  const parsed = new URL(url)
  const [user, password] = [decodeURIComponent(parsed.username), decodeURIComponent(parsed.password)]
  parsed.username = ''
  parsed.password = ''
  return { address: parsed.href.replace(/\/$/, ''), user, password }
}

async function inSession<T>(
  driver: Driver,
  where: object,
  run: (session: ReturnType<Driver['session']>) => Promise<T>,
): Promise<T> {
  const session = driver.session(where)
  try {
    return await run(session)
  } finally {
    await session.close()
  }
}

function queryBy(ask: (text: string, parameters: Record<string, unknown>) => Result): Query {
  return async (text, parameters = {}) =>
    (await ask(text, { ...parameters })).records.map((record) => record.toObject())
}

/** A number that the server shall take for an integer: from JavaScript all of them arrive as floats. */
export function integer(value: number): unknown {
  return neo4j.int(value)
}
