import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { until, type Clock } from '../clock.ts'
import { writeAtomically } from './atomic-file.ts'
import { parseJson } from './environment.ts'

const Recorded = Type.Object({ pid: Type.Integer({ minimum: 2 }), startTime: Type.String() })
const fileName = 'agent.json'
const goneWithinMs = 5000

interface ProcessStat {
  readonly parent: number
  readonly session: number
  /** Clock ticks since the machine's boot: with the pid it names one process for good. */
  readonly startTime: string
}

/**
 * Undefined when there is no such process (or no /proc). A zombie is none: it has ended, and only its parent is late. Where
 * the wrapper is process 1, orphans become its children, and Node reaps only those it started.
 */
export function processStat(pid: number): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The command name may hold blanks and parentheses: the fields begin after the last one.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const startTime = fields[19]
    if (fields[0] === 'Z' || startTime === undefined) return undefined
    return { parent: Number(fields[1]), session: Number(fields[3]), startTime }
  } catch {
    return undefined
  }
}

export function recordAgent(stateDir: string, pid: number): void {
  writeAtomically(join(stateDir, fileName), JSON.stringify({ pid, startTime: processStat(pid)?.startTime ?? '' }))
}

/** Ends the CLI that a killed wrapper of this pod left behind, with all it started; two agents must not share a workspace. */
export async function endOrphan(stateDir: string, clock: Clock): Promise<number | undefined> {
  const path = join(stateDir, fileName)
  if (!existsSync(path)) return undefined
  const recorded = parseJson(readFileSync(path, 'utf8'))
  rmSync(path, { force: true })
  if (!Check(Recorded, recorded)) return undefined
  const members = sameSession(recorded.pid)
  const stat = processStat(recorded.pid)
  if (stat && stat.startTime !== recorded.startTime) return undefined
  // A leader that is gone leaves its session number to its children; nobody else can have it while they live.
  const victims = stat ? [recorded.pid, ...descendants(recorded.pid), ...members] : members
  for (const pid of new Set(victims)) kill(pid)
  await until(clock, 50, goneWithinMs, () => victims.every((pid) => processStat(pid) === undefined))
  return victims.length > 0 ? recorded.pid : undefined
}

function sameSession(leader: number): readonly number[] {
  return allPids().filter((pid) => processStat(pid)?.session === leader)
}

function descendants(root: number): readonly number[] {
  const parents = new Map(allPids().map((pid) => [pid, processStat(pid)?.parent]))
  const found = new Set([root])
  for (let size = 0; size !== found.size;) {
    size = found.size
    for (const [pid, parent] of parents) if (parent !== undefined && found.has(parent)) found.add(pid)
  }
  found.delete(root)
  return [...found]
}

export function childrenOf(parent: number): readonly number[] {
  return allPids().filter((pid) => processStat(pid)?.parent === parent)
}

function allPids(): readonly number[] {
  return existsSync('/proc')
    ? readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map(Number)
    : []
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Already gone.
  }
}
