/** Why a program ended, by the end of its log: what it wrote beside the log, and the errors in it. */
import { Type } from 'typebox'
import { Value } from 'typebox/value'

const LogLine = Type.Object({
  /** pino's number (https://getpino.io/#/docs/api?id=logger-level). */
  level: Type.Number(),
  msg: Type.String(),
  err: Type.Optional(Type.Object({ message: Type.String() })),
  faults: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
})
const errorLevel = 50

/** More than these lines nobody reads in a sentence. */
const mostLines = 3

/** Empty: it wrote none. */
export function lastWords(log: string): string {
  return log.split('\n').flatMap(wordsIn).slice(-mostLines).join(' | ')
}

function wordsIn(line: string): readonly string[] {
  const text = line.trim()
  const event = parsed(text)
  // A log that is cut begins within a line.
  if (event === undefined) return text === '' || text.endsWith('"}') ? [] : [text]
  if (!Value.Check(LogLine, event)) return [text]
  const { level, msg, err, faults = [] } = event
  if (level < errorLevel) return []
  const causes = [err?.message ?? '', ...faults.map(({ path, message }) => `${path} ${message}`)].filter(Boolean)
  return [[msg, causes.join(', ')].filter(Boolean).join(': ')]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
