/** What happened, in as many lines as one reads: all faults, and of the rest what the broken laws are about. */
import type { Line } from '../runtime/simulation/world.ts'
import type { Outcome } from './live.ts'

const mostLines = 30
const longestLine = 150

export function story({ lines }: Outcome, broken: readonly string[]): string {
  const names = new Set(
    broken.flatMap((sentence) => sentence.match(/(?:task|pod|turn|issue|merge-request):[\w/-]+|#\d+/g) ?? []),
  )
  const concerns = ({ text }: Line): boolean => [...names].some((name) => text.includes(name))
  const faults = lines.filter((line) => line.isFault).slice(-mostLines / 2)
  const others = lines.filter((line) => !line.isFault && concerns(line)).slice(-(mostLines - faults.length))
  const kept = new Set([...faults, ...others])
  return lines
    .filter((line) => kept.has(line))
    .map(
      ({ at, text, isFault }) =>
        `  ${(at / 1000).toFixed(1).padStart(8)} ${isFault ? '!' : ' '} ${text.slice(0, longestLine)}`,
    )
    .join('\n')
}
