/** The tools' schemas nest to less than ten; an answer of the model may be so deep that recursion would end the stack. */
export const maxDepth = 64

/**
 * One text for all JSON texts of one value: members in the order of their names, numbers as JSON writes them. Undefined:
 * its arrays and objects nest deeper than `maxDepth`.
 */
export function canonical(value: unknown): string | undefined {
  return nestsWithin(maxDepth, value) ? textOf(value) : undefined
}

function nestsWithin(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((member) => nestsWithin(levels - 1, member))
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`).join(',')}}`
}
