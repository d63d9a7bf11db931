/** Where two values first differ, as a path and both sides; undefined when they are alike. The order of keys says nothing. */
export function firstDifference(stored: unknown, made: unknown, at: string): string | undefined {
  if (Object.is(stored, made)) return undefined
  if (!isBranch(stored) || !isBranch(made) || Array.isArray(stored) !== Array.isArray(made))
    return `${at} is ${shown(made)}, was ${shown(stored)}`
  for (const name of new Set([...Object.keys(stored), ...Object.keys(made)])) {
    const difference = firstDifference(stored[name], made[name], `${at}/${name}`)
    if (difference !== undefined) return difference
  }
  return undefined
}

function isBranch(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** A whole context helps nobody in one line. */
const longestShown = 200

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length <= longestShown ? text : `${text.slice(0, longestShown)}…`
}
