import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
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
}

/** The main job of the scenario ends in half a minute. */
const boundMs = 300_000
const samples = 3
/** Of a graceful end. */
const stopMs = 15_000

/** `up` as a user starts it, once its main job is done and `settleMs` have passed without work. */
export async function atRest(
  { root }: Contender,
  { port, settleMs, withAlone }: { readonly port: number; readonly settleMs: number; readonly withAlone: boolean },
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
    const processes = await settled(child.pid!, settleMs)
    child.kill('SIGINT')
    await closed
    return withAlone ? { processes, alone: await aloneIn(join(folder, 'up'), settleMs) } : { processes }
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
