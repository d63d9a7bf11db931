import { readdirSync, readFileSync } from 'node:fs'

/** A process by pid and start time: a pid alone may be somebody else's by now. */
export interface ProcessIdentity {
  readonly pid: number
  /** Field 22 of /proc/<pid>/stat, clock ticks since boot. */
  readonly startTime: string
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
