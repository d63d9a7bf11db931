import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { startServing } from '../kit/child.ts'
import { footprintOf, footprintsBelow, type Found } from './processes.ts'

export interface Contender {
  readonly name: string
  /** A checkout with its packages. */
  readonly root: string
}

export interface Rest {
  readonly processes: readonly Found[]
  /** MiB of PGlite alone over a copy of each store; absent where that was not asked for. */
  readonly alone?: Readonly<Record<string, number>>
  /** With a second Project that has a memory too, and nothing to do; absent where that was not asked for. */
  readonly withSecond?: readonly Found[]
}

/** The main job of the scenario ends in half a minute. */
const boundMs = 300_000
const samples = 3
/** Of a graceful end. */
const stopMs = 15_000

/** `up` as a user starts it, once its main job is done and `settleMs` have passed without work. */
export async function atRest(
  { root }: Contender,
  { port, settleMs, isOwn }: { readonly port: number; readonly settleMs: number; readonly isOwn: boolean },
): Promise<Rest> {
  const folder = await mkdtemp(join(tmpdir(), 'footprint-'))
  const program = [join(root, 'bin/statewright.mjs'), 'up'] as const
  // Earlier ones play unasked.
  const isAsked = execFileSync(process.execPath, [...program, '--help'], { encoding: 'utf8' }).includes('--demo')
  const parameters = [...program, ...(isAsked ? ['--demo'] : []), '--port', String(port), '--dir', join(folder, 'up')]
  const child = spawn(process.execPath, parameters, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  const bound = setTimeout(() => child.kill('SIGKILL'), boundMs)
  try {
    let output = ''
    const done = new Promise<void>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (/the (?:demo|main job) is done/.test(output)) resolve()
      })
    })
    await Promise.race([done, closed.then(() => Promise.reject(new Error(`up ended: ${output.slice(-2_000)}`)))])
    const pid = child.pid ?? 0
    const processes = await settled(pid, settleMs)
    if (isOwn) await addProject(program[0], join(folder, 'up'))
    const withSecond = isOwn ? await settled(pid, settleMs) : undefined
    child.kill('SIGINT')
    await closed
    return withSecond ? { processes, withSecond, alone: await aloneIn(join(folder, 'up'), settleMs) } : { processes }
  } finally {
    clearTimeout(bound)
    // What it started ends with it, and writes nothing more then.
    child.kill('SIGINT')
    await Promise.race([closed, pause(stopMs)])
    child.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The smallest of some looks: work that comes from time to time is no rest. */
async function settled(pid: number, settleMs: number): Promise<readonly Found[]> {
  const looks: (readonly Found[])[] = []
  for (let look = 0; look < samples; look++) {
    await pause(settleMs / samples)
    looks.push(footprintsBelow(pid))
  }
  return looks.toSorted((a, b) => sumOf(a) - sumOf(b))[0] ?? []
}

const Shown = Type.Object({
  spec: Type.Record(Type.String(), Type.Unknown()),
  status: Type.Object({ memory: Type.Optional(Type.Object({ phase: Type.Optional(Type.String()) })) }),
})

/** The same as the first but for its name and its Repository: it has none. Resolves once its memory serves. */
async function addProject(program: string, dir: string): Promise<void> {
  const statewright = async (...given: readonly string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [program, ...given, '--dir', dir])).stdout
  const read = async (name: string): Promise<Static<typeof Shown>> =>
    Value.Parse(Shown, JSON.parse(await statewright('get', 'projects', name, '-o', 'json')))
  const { spec } = await read('demo')
  const file = join(dir, 'second.json')
  const project = { apiVersion: 'platform.dev/v1alpha1', kind: 'Project', metadata: { name: 'second' }, spec }
  await writeFile(file, JSON.stringify(project))
  await statewright('apply', '-f', file)
  for (const limit = Date.now() + boundMs; (await read('second')).status.memory?.phase !== 'Running'; await pause(500))
    if (Date.now() > limit) throw new Error('the memory of the second Project did not serve')
}

export function sumOf(processes: readonly { readonly pss: number }[]): number {
  return processes.reduce((sum, { pss }) => sum + pss, 0)
}

const stores = [
  { role: 'orchestrator', path: 'state/database', extensions: [] },
  { role: 'memory', path: 'state/memory/default_demo/database', extensions: ['vector'] },
] as const

async function aloneIn(folder: string, settleMs: number): Promise<Record<string, number>> {
  const alone: Record<string, number> = {}
  // As the servers of `up` have it (edges/local/processes.ts); `up` itself has it from nobody.
  process.env['MALLOC_TRIM_THRESHOLD_'] = '131072'
  for (const { role, path, extensions } of stores) {
    const copy = join(folder, `alone-${role}`)
    await cp(join(folder, path), copy, { recursive: true })
    const argument = { folder: copy, extensions }
    const server = await startServing(new URL('./pglite-alone.ts', import.meta.url), { argument, boundMs: 60_000 })
    await pause(settleMs / samples)
    alone[role] = footprintOf(server.pid).pss
    await server.kill()
  }
  delete process.env['MALLOC_TRIM_THRESHOLD_']
  return alone
}
