import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Timed {
  readonly wallSeconds: number
  /** Of the program and all that it started. */
  readonly cpuSeconds: number
}

/** bash's `time` sums what the children used; nothing that Node offers does. */
export async function timed(command: string, parameters: readonly string[], cwd: string): Promise<Timed> {
  const folder = mkdtempSync(join(tmpdir(), 'statewright-time-'))
  const file = join(folder, 'time')
  const script = `TIMEFORMAT='%R %U %S'; { time "$@" >"${file}.out" 2>&1; } 2>"${file}"`
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      const child = spawn('bash', ['-c', script, 'bash', command, ...parameters], { cwd, stdio: 'ignore' })
      child.once('error', reject)
      child.once('close', resolve)
    })
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${readFileSync(`${file}.out`, 'utf8').slice(-500)}`)
    const [wall = 0, user = 0, system = 0] = readFileSync(file, 'utf8').trim().split(' ').map(Number)
    return { wallSeconds: wall, cpuSeconds: user + system }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
