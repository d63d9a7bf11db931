/** The active leaves of an XState state value as dotted text, regions separated by a space: `stage.merging.asked pod.none`. */
export function statePath(value: unknown): string {
  return leaves(value).join(' ')
}

function leaves(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([region, inner]) => {
    const below = leaves(inner)
    return below.length === 0 ? [region] : below.map((leaf) => `${region}.${leaf}`)
  })
}

/** The same active leaves. The order of regions says nothing: code before document order wrote them as they were entered. */
export function samePath(one: string, other: string): boolean {
  return one === other || one.split(' ').toSorted().join(' ') === other.split(' ').toSorted().join(' ')
}
