import { createHash } from 'node:crypto'

/** Of ten, by name: the same mutants are together whatever others there are. */
export function tenthOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt16BE() % 10
}
