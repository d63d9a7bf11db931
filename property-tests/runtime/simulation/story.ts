/** What happened, in as many lines as one reads: the faults, and of the rest what the broken laws are about. */
import type { Verdict } from './simulate.ts'
import type { Line } from './world.ts'

const mostLines = 30

export function story({ outcome, broken }: Verdict): string {
  const { lines } = outcome
  const exact = namesIn(broken, /[a-z]+:\w+\/\d+\/\d+|c\d\.[\w.]+|(?:task|pod):\w+ \d+/g)
  const actors = namesIn(broken, /(?:task|pod):\w+/g)
  const kept = new Set<Line>()
  // First what names the very thing, then what befell the processes, then what else the actors lived through.
  keep(
    kept,
    lines.filter(({ text }) => exact.some((name) => text.includes(name))),
    mostLines / 2,
  )
  keep(
    kept,
    lines.filter((line) => line.isFault),
    (mostLines * 3) / 4,
  )
  keep(
    kept,
    lines.filter(({ text }) => actors.some((name) => text.includes(name))),
    mostLines,
  )
  return lines
    .filter((line) => kept.has(line))
    .map(
      ({ at, text, isFault }) => `  ${at.toFixed(1).padStart(9)} ${isFault ? '!' : ' '} ${text.slice(0, longestLine)}`,
    )
    .join('\n')
}

function namesIn(broken: readonly string[], pattern: RegExp): readonly string[] {
  return [...new Set(broken.flatMap((sentence) => sentence.match(pattern) ?? []))]
}

function keep(kept: Set<Line>, lines: readonly Line[], upTo: number): void {
  for (const line of lines) if (kept.size < upTo) kept.add(line)
}

const longestLine = 130
