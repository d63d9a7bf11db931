/** One thing that was looked at. */
export interface Check {
  readonly id: string
  /** `unproven`: it was not tried, or could not be; that is neither well nor wrong. */
  readonly status: 'ok' | 'failed' | 'unproven'
  readonly seen: string
  /** What to do next; absent where all is well. */
  readonly next?: string
}

type Words = readonly [seen: string, next?: string]

export function check(id: string, status: Check['status'], ...[seen, next]: Words): Check {
  return { id, status, seen: oneLine(seen), ...(next === undefined ? {} : { next: oneLine(next) }) }
}

const longest = 700

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, longest)
}

/** One line for each; the next step stands below what failed. */
export function listing(checks: readonly Check[]): readonly string[] {
  const width = Math.max(...checks.map(({ id }) => id.length))
  const indent = ' '.repeat('unproven'.length + width + 4)
  const lines = checks.flatMap(({ id, status, seen, next }) => [
    `${status.padEnd('unproven'.length)}  ${id.padEnd(width)}  ${seen}`,
    ...(next === undefined ? [] : [`${indent}next: ${next}`]),
  ])
  const count = (status: Check['status']): number => checks.filter((one) => one.status === status).length
  return [...lines, `${count('ok')} ok, ${count('failed')} failed, ${count('unproven')} unproven`]
}

export function exitCodeOf(checks: readonly Check[]): number {
  return checks.some(({ status }) => status === 'failed') ? 1 : 0
}
