import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { walls } from './injection/hands/walls.ts'
import { holes } from './injection/holes.ts'
import { memoryHoles } from './injection/memory-holes.ts'
import type { Edit } from './plant.ts'
import { plantedBugs as bugsOfTheRuntime } from './runtime/simulation/bugs.ts'
import { plantedBugs as bugsOfTheWhole } from './simulation/bugs.ts'

const planted: readonly (readonly [string, readonly Edit[]])[] = [
  ...[...bugsOfTheRuntime, ...bugsOfTheWhole, ...holes, ...memoryHoles].map(
    ({ name, edits }) => [name, edits] as const,
  ),
  ...Object.entries(walls),
]

describe('a planted bug', () => {
  it.each(planted)("%s finds what it edits in today's sources", (_name, edits) => {
    const texts = new Map<string, string>()
    for (const { file, find, replace } of edits) {
      const text = texts.get(file) ?? readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
      expect(text).toMatch(find)
      texts.set(file, text.replace(find, replace))
    }
  })
})
