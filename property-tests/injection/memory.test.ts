/** Hostile words on their way into a memory and back; in a process of its own, for a hole is an edit of the sources while node loads them. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { drawnOf } from '../../testing/drawn.ts'
import { memoryHoles } from './memory-holes.ts'

const program = fileURLToPath(new URL('memory.ts', import.meta.url))

function fill(...flags: readonly string[]): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [program, ...flags], (_error, stdout, stderr) => {
      if (stdout === '') reject(new Error(stderr))
      else
        resolve([
          ...(JSON.parse(stdout) as readonly string[]),
          ...stderr.split('\n').filter((line) => line.startsWith('filling: ')),
        ])
    })
  })
}

describe('a memory that is filled with hostile words', { timeout: 300_000 }, () => {
  it('gets none that an agent may not read, leads nowhere, and gives them back as data (INTAKE-9, KNOWLEDGE-16)', async () => {
    expect(await fill()).toEqual([])
  })

  it('gets none of GitHub either', async () => {
    expect(await fill('--dialect', 'github', '--each', '1')).toEqual([])
  })

  // Of each alone: `memory.ts --hole NAME`. The forged commit ends the filling, so it stands alone here too.
  const walls = [
    ['the forged commit', memoryHoles.filter(({ name }) => name === 'memory-forged-commits')],
    ['all the others', memoryHoles.filter(({ name }) => name !== 'memory-forged-commits')],
  ] as const
  it.each(drawnOf(walls, ([which]) => which))('breaks the law of each wall that is down: %s', async (_, holes) => {
    const faults = await fill('--hole', holes.map(({ name }) => name).join(','))
    const unbroken = holes.filter(({ law }) => !faults.some((fault) => law.test(fault)))
    expect(unbroken.map(({ name }) => name)).toEqual([])
  })
})
