/**
 * A journal row holds an event for good and a load parses it again, so that an event has a size: beyond it belongs
 * into a store of its own, with its name on the event.
 */
const mostEventBytes = 1_048_576

/** Why the event is not taken in; undefined when it is. */
export function tooLarge(body: string): string | undefined {
  // No text has more bytes than three for each of its units: most need no counting.
  if (body.length * 3 <= mostEventBytes) return undefined
  const bytes = Buffer.byteLength(body)
  return bytes <= mostEventBytes
    ? undefined
    : `an event may have ${mostEventBytes} bytes as JSON, this one has ${bytes}`
}
