import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { certificate } from '../../machines/certificate.ts'
import { sourceHashes } from '../../machines/generated/hashes.ts'
import { machines } from '../../machines/registry.ts'
import { certificateFiles, provedLaws } from '../../property-tests/prove/certify.ts'
import { everyWorld } from '../../property-tests/prove/prove.ts'
import { proofAtStart, requireProof } from './proof.ts'

const proven = {
  machines: Object.fromEntries(machines.map(({ kind, sourceHash }) => [kind, sourceHash ?? ''])),
  laws: [1, 2],
  worlds: [
    { states: 3, transitions: 4 },
    { states: 5, transitions: 6 },
  ],
}

describe('the proof of the running tables', () => {
  it('lets machines run that are those of the certificate, and says how far they were explored', () => {
    expect(requireProof(machines, proven)).toEqual({
      machines: proven.machines,
      laws: 2,
      states: 8,
      transitions: 10,
    })
  })

  it('refuses a machine that has no hash, and one that the certificate does not know', () => {
    expect(() => requireProof([{ kind: 'task' }], proven)).toThrow('task: running no hash')
    expect(() => requireProof([{ kind: 'other', sourceHash: 'x' }], proven)).toThrow('other: running x, proven never')
  })

  it('refuses a changed machine by its name alone, in a packed program wherever it runs', async () => {
    const changed = machines.map((one) => (one.kind === 'pod' ? { kind: 'pod', sourceHash: 'changed' } : one))
    const start = proofAtStart(changed, { dir: '/nowhere', env: {}, warn: () => expect.unreachable() }, proven)
    const { message } = await start.then(
      () => expect.unreachable(),
      (error: Error) => error,
    )
    expect(message.match(/^ {2}(?!npm).*$/gm)).toEqual([`  pod: running changed, proven ${proven.machines['pod']}`])
  })
})

describe('the certificate', () => {
  it('names every machine there is, that of the memory service too', () => {
    expect(certificate.machines).toEqual(sourceHashes)
  })

  it('speaks of every world and every law of the prover, and of no other', () => {
    expect(certificate.worlds.map(({ world }) => world)).toEqual(everyWorld.map(({ name }) => name))
    expect(certificate.laws).toEqual(provedLaws())
  })

  it('has a file for each machine, so that a change of one machine changes the file of no other', async () => {
    const explored = certificate.worlds.map((world) => ({
      ...world,
      deviations: world.deviations === 'all' ? Infinity : world.deviations,
    }))
    const files = certificateFiles(explored)
    const folder = 'machines/generated/certificates'
    expect((await readdir(folder)).toSorted()).toEqual([...files.keys()].toSorted())
    for (const [name, content] of files) expect(await readFile(join(folder, name), 'utf8'), name).toBe(content)
    const changed = certificateFiles(explored, { ...sourceHashes, pod: 'changed' })
    expect([...changed].filter(([name, content]) => files.get(name) !== content).map(([name]) => name)).toEqual([
      'pod.ts',
    ])
  })

  it('lets no world pass that was cut', () => {
    expect(certificate.worlds.filter(({ isComplete }) => !isComplete)).toEqual([])
  })
})

describe('a start from the sources', () => {
  const sources = [
    'bin',
    'cli',
    'orchestrator',
    'crd',
    'edges',
    'http',
    'machines',
    'memory',
    'runtime',
    'standins',
    'wrapper',
    'package.json',
  ]
  let copy: string
  beforeEach(async () => {
    copy = await mkdtemp(join(tmpdir(), 'proof-'))
    for (const one of sources) await cp(one, join(copy, one), { recursive: true })
    await symlink(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'))
  })
  afterEach(() => rm(copy, { recursive: true }))

  async function flip(path: string, from: string, to: string): Promise<void> {
    const file = join(copy, path)
    const text = await readFile(file, 'utf8')
    expect(text.split(from)).toHaveLength(2)
    await writeFile(file, text.replace(from, to))
  }

  /** Without settings no start goes further than to ask for them. */
  function start(command: string, env: Readonly<Record<string, string>> = { CI: 'true' }): string {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(copy, 'bin', 'statewright.mjs'), command], {
      env: { PATH: process.env['PATH'] ?? '', PORT: 'none', ...env },
      encoding: 'utf8',
    })
    expect(status).not.toBe(0)
    return stdout + stderr
  }

  it('is refused when the body of one guard is not the one that was proven, and says what to do', async () => {
    expect(start('orchestrator')).not.toContain('proven')
    await flip('machines/task/pods.ts', 'return !context.pod.alive && entry', 'return context.pod.alive && entry')
    const refusal = new RegExp(`task: running \\w+, proven ${sourceHashes.task}[^]*npm run prove -- --certify`)
    const refused = start('orchestrator')
    expect(refused).toMatch(refusal)
    expect(refused).not.toContain('cannot start')
    const warned = start('orchestrator', {})
    expect(warned).toMatch(refusal)
    expect(warned).toContain('cannot start')
  })

  it('of the memory service is refused as well', async () => {
    expect(start('memory')).not.toContain('proven')
    await flip('machines/ingest-job/decisions.ts', 'items > 0 ? faults', 'items < 0 ? faults')
    expect(start('memory')).toMatch(new RegExp(`ingest-job: running \\w+, proven ${sourceHashes['ingest-job']}`))
  })
})
