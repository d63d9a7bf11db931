import type { Bolt } from './bolt.ts'

/** Before the first write: eight writers at once made eight nodes of one key where no constraint stood in their way. */
const statements = [
  'CREATE CONSTRAINT code_graph_key IF NOT EXISTS FOR (g:CodeGraph) REQUIRE g.key IS UNIQUE',
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
