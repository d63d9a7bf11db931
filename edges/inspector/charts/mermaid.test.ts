import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { allMachines } from '../../../machines/registry.ts'
import type { Chart } from './chart.ts'
import { mermaidOf } from './mermaid.ts'

/** What of the grammar of Mermaid a chart needs: Mermaid is too heavy for a dependency. `npm run test:inspector` lets it draw all of them. */
const grammar = [
  /^state "[\w -]+" as \w+( \{)?$/,
  /^(\[\*\]|\w+) --> (\[\*\]|\w+)( : [\w. -]+(, [\w. -]+)*)?$/,
  /^\}$/,
  /^--$/,
  /^classDef active stroke-width:3px$/,
  /^class \w+(,\w+)* active$/,
]

describe.each(allMachines)('the Mermaid text of $kind', ({ kind }) => {
  const chart = JSON.parse(readFileSync(new URL(`../generated/charts/${kind}.json`, import.meta.url), 'utf8')) as Chart
  const [head, ...lines] = mermaidOf(chart, new Set([chart.states[0]?.id ?? '']))
    .trimEnd()
    .split('\n')

  test('has only lines of the grammar, and closes what it opens', () => {
    expect(head).toBe('stateDiagram-v2')
    expect(lines.map((line) => line.trim()).filter((line) => !grammar.some((rule) => rule.test(line)))).toEqual([])
    expect(lines.filter((line) => line.endsWith('{'))).toHaveLength(lines.filter((line) => line.trim() === '}').length)
  })

  test('divides regions inside a state only, as the parser of Mermaid wants it', () => {
    expect(lines.filter((line) => /^ {0,2}--$/.test(line))).toEqual([])
  })

  test('names in each frame states with states inside first, then the others, then arrows, as Mermaid has to lay them out', () => {
    const frames = [0]
    const early = lines.filter((line) => {
      const text = line.trim()
      if (text === '}') frames.pop()
      if (text === '--') frames[frames.length - 1] = 0
      if (!/^state |-->/.test(text)) return false
      const rank = text.includes('-->') ? 2 : text.endsWith('{') ? 0 : 1
      const before = frames.pop() ?? 0
      frames.push(rank, ...(rank === 0 ? [0] : []))
      return rank < before
    })
    expect(early).toEqual([])
  })

  test('declares each state once, and each arrow leads between declared ones', () => {
    const declared = lines.flatMap((line) => /as (\w+)/.exec(line)?.[1] ?? [])
    expect(declared.filter((name) => name !== kind)).toHaveLength(chart.states.length)
    expect(new Set(declared).size).toBe(declared.length)
    const ends = lines.flatMap((line) => /^\s*(\S+) --> (\S+)/.exec(line)?.slice(1) ?? [])
    expect(ends.filter((end) => end !== '[*]' && !declared.includes(end))).toEqual([])
  })
})
