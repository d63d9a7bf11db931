import type { Bolt } from './bolt.ts'

/** Before the first write: eight writers at once made eight nodes of one key where no constraint stood in their way. */
const statements = [
  'CREATE CONSTRAINT code_graph_key IF NOT EXISTS FOR (g:CodeGraph) REQUIRE g.key IS UNIQUE',
  'CREATE CONSTRAINT code_space_name IF NOT EXISTS FOR (s:CodeSpace) REQUIRE s.name IS UNIQUE',
  'CREATE CONSTRAINT code_entity_key IF NOT EXISTS FOR (n:CodeEntity) REQUIRE n.key IS UNIQUE',
  'CREATE CONSTRAINT code_hyperedge_key IF NOT EXISTS FOR (h:CodeHyperedge) REQUIRE h.key IS UNIQUE',
  'CREATE INDEX code_entity_order IF NOT EXISTS FOR (n:CodeEntity) ON (n.graph, n.id)',
  'CREATE INDEX code_entity_file IF NOT EXISTS FOR (n:CodeEntity) ON (n.graph, n.file)',
  'CREATE INDEX code_entity_id IF NOT EXISTS FOR (n:CodeEntity) ON (n.id)',
  'CREATE INDEX code_hyperedge_graph IF NOT EXISTS FOR (h:CodeHyperedge) ON (h.graph)',
  'CALL db.awaitIndexes(60)',
]

export async function createSchema(bolt: Bolt): Promise<void> {
  for (const statement of statements) await bolt.alone(statement)
}

/**
 * The first instance that asks owns a space; any other is refused, whatever it wanted there: it would read the graphs of
 * another Project, and its rebuild would remove them (KNOWLEDGE-11, KNOWLEDGE-12).
 */
export async function claimSpace(bolt: Bolt, space: string, owner: string): Promise<void> {
  const [row] = await bolt.write((query) =>
    query('MERGE (s:CodeSpace {name: $space}) ON CREATE SET s.owner = $owner RETURN s.owner AS owner', {
      space,
      owner,
    }),
  )
  if (row?.['owner'] !== owner)
    throw new Error(
      `another memory service owns GRAPH_SPACE ${space}: choose a space of your own, or delete the node (:CodeSpace) of that name if that service is gone`,
    )
}
