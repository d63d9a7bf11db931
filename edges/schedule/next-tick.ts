import { Cron } from 'croner'

/** Five fields of numbers, names, lists, ranges and steps: croner's own extensions are refused (PROJECT-CRON-2). */
const fiveFields = /^\s*[\dA-Za-z*,/-]+(\s+[\dA-Za-z*,/-]+){4}\s*$/
const extensions = /[LW#?]/

interface Ticks {
  readonly next: number
  /** Absent where the schedule has no earlier tick. */
  readonly previous?: number
}

type NextTick = Ticks | { readonly refused: string }

/** The first tick strictly after a time and the last one that is not after it, in the operator's time zone (SCHEDULE-2). */
export function nextTick(schedule: string, after: number, timezone: string): NextTick {
  const plain = schedule.toUpperCase().replace(/\b(JUL|WED)\b/g, '')
  if (!fiveFields.test(schedule) || extensions.test(plain))
    return { refused: `"${schedule}" is not a cron expression with five fields` }
  try {
    const cron = new Cron(schedule, { mode: '5-part', timezone })
    const next = cron.nextRun(new Date(after))
    if (next === null) return { refused: `"${schedule}" never fires` }
    return { next: next.getTime(), ...previousOf(cron, after) }
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) }
  }
}

/** Croner looks strictly before a time, and at whole seconds. */
function previousOf(cron: Cron, at: number): Pick<Ticks, 'previous'> {
  const [previous] = cron.previousRuns(1, new Date(Math.floor(at / 1000) * 1000 + 1000))
  return previous === undefined ? {} : { previous: previous.getTime() }
}
