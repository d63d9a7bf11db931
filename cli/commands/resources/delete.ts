import { onlyOrchestratorWrites } from '../../../crd/validate.ts'
import { readArgs, text, UsageError } from '../../args.ts'
import { requireKind, resourcePath } from '../../resource-view.ts'
import { connectOrchestrator, serverOptions, serverUsage } from '../../server/connect.ts'
import { asked, print } from '../../output/terminal.ts'

const usage = `usage: statewright delete KIND NAME [options]

Deletes a Project or a Repository, and cancels a Task. A Task ends as rejected and stays readable: it needs the role operator. A Project
ends all its Tasks, and a Repository leaves its Project: both need the role admin. A Project wants its name typed again.

  --namespace NAME  its namespace (default: default)
  --confirm NAME    the name of the Project again, where nobody can be asked
${serverUsage}

Example: statewright delete task implement-lib-1-x7k2p`

/** `statewright delete KIND NAME`. */
export async function deleteResource(args: readonly string[]): Promise<number> {
  const options = { namespace: { type: 'string' }, confirm: { type: 'string' } } as const
  const parsed = readArgs(args, { ...serverOptions, ...options }, usage)
  if (parsed === undefined) return 0
  const [kindName = '', name, ...more] = parsed.positionals
  const kind = requireKind(kindName, usage)
  if (name === undefined || more.length > 0) throw new UsageError(`delete takes one kind and one name\n\n${usage}`)
  if (!kind.writable) throw new UsageError(onlyOrchestratorWrites(kind.kind))
  const client = await connectOrchestrator(parsed)
  if (kind.kind === 'Project' && (text(parsed, 'confirm') ?? (await typed(name))) !== name) {
    print('that is not its name: nothing was deleted')
    return 1
  }
  await client.call('DELETE', resourcePath(kind, text(parsed, 'namespace') ?? 'default', name))
  const did = kind.kind === 'Task' ? 'cancelled: it stays in get tasks as ended' : 'deleted'
  print(`${kind.kind.toLowerCase()}/${name} ${did}`)
  return 0
}

async function typed(name: string): Promise<string> {
  if (!process.stdin.isTTY) throw new UsageError(`deleting a Project ends all its Tasks: give --confirm ${name}`)
  return (await asked('This ends all Tasks of the Project. Type its name to delete it:')).trim()
}
