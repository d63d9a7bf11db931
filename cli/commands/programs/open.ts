import { resolve } from 'node:path'
import { readArgs, text } from '../../args.ts'
import { isRunning, requireEndpoints } from '../../local/endpoints.ts'
import { findPeople } from '../../local/people-file.ts'
import { readyLines } from '../../local/ready-lines.ts'
import { triggerLabel } from '../../local/stack-names.ts'
import { print } from '../../output/terminal.ts'
import { program } from '../../program.ts'

const usage = `usage: statewright open [--dir DIR]

Prints what statewright up printed when it was ready: the inspector, and for each person the link that acts on the local forge.
Who has such a link acts as this person: it ends with the program.

  --dir DIR   of the one that statewright up runs in DIR (default .statewright)`

export async function open(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, { dir: { type: 'string' } }, usage)
  if (parsed === undefined) return 0
  const given = text(parsed, 'dir')
  const dir = resolve(given ?? '.statewright')
  const endpoints = requireEndpoints(dir)
  if (!isRunning(endpoints))
    throw new Error(`nothing runs in ${dir} any more: start it with ${program} up --dir ${dir}`)
  print(readyLines({ endpoints, persons: findPeople(dir) ?? {}, triggerLabel, dir: given }))
  return 0
}
