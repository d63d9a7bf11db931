import { readFileSync } from 'node:fs'
import { cpus, loadavg, totalmem, type as system, release } from 'node:os'

export interface Machine {
  readonly cores: number
  readonly cpu: string
  readonly memoryGiB: number
  readonly system: string
  readonly node: string
  /** Of the last minute, before the run. */
  readonly loadBefore: number
}

export function describeMachine(): Machine {
  return {
    cores: cpus().length,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${distribution()}, ${system()} ${release()}`,
    node: process.version,
    loadBefore: Number(loadavg()[0]!.toFixed(2)),
  }
}

function distribution(): string {
  try {
    return /^PRETTY_NAME="(.*)"$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'unknown'
  } catch {
    return 'unknown'
  }
}
