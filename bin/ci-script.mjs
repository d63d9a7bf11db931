import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './on-node-24.mjs'

/** Runs a script of `.ci/`; resolves with the last line that it prints. */
export async function ciScript(name, parameters, environment = {}) {
  const { stdout } = await promisify(execFile)('bash', [join(root, '.ci', name), ...parameters], {
    env: { ...process.env, ...environment },
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout.trim().split('\n').at(-1)
}
