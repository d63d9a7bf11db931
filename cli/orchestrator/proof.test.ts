import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { machines } from '../../machines/registry.ts'
import { requireProof } from './proof.ts'

const { hashOf } = (await import(new URL('../../bin/generators/machine-hashes.mjs', import.meta.url).href)) as {
  hashOf(kind: string, base?: string): Promise<string>
}

const proven = {
  machines: Object.fromEntries(machines.map(({ kind, sourceHash }) => [kind, sourceHash ?? ''])),
  laws: [1, 2],
  worlds: [
    { states: 3, transitions: 4 },
    { states: 5, transitions: 6 },
  ],
}

describe('the proof of the running tables', () => {
  let copy: string
  beforeEach(async () => {
    copy = await mkdtemp(join(tmpdir(), 'proof-'))
    await cp('machines', join(copy, 'machines'), { recursive: true })
  })
  afterEach(() => rm(copy, { recursive: true }))

  it('lets machines run that are those of the certificate, and says how far they were explored', () => {
    expect(requireProof(machines, proven)).toEqual({
      machines: proven.machines,
      laws: 2,
      states: 8,
      transitions: 10,
    })
  })

  it('refuses a machine in which the body of one guard was flipped, and says what to do', async () => {
    const file = join(copy, 'machines/task/pods.ts')
    const text = await readFile(file, 'utf8')
    const flipped = text.replace('return !context.podAlive && entry', 'return context.podAlive && entry')
    expect(flipped).not.toBe(text)
    await writeFile(file, flipped)
    const sourceHash = await hashOf('task', copy)
    const running = machines.map((machine) => (machine.kind === 'task' ? { ...machine, sourceHash } : machine))
    expect(() => requireProof(running, proven)).toThrow(
      new RegExp(`task: running ${sourceHash}, proven ${proven.machines['task']}[^]*npm run prove -- --certify`),
    )
  })

  it('refuses a machine that has no hash, and one that the certificate does not know', () => {
    expect(() => requireProof([{ kind: 'task' }], proven)).toThrow('task: running no hash')
    expect(() => requireProof([{ kind: 'other', sourceHash: 'x' }], proven)).toThrow('other: running x, proven never')
  })
})
