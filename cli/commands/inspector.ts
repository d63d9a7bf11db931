import { Type } from 'typebox'
import { readArgs } from '../args.ts'
import { connectOrchestrator, serverOptions, serverUsage } from '../server/connect.ts'
import { print } from '../terminal.ts'

const usage = `usage: statewright inspector [options]

Prints a link that signs a browser in to the inspector. The link works once, within ten minutes.

${serverUsage}`

export async function inspector(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, serverOptions, usage)
  if (parsed === undefined) return 0
  const client = await connectOrchestrator(parsed)
  const { link } = await client.ask(Type.Object({ link: Type.String() }), 'POST', '/operations/inspector-link')
  print(link)
  return 0
}
