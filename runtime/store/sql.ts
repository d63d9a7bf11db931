/**
 * The one query interface over Postgres and PGlite. What both must give alike, whatever the driver's habits:
 * int8 comes back as a number (an unsafe one is an error), json and jsonb parsed, date and timestamp types as the
 * server's text. JSON goes in as text. Only the tx handle may be used inside `tx`: PGlite has one session, and a
 * query on the root handle would wait for the transaction that waits for it.
 */
export interface Queryable {
  query<Row extends object = Record<string, unknown>>(text: string, params?: readonly unknown[]): Promise<Result<Row>>
  /** Several statements without parameters or results: migrations. */
  exec(text: string): Promise<void>
}

export interface Result<Row> {
  readonly rows: readonly Row[]
  readonly rowCount: number
}

/** What an acknowledged commit outlives: nothing, the end of the process, or the loss of power. */
export type Durability = 'none' | 'process-death' | 'power-loss'

export interface Sql extends Queryable {
  readonly durability: Durability
  /** Resolves, with the reason, when nothing can be had from this store until a new process opens it anew. */
  readonly lost?: Promise<Error>
  /** Writes something that leaves nothing behind: rejects while the store, or the disk below it, takes no writes. */
  readonly probe?: () => Promise<void>
  /**
   * Commits when the function resolves, rolls back when it rejects or a statement of it failed. Its handle takes nothing
   * once it has ended.
   */
  tx<T>(run: (tx: Queryable) => Promise<T>): Promise<T>
  close(): Promise<void>
}
