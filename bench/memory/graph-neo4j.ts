/** Neo4j asked directly: the driver, and the Cypher that somebody would write by hand over the same graph. */
import { execFile } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { integer, openBolt, type Bolt } from '../../memory/graph/neo4j/bolt.ts'

const script = fileURLToPath(new URL('../../.ci/neo4j.sh', import.meta.url))
const run = promisify(execFile)

export interface Neo4jServer {
  readonly url: string
  stop(): Promise<void>
}

/** One that is there already (NEO4J_URL), or one of the bench's own; undefined, with the reason, where none can run. */
export async function startNeo4j(): Promise<Neo4jServer | string> {
  const given = process.env['NEO4J_URL'] ?? ''
  if (given !== '') return { url: given, stop: async () => undefined }
  const folder = await mkdtemp(join(tmpdir(), 'statewright-bench-neo4j-'))
  try {
    const { stdout } = await run(script, ['start', join(folder, 'data')])
    return { url: stdout.trim(), stop: async () => void (await run(script, ['stop', join(folder, 'data')])) }
  } catch (error) {
    return `Neo4j could not be started: ${String(error).split('\n')[0]}`
  }
}

export interface DirectQuestions {
  neighbours(id: string, depth: number): Promise<number>
  path(from: string, to: string): Promise<number | undefined>
  close(): Promise<void>
}

/** Answers as ours: entities with all of their properties, in order, 500 at most. */
export function askDirectly(url: string, graph: string): DirectQuestions {
  const bolt: Bolt = openBolt({ url })
  const key = (id: string): string => `${graph}\n${id}`
  return {
    neighbours: (id, depth) =>
      bolt.read(async (query) => {
        const rows = await query(
          `MATCH (a:CodeEntity {key: $key})-[:LINK*1..${Math.trunc(depth)}]->(b:CodeEntity) WHERE b <> a
          WITH DISTINCT b ORDER BY b.id LIMIT $limit RETURN properties(b) AS b`,
          { key: key(id), limit: integer(500) },
        )
        return rows.length
      }),
    path: (from, to) =>
      bolt.read(async (query) => {
        const [row] = await query(
          `MATCH (a:CodeEntity {key: $from}) MATCH (b:CodeEntity {key: $to})
          MATCH p = shortestPath((a)-[:LINK*1..12]->(b)) RETURN [n IN nodes(p) | properties(n)] AS nodes, length(p) AS length`,
          { from: key(from), to: key(to) },
        )
        return row?.['length'] as number | undefined
      }),
    close: () => bolt.close(),
  }
}
