import { readArgs, UsageError } from '../../args.ts'
import { contextsFile, readContexts, writeContexts, type Contexts } from '../../server/contexts.ts'
import { table } from '../../output/table.ts'
import { print } from '../../output/terminal.ts'
import { program } from '../../program.ts'

const usage = `usage: statewright context [use NAME]

Lists the orchestrators that statewright login signed in at. The one with * is current: commands ask it when they name none
and nothing runs in this folder. use makes another one current. statewright login --out --server URL removes one.`

export async function context(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, {}, usage)
  if (parsed === undefined) return 0
  const [verb, name, ...more] = parsed.positionals
  const file = contextsFile(process.env)
  const known = readContexts(file)
  if (verb === undefined) {
    print(listed(known))
    return 0
  }
  if (verb !== 'use' || name === undefined || more.length > 0) throw new UsageError(usage)
  if (!Object.hasOwn(known.contexts, name))
    throw new UsageError(`there is no context ${name}\n\n${listed(known).join('\n')}`)
  writeContexts(file, { ...known, current: name })
  print(`the current context is ${name}`)
  return 0
}

function listed({ current, contexts }: Contexts): readonly string[] {
  const rows = Object.entries(contexts).map(([name, { server }]) => [name === current ? '*' : '', name, server])
  return rows.length === 0
    ? [`no contexts: ${program} login --server URL makes one`]
    : table(['', 'NAME', 'SERVER'], rows)
}
