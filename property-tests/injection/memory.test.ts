/** Hostile words on their way into a memory and back; in a process of its own, for a hole is an edit of the sources while node loads them. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { memoryHoles } from './memory-holes.ts'

const program = fileURLToPath(new URL('memory.ts', import.meta.url))

function fill(...flags: readonly string[]): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [program, ...flags], (_error, stdout, stderr) => {
      if (stdout === '') reject(new Error(stderr))
      else resolve(JSON.parse(stdout) as readonly string[])
    })
  })
}

describe('a memory that is filled with hostile words', { timeout: 300_000 }, () => {
  it('gets none that an agent may not read, leads nowhere, and gives them back as data (INTAKE-9, KNOWLEDGE-16)', async () => {
    expect(await fill()).toEqual([])
  })

  it.each(memoryHoles)('breaks its law where the wall is down: $name', async ({ name, law }) => {
    expect((await fill('--hole', name)).filter((fault) => law.test(fault))).not.toEqual([])
  })
})
