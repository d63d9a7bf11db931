/**
 * `statewright wrapper probe`: what `statewright doctor --cluster` runs in pods. It reports in one line of JSON, to standard
 * output and as the last message of its container, which whoever may read pods may read.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Clock } from '../clock.ts'
import { reachPorts, servePorts, type NetworkReport } from './network.ts'
import { probeWalls, type WallsReport } from './walls.ts'

const lastMessage = '/dev/termination-log'
type Environment = Readonly<Record<string, string | undefined>>

/**
 * `program`: its folder. `walls`; or `serve` and `reach` with PROBE_HOST, PROBE_OPEN_PORT and PROBE_DENIED_PORT.
 * @returns the exit code; undefined: no such probe. It is 0 where the probe came to an end, whatever it found.
 */
export async function runProbe(
  what: string,
  env: Environment,
  clock: Clock,
  program: string,
): Promise<number | undefined> {
  if (what === 'walls') return report(await wallsHere(env, clock, program))
  const host = env['PROBE_HOST'] ?? ''
  const [openPort, deniedPort] = [Number(env['PROBE_OPEN_PORT']), Number(env['PROBE_DENIED_PORT'])]
  if (what === 'reach') return report(await reachPorts({ host, openPort, deniedPort, clock }))
  if (what !== 'serve') return undefined
  await servePorts(host, [openPort, deniedPort])
  // The first process of a pod hears no signal that it does not handle.
  await new Promise((resolve) => process.once('SIGTERM', resolve).once('SIGINT', resolve))
  return 0
}

function wallsHere(env: Environment, clock: Clock, program: string): Promise<WallsReport> {
  const uidMap = readFileSync('/proc/self/uid_map', 'utf8')
  return probeWalls({ env, clock, uidMap, isRoot: process.getuid?.() === 0, node: process.execPath, program })
}

function report(found: WallsReport | NetworkReport): number {
  const line = JSON.stringify(found)
  process.stdout.write(`${line}\n`)
  if (existsSync(lastMessage)) writeFileSync(lastMessage, line)
  return 0
}
