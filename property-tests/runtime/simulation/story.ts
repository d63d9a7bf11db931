/** What happened, in as many lines as one reads: all faults, and of the rest what the broken laws are about. */
import type { Verdict } from './simulate.ts'
import type { Line } from './world.ts'

const mostLines = 30

export function story({ outcome, broken }: Verdict): string {
  const names = new Set(broken.flatMap((sentence) => sentence.match(/(?:task|pod):\w+|c\d\.[\w.]+/g) ?? []))
  const concerns = ({ text, isFault }: Line): boolean => isFault || [...names].some((name) => text.includes(name))
  const told = outcome.lines.filter(concerns)
  const faults = told.filter((line) => line.isFault).slice(-mostLines / 2)
  const others = told.filter((line) => !line.isFault).slice(-(mostLines - faults.length))
  const kept = new Set([...faults, ...others])
  return told
    .filter((line) => kept.has(line))
    .map(
      ({ at, text, isFault }) => `  ${at.toFixed(1).padStart(9)} ${isFault ? '!' : ' '} ${text.slice(0, longestLine)}`,
    )
    .join('\n')
}

const longestLine = 130
