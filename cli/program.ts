/** Where this program stands on the disk, and which one it is. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of package.json. */
export const programDir = join(dirname(fileURLToPath(import.meta.url)), '..')

/** The agent's CLI, as npm installs it with this program: what pods start on this machine. */
export function installedCli(dir: string): string {
  return join(dir, 'node_modules', '.bin', 'claude')
}

/** Files of `cli/commands` that this image does not bring, as `bin/image-tree.mjs` wrote them down. */
export function leftOut(): readonly string[] {
  const file = join(programDir, 'dist', 'left-out.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as readonly string[]) : []
}

export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(programDir, 'package.json'), 'utf8'))
  return (manifest as { version: string }).version
}

/** Scripts of package.json, and `npx`, by which a person calls this program where no PATH has it. */
const byNpm: readonly (string | undefined)[] = ['npx', 'start', 'demo']

/** What a person types to call this program again. */
export const program = byNpm.includes(process.env['npm_lifecycle_event']) ? 'npx statewright' : 'statewright'
