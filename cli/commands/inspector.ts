import { readArgs, text } from '../args.ts'
import { orchestratorClient } from '../client.ts'
import { requireEndpoints } from '../local/endpoints.ts'

const usage = `usage: statewright inspector [--dir DIR]

Prints a link that signs a browser in to the inspector. The link works once, within ten minutes.

  --dir DIR         the folder of statewright up (default .statewright)`

export async function inspector(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, { dir: { type: 'string' } }, usage)
  if (parsed === undefined) return 0
  const client = orchestratorClient(requireEndpoints(text(parsed, 'dir') ?? '.statewright'))
  const { link } = (await client.call('POST', '/operations/inspector-link')) as { link: string }
  console.log(link)
  return 0
}
