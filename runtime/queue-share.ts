/** Who may still wait in a bounded queue: what one busy actor holds must not send every other's callers away. */

/** Items that wait, and the bytes of their event text. */
export interface Load {
  readonly size: number
  readonly bytes: number
}

/**
 * An actor may hold so many times the room that is left, as switches divide a shared buffer among their ports (Choudhury
 * and Hahne, Dynamic queue length thresholds, 1998): alone two thirds of the whole; k busy ones leave 1/(1+2k) of it free.
 */
const timesTheRoom = 2

/** Whether the queue has room for one more, whosever it is. */
export function isRoomFor(bytes: number, held: Load, most: Load): boolean {
  return held.size < most.size && held.bytes + bytes <= most.bytes
}

/** Always true of who holds nothing while there is room. */
export function isWithinShare(own: Load, held: Load, most: Load): boolean {
  const isFew = own.size < timesTheRoom * (most.size - held.size)
  return isFew && own.bytes < timesTheRoom * (most.bytes - held.bytes)
}
