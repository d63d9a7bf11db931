/**
 * The effects of an actor that were decided and not tried yet, as its row names them: one line each, in journal order.
 * A line says the type too, so that types can be read apart without parsing a journal.
 */
interface MarkedEffect {
  readonly seq: number
  readonly idx: number
  readonly type: string
}

const end = '\n'

export function markOf({ seq, idx, type }: MarkedEffect): string {
  return `${seq}.${idx}:${type}`
}

export function withMark(pending: string | null, effect: MarkedEffect): string {
  return pending === null ? markOf(effect) : `${pending}${end}${markOf(effect)}`
}

export function marksIn(text: string): readonly string[] {
  return text.split(end)
}

export function withoutMarks(pending: string | null, gone: readonly string[]): string | null {
  if (pending === null) return null
  if (gone.length === 1 && pending === gone[0]) return null
  return joined(pending.split(end).filter((mark) => !gone.includes(mark)))
}

export function withoutType(pending: string | null, type: string): string | null {
  if (pending === null) return null
  return joined(pending.split(end).filter((mark) => mark.slice(mark.indexOf(':') + 1) !== type))
}

export function joined(marks: readonly string[]): string | null {
  return marks.length === 0 ? null : marks.join(end)
}
