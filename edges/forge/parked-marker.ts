/**
 * The internal parked marker (LABELS-11): written while the Task of an issue is parked. It is the one label that
 * is read, and only to decide what minting again costs: a sweep offers an issue that carries it after all others, since
 * its Task would most likely park again. It derives no status and grants nothing, so anybody may set or remove it.
 */
export const parkedMarker = 'platform-parked'

export function isMarkedParked(labels: readonly string[]): boolean {
  return labels.some((label) => label.toLowerCase() === parkedMarker)
}
