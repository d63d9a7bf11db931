/**
 * CPU time from /proc: of process trees, and of the whole machine. It is the steadiest figure on a machine that others
 * use too, because waiting for a core costs none. Linux only, as the bench is.
 */
import { readFileSync, readdirSync } from 'node:fs'

/** USER_HZ: what /proc counts in, a constant of the kernel's interface. */
const ticksPerSecond = 100

interface Stat {
  readonly parent: number
  readonly ticks: number
}

/** CPU seconds of these processes and all their descendants, ended ones that were waited for included. */
export function treeSeconds(roots: readonly number[]): number {
  const stats = new Map<number, Stat>()
  const children = new Map<number, number[]>()
  for (const pid of readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)) {
    const stat = statOf(pid)
    if (!stat) continue
    stats.set(pid, stat)
    const siblings = children.get(stat.parent)
    if (siblings) siblings.push(pid)
    else children.set(stat.parent, [pid])
  }
  const total = (pid: number): number =>
    (stats.get(pid)?.ticks ?? 0) + (children.get(pid) ?? []).reduce((sum, child) => sum + total(child), 0)
  return roots.reduce((sum, root) => sum + total(root), 0) / ticksPerSecond
}

/** Undefined when the process ended meanwhile. */
function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name before it is in parentheses and may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0)
    return { parent: Number(fields[1]), ticks }
  } catch {
    return undefined
  }
}

/** CPU seconds that all of the machine's processes together have used, what its host took for others included. */
export function machineSeconds(): number {
  const fields = readFileSync('/proc/stat', 'utf8').split('\n')[0]!.trim().split(/\s+/).slice(1).map(Number)
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = fields
  return (user + nice + system + irq + softirq + steal) / ticksPerSecond
}
