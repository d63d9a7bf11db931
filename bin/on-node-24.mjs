// Plain JavaScript that any Node >= 20 can read: an older Node hands over to the one that npm installed beside us.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const ownNode = join(root, 'node_modules', 'node', 'bin', 'node')

/** Runs `main` on Node 24 and ends the process with its exit code; everything it starts finds the same Node first. */
export async function onNode24(scriptUrl, main) {
  const major = Number(process.versions.node.split('.')[0])
  if (major >= 24) {
    process.env.PATH = [dirname(process.execPath), join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter)
    process.exitCode = await main(process.argv.slice(2))
    return
  }
  if (!existsSync(ownNode)) {
    console.error(`This needs Node 24; here is ${process.version}. Run npm ci in ${root}, which brings it.`)
    process.exitCode = 1
    return
  }
  process.exitCode = await run(ownNode, [fileURLToPath(scriptUrl), ...process.argv.slice(2)])
}

/** Runs a program with our own input and output; resolves with its exit code. Signals are passed on. */
export function run(command, parameters, options = {}) {
  const child = spawn(command, parameters, { cwd: root, stdio: 'inherit', ...options })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  const pass = (signal) => child.kill(signal)
  for (const signal of signals) process.on(signal, pass)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      for (const signal of signals) process.off(signal, pass)
      resolve(code ?? 1)
    })
  })
}
