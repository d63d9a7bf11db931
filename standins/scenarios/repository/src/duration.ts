/** Milliseconds of each unit, largest first. */
const units: readonly (readonly [unit: string, milliseconds: number])[] = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
]

/** Reads a duration such as `1h30m`; the answer is in milliseconds. */
export function parseDuration(text: string): number {
  let total = 0
  for (const [, amount, unit] of text.matchAll(/(\d+)([hms])/g)) {
    total += Number(amount) * millisecondsOf(unit ?? '')
  }
  return total
}

/** Writes milliseconds as `1h30m`; what is left below a second is dropped. */
export function formatDuration(milliseconds: number): string {
  let rest = milliseconds
  let text = ''
  for (const [unit, size] of units) {
    const amount = Math.floor(rest / size)
    if (amount > 0) text += `${amount}${unit}`
    rest -= amount * size
  }
  return text === '' ? '0s' : text
}

function millisecondsOf(unit: string): number {
  return units.find(([name]) => name === unit)?.[1] ?? 0
}
