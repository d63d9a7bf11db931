import { readFileSync } from 'node:fs'
import { Type } from 'typebox'
import { readArgs, text, UsageError } from '../../args.ts'
import { connectOrchestrator, serverOptions, serverUsage } from '../../server/connect.ts'
import { print } from '../../output/terminal.ts'

const usage = `usage: statewright secret set NAME KEY=- [options]

Writes one key of a Secret. The command reads the value from standard input, so no shell history stores it.
It replaces the whole Secret and removes its other keys. To write several keys at once, apply a v1 Secret.

  --namespace NAME  the Secret's namespace (default: default)
${serverUsage}

Example: statewright secret set forge token=- < token.txt`

const Changed = Type.Object({ change: Type.String() })

/** Values come from standard input only: a command line is in the process list. */
export async function secret(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, { ...serverOptions, namespace: { type: 'string' } }, usage)
  if (parsed === undefined) return 0
  const [verb, name, assignment = ''] = parsed.positionals
  const [key = '', from] = assignment.split('=')
  if (verb !== 'set' || name === undefined || key === '' || from !== '-') throw new UsageError(usage)
  const value = readFileSync(0, 'utf8').replace(/\r?\n$/, '')
  const metadata = { name, namespace: text(parsed, 'namespace') ?? 'default' }
  const client = await connectOrchestrator(parsed)
  const document = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { [key]: value } }
  const { change } = await client.ask(Changed, 'PUT', '/resources', document)
  print(`secret/${name} ${change}`)
  return 0
}
