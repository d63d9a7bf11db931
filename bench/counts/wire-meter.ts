/**
 * What this process sends to PostgreSQL, counted in the messages themselves: so it counts whatever sends them. The driver
 * writes to a `net.Socket`, and every program here has one store.
 */
import { Socket } from 'node:net'

export interface Wire {
  /** Executed portals and simple queries. */
  readonly statements: number
  /** Messages after which the driver waits for `ReadyForQuery`. */
  readonly roundTrips: number
  readonly sentBytes: number
}

/** Type bytes of the frontend's messages (PostgreSQL's documentation, "Message Formats"). */
const execute = 0x45
const query = 0x51
const sync = 0x53
const typeBytes = 1
/** In bytes, itself included. */
const lengthBytes = 4

/** Counts from now on; the function that it returns ends that. Each write holds whole messages. */
export function countWire(): () => Wire {
  const wire = { statements: 0, roundTrips: 0, sentBytes: 0 }
  const original = Socket.prototype.write
  Socket.prototype.write = function write(this: Socket, ...given: unknown[]) {
    if (Buffer.isBuffer(given[0])) countMessages(given[0], wire)
    return Reflect.apply(original, this, given) as boolean
  } as typeof original
  return () => {
    Socket.prototype.write = original
    return wire
  }
}

function countMessages(buffer: Buffer, wire: { statements: number; roundTrips: number; sentBytes: number }): void {
  wire.sentBytes += buffer.length
  let at = 0
  while (at + typeBytes + lengthBytes <= buffer.length) {
    const type = buffer[at]
    if (type === execute || type === query) wire.statements += 1
    if (type === sync || type === query) wire.roundTrips += 1
    at += typeBytes + buffer.readInt32BE(at + typeBytes)
  }
  if (at !== buffer.length) throw new Error('a write to the socket did not end with a message')
}
