/** Servers of one demo, by the repository's scripts: each is stopped with the demo, and where that is killed too. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { programDir } from '../../program.ts'
import { startGuard, type Guard } from '../processes/guard.ts'

/** Registers what ends a part. The last one that was registered runs first. */
export type Closes = (close: () => Promise<unknown>) => void

export interface Servers {
  /** Its data is in a folder that its end removes. Resolves with the last line that the script prints. */
  start(script: 'kube.sh' | 'postgres.sh', folder: string, environment?: object): Promise<string>
}

const startLimitMs = 300_000

/** `logFile`: of the guard. */
export function createServers(logFile: string, closes: Closes): Servers {
  let guard: Promise<Guard> | undefined
  const openGuard = async (): Promise<Guard> => {
    const opened = await startGuard(logFile)
    closes(() => opened.close())
    return opened
  }
  return {
    async start(name, folder, environment) {
      guard ??= openGuard()
      const takeBack = await (await guard).add(['bash', scriptPath(name), 'stop', folder])
      closes(async () => {
        await runScript(name, ['stop', folder])
        await takeBack()
      })
      return runScript(name, ['start', folder], { environment })
    },
  }
}

/** A cold build on a machine that does other work too. */
const buildLimitMs = 45 * 60_000

/** Once for a machine: the script keeps what it built. `minutes`: of two idle cores. */
export async function buildOnce(
  script: 'kube.sh' | 'helm.sh',
  what: string,
  minutes: number,
  write: (text: string) => void,
): Promise<void> {
  const isThere = await runScript(script, ['find']).then(
    () => true,
    () => false,
  )
  if (isThere) return
  write(`building ${what}, once for this machine: about ${minutes} minutes of two idle cores`)
  await runScript(script, ['build'], { limitMs: buildLimitMs })
}

interface Running {
  readonly environment?: object | undefined
  readonly limitMs?: number
}

/** The last line that it prints. */
export async function runScript(
  name: string,
  parameters: readonly string[],
  { environment = {}, limitMs = startLimitMs }: Running = {},
): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', [scriptPath(name), ...parameters], {
    env: { ...process.env, ...environment },
    timeout: limitMs,
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout.trim().split('\n').at(-1) ?? ''
}

function scriptPath(name: string): string {
  const path = join(programDir, '.ci', name)
  if (!existsSync(path)) throw new Error(`there is no ${path}: --kubernetes runs from a clone of the repository`)
  return path
}
