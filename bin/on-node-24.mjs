// What the scripts of npm have in common.
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exitCodeOf, handOver, root, runToEnd } from './hand-over.mjs'

export { root }

/**
 * Runs `main` on our own Node and ends the process with its exit code; everything it starts finds the same Node first.
 * With a usage, `--help` prints it; without one, the program that `main` starts answers `--help`.
 */
export async function onNode24(scriptUrl, main, usage) {
  const parameters = process.argv.slice(2)
  if (usage !== undefined && parameters.some((each) => each === '--help' || each === '-h')) return console.log(usage)
  if (await handOver(fileURLToPath(scriptUrl), parameters)) return
  process.env.PATH = [dirname(process.execPath), join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter)
  process.exitCode = await main(parameters)
}

/** Runs a program with our own input and output; resolves with its exit code. Signals are passed on. */
export async function run(command, parameters, options = {}) {
  const { code, signal } = await runToEnd(command, parameters, { cwd: root, ...options })
  return code ?? exitCodeOf(signal)
}
