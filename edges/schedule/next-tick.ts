import { Cron } from 'croner'

/** Five fields of numbers, names, lists, ranges and steps: croner's own extensions are refused (PROJECT-CRON-2). */
const fiveFields = /^\s*[\dA-Za-z*,/-]+(\s+[\dA-Za-z*,/-]+){4}\s*$/
const extensions = /[LW#?]/

export type NextTick = { readonly next: number } | { readonly refused: string }

/** The first tick strictly after a time, in the operator's time zone (SCHEDULE-2). */
export function nextTick(schedule: string, after: number, timezone: string): NextTick {
  const plain = schedule.toUpperCase().replace(/\b(JUL|WED)\b/g, '')
  if (!fiveFields.test(schedule) || extensions.test(plain))
    return { refused: `"${schedule}" is not a cron expression with five fields` }
  try {
    const next = new Cron(schedule, { mode: '5-part', timezone }).nextRun(new Date(after))
    return next === null ? { refused: `"${schedule}" never fires` } : { next: next.getTime() }
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) }
  }
}
