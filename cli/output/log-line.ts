/** One line of a program's log, for people: a JSON line of pino as time, level, message and fields; any other as it is. */

/** pino's numbers (https://getpino.io/#/docs/api?id=logger-level). */
const levels: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
}
const widestLevel = 5
/** Of the process, the same in each line. */
const constants = ['pid', 'hostname', 'name']

/** Several where an error has a stack, which follows below, indented. */
export function readableLines(line: string): readonly string[] {
  const event = eventOf(line)
  if (event === undefined) return [line]
  const { time, level, msg, err, ...fields } = event
  const { stack, ...error } = (typeof err === 'object' && err !== null ? err : {}) as Readonly<Record<string, unknown>>
  const shown = Object.entries({ ...fields, ...(err === undefined ? {} : { err: stack === undefined ? err : error }) })
    .filter(([name]) => !constants.includes(name))
    .map(([name, value]) => `${name}=${wordOf(value)}`)
  const head = [String(time), (levels[Number(level)] ?? String(level)).padEnd(widestLevel), String(msg ?? ''), ...shown]
  const below = typeof stack === 'string' ? stack.split('\n').map((one) => `    ${one.trim()}`) : []
  return [head.filter((part) => part !== '').join(' '), ...below]
}

function eventOf(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    const event = JSON.parse(line) as Readonly<Record<string, unknown>>
    return 'time' in event && 'level' in event ? event : undefined
  } catch {
    return undefined
  }
}

function wordOf(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"=]+$/.test(value)) return value
  return JSON.stringify(value)
}
