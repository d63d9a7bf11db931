/**
 * What a memory is, by what ingest writes of it: a file of a repository; a change, which is a commit, an issue or a merge
 * request (their `file` begins with `@`); and a note, what somebody wrote down, which is everything else.
 */
export const memoryKinds = ['files', 'changes', 'notes'] as const
export type MemoryKind = (typeof memoryKinds)[number]

/** Of what a memory says of itself; an engine's own column of the file says the same. */
export function kindOf(metadata: Readonly<Record<string, string>>): MemoryKind {
  const { file, commit } = metadata
  if (file === undefined) return commit === undefined ? 'notes' : 'changes'
  return file.startsWith('@') ? 'changes' : 'files'
}

/** The same in SQL, of a row with `file` and `metadata`. */
export function kindInSql(row: string): string {
  return `case when ${row}.file is null then case when ${row}.metadata ? 'commit' then 'changes' else 'notes' end
    when starts_with(${row}.file, '@') then 'changes' else 'files' end`
}
