import { messageOf } from './errors.ts'

const longestError = 2000

/** What the store can hold and a person reads: no control characters, and not a whole page of somebody's HTML. */
export function errorText(error: unknown): string {
  return messageOf(error)
    .slice(0, longestError)
    .replaceAll(/[\u0000-\u0008\u000b-\u001f]/g, ' ')
    .toWellFormed()
}
