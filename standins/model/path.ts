/** `a.b[0].c`, with negative indexes from the end: the one way a scenario names a value. */
export function readPath(root: unknown, path: string): unknown {
  let value: unknown = root
  for (const key of path.replaceAll(/\[(-?\d+)\]/g, '.$1').split('.')) {
    if (value === null || value === undefined) return undefined
    value = member(value, key.trim())
  }
  return value
}

function member(value: unknown, key: string): unknown {
  if (Array.isArray(value))
    return /^-?\d+$/.test(key) ? value.at(Number(key)) : key === 'length' ? value.length : undefined
  if (typeof value !== 'object' || value === null) return undefined
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined
}
