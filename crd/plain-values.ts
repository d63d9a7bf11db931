/** What no store of resources holds as it was sent: NUL, halves of surrogate pairs, and values that end a stack (RESOURCES-18). */
import type { ManifestFault } from './manifest-fault.ts'

/** As in every JSON body (HTTP-18). The deepest field of a kind stands on level 6. */
const mostLevels = 64

/** Level by level, each value once: YAML's aliases may repeat one without end. */
export function isTooDeep(value: unknown, levels = mostLevels): boolean {
  let level = [value].filter(isContainer)
  for (let depth = 0; depth < levels && level.length > 0; depth += 1)
    level = [...new Set(level.flatMap((container) => Object.values(container).filter(isContainer)))]
  return level.length > 0
}

/** Keys and texts below `value` that name nothing which could be found again. */
export function faultyNames(value: unknown, path: string): readonly ManifestFault[] {
  if (typeof value === 'string') return isPlain(value) ? [] : [{ path, message }]
  if (!isContainer(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = `${path}/${key.toWellFormed()}`
    return [...(isPlain(key) ? [] : [{ path: at, message }]), ...faultyNames(inner, at)]
  })
}

const message = 'must not contain NUL or half of a surrogate pair'

function isPlain(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
