import pg from 'pg'

export interface PostgresMeter {
  /** Bytes of write-ahead log since the server was made. */
  logPosition(): Promise<number>
  /** Tables and indexes of the database on disk. */
  storedBytes(): Promise<number>
  close(): Promise<void>
}

export async function postgresMeter(url: string): Promise<PostgresMeter> {
  const client = new pg.Client(url)
  await client.connect()
  const number = async (expression: string): Promise<number> => {
    const { rows } = await client.query<{ value: string }>(`select (${expression})::text as value`)
    return Number(rows[0]?.value)
  }
  return {
    logPosition: () => number(`pg_current_wal_insert_lsn() - '0/0'::pg_lsn`),
    storedBytes: () => number('pg_database_size(current_database())'),
    close: () => client.end(),
  }
}
