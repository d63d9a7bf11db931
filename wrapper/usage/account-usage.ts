import { Type, type Static } from 'typebox'
import type { AccountUsage, UsageWindow } from '../../machines/turn/schema.ts'
import { isoTime } from '../clock.ts'

const Window = Type.Object(
  {
    usedPercent: Type.Number({ minimum: 0, maximum: 100 }),
    resetsAt: Type.Integer({
      minimum: 1,
      description: 'Unix epoch seconds. The wrapper refuses a date text (STATUSLINE-4).',
    }),
  },
  { additionalProperties: false },
)

/** What the status line posts: both windows or nothing, so that "never reported" and "0 percent" stay apart. */
export const AccountUsageSnapshot = Type.Object({ fiveHour: Window, sevenDay: Window }, { additionalProperties: false })
export type AccountUsageSnapshot = Static<typeof AccountUsageSnapshot>

export function toAccountUsage(snapshot: AccountUsageSnapshot, receivedAt: number): AccountUsage {
  return {
    fiveHour: toWindow(snapshot.fiveHour),
    sevenDay: toWindow(snapshot.sevenDay),
    reportedAt: isoTime(receivedAt),
  }
}

function toWindow(window: Static<typeof Window>): UsageWindow {
  return { usedPercent: window.usedPercent, resetsAt: isoTime(window.resetsAt * 1000) }
}
