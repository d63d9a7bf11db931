/** Gives each field of a structural schema its words: those of the schema itself, else those of descriptions.ts. */
type Schema = Readonly<Record<string, unknown>>

/**
 * @param words by path below the schema; `*` stands for one name.
 * @throws for a field without words, and for words of a field that is not there or has its own.
 */
export function describe(schema: Schema, words: Readonly<Record<string, string>>, what: string): Schema {
  const unused = new Set(Object.keys(words))
  const missing: string[] = []
  const find = (path: readonly string[]): string | undefined => {
    const found = [path.join('.'), [...path.slice(0, -1), '*'].join('.')].find((one) => Object.hasOwn(words, one))
    if (found !== undefined) unused.delete(found)
    return found === undefined ? undefined : words[found]
  }
  const below = (at: Schema, path: readonly string[]): Schema => {
    const { properties, items } = at as {
      readonly properties?: Readonly<Record<string, Schema>>
      readonly items?: Schema
    }
    return {
      ...at,
      ...(items ? { items: below(items, path) } : {}),
      ...(properties
        ? {
            properties: Object.fromEntries(
              Object.entries(properties).map(([name, one]) => [name, field(one, [...path, name])]),
            ),
          }
        : {}),
    }
  }
  const field = (at: Schema, path: readonly string[]): Schema => {
    const text = at['description'] ?? find(path)
    if (text === undefined) missing.push(path.join('.'))
    return below({ ...at, description: text }, path)
  }
  const described = below(schema, [])
  if (missing.length > 0) throw new Error(`${what} has no description of ${missing.join(', ')} (crd/descriptions.ts)`)
  if (unused.size > 0) throw new Error(`${what} has no field for the description of ${[...unused].join(', ')}`)
  return described
}
