/** Levels of a change: the implementer owns the level, a reviewer may raise it, never lower it (OUTCOME-17). */
const order = ['patch', 'minor', 'major'] as const

export type Level = (typeof order)[number]
/** `autoApproveMaxSignificance`: the largest level that ships without a maintainer's word (PROJECT-15). */
export type Ceiling = 'off' | Level

export function isLevel(value: unknown): value is Level {
  return order.includes(value as Level)
}

export function lowers(level: Level, than: Level): boolean {
  return order.indexOf(level) < order.indexOf(than)
}

export function highest(first: Level, second: Level): Level {
  return lowers(first, second) ? second : first
}

/** An undeclared level is taken for the worst one: silence never ships unattended. */
export function isWithin(level: Level | null, ceiling: Ceiling): boolean {
  return ceiling !== 'off' && !lowers(ceiling, level ?? 'major')
}
