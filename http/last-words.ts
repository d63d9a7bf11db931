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

/** Bytes of a log that are read: its last lines, with the stack of an error. */
export const lastBytes = 16_384
/** What was written long before is not why it ended. */
const lookedAt = 10
/** More than these lines nobody reads in a sentence. */
const mostLines = 3

/** `log`: its end; its first line may be cut. Empty: it wrote none. */
export function lastWords(log: string): string {
  const lines = log
    .slice(-lastBytes)
    .split('\n')
    .filter((line) => line.trim() !== '')
  return lines.slice(-lookedAt).flatMap(wordsIn).slice(-mostLines).join(' | ')
}

function wordsIn(line: string): readonly string[] {
  const text = line.trim()
  const event = parsed(text)
  if (event === undefined) return cutWords(text)
  if (!Value.Check(LogLine, event)) return [text]
  const { level, msg, err, faults = [] } = event
  if (level < errorLevel) return []
  const causes = [err?.message ?? '', ...faults.map(({ path, message }) => `${path} ${message}`)].filter(Boolean)
  return [[msg, causes.join(', ')].filter(Boolean).join(': ')]
}

/** Of half a line of a log: the message of what has a stack is one of an error, and the rest says nothing. */
function cutWords(text: string): readonly string[] {
  if (text.endsWith('"}')) return /\\n +at /.test(text) ? [messageIn(text)].filter(Boolean) : []
  return text.startsWith('{"') ? [] : [text]
}

function messageIn(text: string): string {
  const [, message] = /"msg":("(?:[^"\\]|\\.)*")\}$/.exec(text) ?? []
  return message === undefined ? '' : String(parsed(message))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
