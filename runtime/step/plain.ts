/**
 * Contexts stay in memory between steps, and a replay makes them of JSON: both must be the same value (R11). So what a
 * step leaves is what JSON would say of it, and frozen, because a step that throws, or whose commit fails, is made
 * again from the same objects.
 */
type Walkable = Readonly<Record<string, unknown>>

/** The value as JSON would give it back: itself where it is plain already. What it shares with `before` is not looked at. */
export function plainFrozen(value: unknown, before?: unknown): unknown {
  if (freezePlain(value, before)) return value
  const plain: unknown = JSON.parse(JSON.stringify(value) ?? 'null')
  freezePlain(plain, undefined)
  return plain
}

/** The same for what is read once and kept by nobody: nothing is frozen. */
export function plain(value: unknown): unknown {
  return isPlain(value) ? value : JSON.parse(JSON.stringify(value) ?? 'null')
}

function freezePlain(value: unknown, before: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isPlainScalar(value)
  if (value === before) return true
  const old = (typeof before === 'object' && before !== null ? before : {}) as Walkable
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!freezePlain(value[index], old[index])) return false
  } else {
    if (Object.getPrototypeOf(value) !== Object.prototype) return false
    for (const key in value) if (!freezePlain((value as Walkable)[key], old[key])) return false
  }
  Object.freeze(value)
  return true
}

function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isPlainScalar(value)
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!isPlain(value[index])) return false
    return true
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return false
  for (const key in value) if (!isPlain((value as Walkable)[key])) return false
  return true
}

/** JSON has no minus zero, and no number that is not finite. */
function isPlainScalar(value: unknown): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true
  return typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0)
}
