import { readFileSync } from 'node:fs'
import { readArgs, text, UsageError } from '../args.ts'
import { orchestratorClient } from '../client.ts'
import { requireEndpoints } from '../local/endpoints.ts'

const usage = `usage: statewright secret set NAME KEY=- [--namespace NAME] [--dir DIR]

Writes one key of a Secret. The command reads the value from standard input, so no shell history stores it.
It replaces the whole Secret and removes its other keys. To write several keys at once, apply a v1 Secret.

  --namespace NAME  the Secret's namespace (default: default)
  --dir DIR         the folder of statewright up (default .statewright)

Example: statewright secret set forge token=- < token.txt`

/** Values come from standard input only: a command line is in the process list. */
export async function secret(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, { dir: { type: 'string' }, namespace: { type: 'string' } }, usage)
  if (parsed === undefined) return 0
  const [verb, name, assignment = ''] = parsed.positionals
  const [key = '', from] = assignment.split('=')
  if (verb !== 'set' || name === undefined || key === '' || from !== '-') throw new UsageError(usage)
  const value = readFileSync(0, 'utf8').replace(/\r?\n$/, '')
  const metadata = { name, namespace: text(parsed, 'namespace') ?? 'default' }
  const client = orchestratorClient(requireEndpoints(text(parsed, 'dir') ?? '.statewright'))
  await client.call('PUT', '/resources', { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { [key]: value } })
  console.log(`secret/${name} configured`)
  return 0
}
