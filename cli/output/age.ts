const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const

/** Milliseconds in one unit, as kubectl writes them: of two days and more `2d`, of less than two minutes `119s`. */
export function age(ms: number): string {
  const [unit, one] = units.find(([, length]) => ms >= 2 * length) ?? units[3]
  return `${Math.max(0, Math.floor(ms / one))}${unit}`
}
