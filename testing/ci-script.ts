import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../.ci', import.meta.url))

/** Runs a script of `.ci/`; resolves with the last line that it prints. No limit of its own: a first build takes minutes. */
export async function ciScript(
  name: string,
  parameters: readonly string[],
  { environment = {}, timeout = 0 }: { readonly environment?: NodeJS.ProcessEnv; readonly timeout?: number } = {},
): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', [join(folder, name), ...parameters], {
    env: { ...process.env, ...environment },
    timeout,
  })
  return stdout.trim().split('\n').at(-1)!
}
