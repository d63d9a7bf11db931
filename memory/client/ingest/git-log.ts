/** Commits with their files in the output of `git log --name-only`, their fields apart whatever people wrote into them. */

/** The option for it; of `fields`, placeholders of git, each commit shows these and then the names of its files. */
export function logFormat(fields: readonly string[]): string {
  // No message holds NUL, and git quotes the names: nobody's words end a field.
  return `--format=${['', ...fields, ''].join('%x00')}`
}

/** Of each commit the fields, as many as its format has. */
export function* commitsIn(
  log: string,
  fields: readonly string[],
): Generator<{ readonly values: readonly string[]; readonly files: readonly string[] }> {
  const parts = log.split('\0').slice(1)
  for (let next = 0; next < parts.length; next += fields.length + 1) {
    const values = parts.slice(next, next + fields.length)
    const names = parts[next + fields.length] ?? ''
    yield { values, files: names.split('\n').filter((name) => name !== '') }
  }
}
