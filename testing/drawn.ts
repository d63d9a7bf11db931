/**
 * What CI repeats in part. A control shows that a test would notice: a planted bug breaks a law, an attack succeeds once its
 * wall is down. It judges the test, which changes seldom. A story plays on the whole stack what other tests decide. So CI
 * runs a quarter, drawn by the commit; by hand all run.
 */
import { createHash } from 'node:crypto'

/** Of so many CI runs one. */
const oneOf = 4

/** `STATEWRIGHT_DRAWN_BY`: the commit that draws; without it each name is drawn. */
export function isDrawn(name: string, commit = process.env['STATEWRIGHT_DRAWN_BY'] ?? ''): boolean {
  return commit === '' || createHash('sha256').update(`${commit} ${name}`).digest().readUInt32BE() % oneOf === 0
}
