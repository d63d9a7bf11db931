/** What strangers wrote, so that a page shows all of it: a title that turns its own tail around says so. */
import { visible } from '../../../http/operational/visible.ts'

/** Every text of an answer, line by line. */
export function seenTexts(value: unknown): unknown {
  if (typeof value === 'string') return value.split('\n').map(visible).join('\n')
  if (Array.isArray(value)) return value.map(seenTexts)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, seenTexts(each)]))
}
