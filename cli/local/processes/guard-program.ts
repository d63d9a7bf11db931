/**
 * `node cli/local/processes/guard-program.ts LOG`: reads lines from the process that started it (`GuardLine`), and runs what is left of
 * them once its input ends. The kernel closes that pipe at every end of the process, SIGKILL too: no pid is looked at that
 * may be another's by then.
 */
import { execFile } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import type { GuardLine } from './guard.ts'

/** Of each command. */
const limitMs = 60_000

const log = process.argv[2] ?? '/dev/null'
const commands = new Map<number, readonly string[]>()
for await (const line of createInterface({ input: process.stdin })) {
  const { id, command } = JSON.parse(line) as GuardLine
  if (command === undefined) commands.delete(id)
  else commands.set(id, command)
}
for (const [file = '', ...parameters] of [...commands.values()].toReversed()) {
  const note = (text: string): void => {
    try {
      appendFileSync(log, `${[file, ...parameters].join(' ')}: ${text}\n`)
    } catch {
      // The folder of the log went with what it was about.
    }
  }
  await promisify(execFile)(file, parameters, { timeout: limitMs, killSignal: 'SIGKILL' }).then(
    () => note('done'),
    (error: unknown) => note(String(error)),
  )
}
