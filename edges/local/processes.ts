import { spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'

/** A process by pid and start time: a pid alone may be somebody else's by now. */
export interface ProcessIdentity {
  readonly pid: number
  /** Field 22 of /proc/<pid>/stat, clock ticks since boot. */
  readonly startTime: string
}

/**
 * glibc keeps what a program has freed, and more of it the larger the pieces were: of a server with PGlite 100 MiB
 * for ever. With a threshold that is set it gives them back. V8 lets young objects fill up to 128 MiB on a machine with
 * much memory, and keeps that at rest; 16 MiB a half is what Node documents (BENCHMARKS.md, Footprint). The images set
 * the same two.
 */
export const givesBack = { MALLOC_TRIM_THRESHOLD_: '131072', NODE_OPTIONS: '--max-semi-space-size=16' }

interface DetachedProgram {
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** What it prints is put behind what is there. */
  readonly log: string
}

interface Started {
  readonly process: ProcessIdentity
  /** How it ended, as long as this process lives, in words. */
  readonly ended: Promise<string>
}

/** A child that outlives us. @throws where the program cannot be started. */
export async function startDetached({ command, cwd, env, log }: DetachedProgram): Promise<Started> {
  const [file = '', ...args] = command
  const output = openSync(log, 'a', 0o600)
  try {
    const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', output, output] })
    child.unref()
    const ended = new Promise<string>((resolve) => {
      child.once('exit', (code, name) => resolve(code === null ? `by ${name}` : `with exit code ${code}`))
    })
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject))
    const { pid = 0 } = child
    // One that has ended already was started too.
    return { process: identify(pid) ?? { pid, startTime: '' }, ended }
  } finally {
    closeSync(output)
  }
}

/** Undefined once the process is gone; a zombie counts as gone. */
export function identify(pid: number): ProcessIdentity | undefined {
  const stat = statOf(pid)
  return stat === undefined || stat.state === 'Z' ? undefined : { pid, startTime: stat.startTime }
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startTime === identity.startTime
}

/** Sends a signal if the process is still the one that was recorded. */
export function signal(identity: ProcessIdentity, name: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false
  try {
    process.kill(identity.pid, name)
    return true
  } catch {
    return false
  }
}

/** The process and all that descend from it, children first, so that nothing is reparented away from the list. */
export function familyOf(identity: ProcessIdentity): readonly ProcessIdentity[] {
  const parents = new Map<number, number[]>()
  for (const pid of allPids()) {
    const parent = statOf(pid)?.parent
    if (parent !== undefined) parents.set(parent, [...(parents.get(parent) ?? []), pid])
  }
  const descend = (pid: number): number[] => [...(parents.get(pid) ?? []).flatMap(descend), pid]
  return descend(identity.pid).flatMap((pid) => identify(pid) ?? [])
}

/** Those whose parent is this process. */
export function childrenOf(identity: ProcessIdentity): readonly ProcessIdentity[] {
  return allPids().flatMap((pid) => (statOf(pid)?.parent === identity.pid ? (identify(pid) ?? []) : []))
}

/** The process that was started with this variable, if it runs: how a spawn that was not yet recorded is found again. */
export function findByVariable(name: string, value: string): ProcessIdentity | undefined {
  const wanted = `${name}=${value}`
  for (const pid of allPids()) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(wanted)) return rootOf(pid, wanted)
    } catch {
      // Gone meanwhile, or somebody else's.
    }
  }
  return undefined
}

/** Children inherit variables: the oldest ancestor that still has this one is the pod's own process. */
function rootOf(pid: number, wanted: string): ProcessIdentity | undefined {
  const parent = statOf(pid)?.parent
  if (parent !== undefined && parent > 1) {
    try {
      if (readFileSync(`/proc/${parent}/environ`, 'utf8').split('\0').includes(wanted)) return rootOf(parent, wanted)
    } catch {
      // Not ours to read: then it is not ours.
    }
  }
  return identify(pid)
}

function allPids(): number[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
}

function statOf(
  pid: number,
): { readonly state: string; readonly parent: number; readonly startTime: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The command in parentheses may hold anything, so the fields count from its last bracket.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] ?? '', parent: Number(fields[1]), startTime: fields[19] ?? '' }
  } catch {
    return undefined
  }
}
