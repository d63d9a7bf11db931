import { readArgs } from '../../args.ts'
import { inspectorLink } from '../../server/client.ts'
import { connectOrchestrator, serverOptions, serverUsage } from '../../server/connect.ts'
import { print } from '../../output/terminal.ts'

const usage = `usage: statewright inspector [options]

Prints a link that signs a browser in to the inspector. The link works once, within ten minutes.

${serverUsage}`

export async function inspector(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, serverOptions, usage)
  if (parsed === undefined) return 0
  print(await inspectorLink(await connectOrchestrator(parsed)))
  return 0
}
