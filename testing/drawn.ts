/**
 * What CI repeats in part. A control shows that a test would notice: a planted bug breaks a law, an attack succeeds once its
 * wall is down. It judges the test, which changes seldom. A story plays on the whole stack what other tests decide. So CI
 * runs a quarter, drawn by the commit; by hand all run.
 */
import { createHash } from 'node:crypto'

/** Of so many CI runs one. */
const oneOf = 4

/** `STATEWRIGHT_DRAWN_BY`: the commit that draws. Empty: each name is drawn. */
function drawingCommit(): string {
  return process.env['STATEWRIGHT_DRAWN_BY'] ?? ''
}

function lotOf(name: string, commit: string): number {
  return createHash('sha256').update(`${commit} ${name}`).digest().readUInt32BE()
}

export function isDrawn(name: string, commit = drawingCommit()): boolean {
  return commit === '' || lotOf(name, commit) % oneOf === 0
}

/** A quarter of the list in its order, one at least: vitest fails a suite without a test. */
export function drawnOf<Item>(
  all: readonly Item[],
  nameOf: (item: Item) => string,
  commit = drawingCommit(),
): readonly Item[] {
  if (commit === '') return all
  const byLot = all.toSorted((one, other) => lotOf(nameOf(one), commit) - lotOf(nameOf(other), commit))
  const drawn = new Set(byLot.slice(0, Math.ceil(all.length / oneOf)))
  return all.filter((item) => drawn.has(item))
}
