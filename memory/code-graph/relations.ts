/**
 * What relations mean to the questions that name none. Names are the pusher's own; these are those of the contract
 * (KNOWLEDGE-8) and those that extractors use for the same, in either spelling.
 */
function bothSpellings(...names: readonly string[]): readonly string[] {
  return [...new Set(names.flatMap((name) => [name, name.replaceAll('-', '_')]))]
}

export const calls = bothSpellings('calls', 'indirect-call')

export const imports = bothSpellings('imports', 'imports-from', 're-exports', 'dynamic-import', 'includes')

/** Needing another to be there: who changes it asks for all of these (CODE-GRAPH-8). */
export const dependencies = [
  ...calls,
  ...bothSpellings('depends-on', 'implements', 'extends', 'inherits', 'uses', 'references', 'requires'),
  ...imports,
]

/** From owner to owned, among resources of a cluster: what is mounted, selected or referred to goes on without it (CODE-GRAPH-11). */
export const owning = bothSpellings('owns', 'manages', 'controls')

/** The same from below. */
export const ownedBy = bothSpellings('owned-by', 'managed-by', 'controlled-by')

/** Where something stands, not what it needs: nearly every such edge is a bridge to a leaf, so bridges leave them out. */
const structural = bothSpellings('contains', 'declares', 'defines', 'method', 'member-of', 'defined-in', 'has')

const structuralNames: ReadonlySet<string> = new Set(structural)

export function isStructural(relation: string): boolean {
  return structuralNames.has(relation)
}
