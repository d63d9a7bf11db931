/**
 * Starts the simulation in a process of its own: node loads the sources with git and time of the forge replaced, and rewrites
 * them for the negative controls.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../main.ts', import.meta.url))

export interface Run {
  readonly code: number | string | null | undefined
  readonly lines: readonly string[]
  readonly told: string
}

export function simulate(flags: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env }, maxBuffer: 1 << 26 }
    execFile(process.execPath, [program, ...flags], options, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, lines: stdout.trim().split('\n'), told: stderr }),
    )
  })
}
