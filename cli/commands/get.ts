import { stringify } from 'yaml'
import { kindNamed, kinds, type Kind } from '../../crd/kinds.ts'
import { readArgs, text, UsageError } from '../args.ts'
import { orchestratorClient } from '../client.ts'
import { requireEndpoints } from '../local/endpoints.ts'

const usage = `usage: statewright get KIND [NAME] [-o json|yaml] [--dir DIR]

Shows resources. Kinds: ${kinds.map((kind) => kind.plural).join(', ')}.

  -o, --output FORM   json or yaml; a table unless told
  --namespace NAME    one namespace only
  --dir DIR           where statewright up keeps its state (default .statewright)`

interface View {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly spec: Record<string, unknown>
  readonly status: Record<string, unknown>
}

export async function get(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, { output: { type: 'string', short: 'o' }, namespace: { type: 'string' }, dir: { type: 'string' } }, usage)
  if (parsed === undefined) return 0
  const [kindName = '', name] = parsed.positionals
  const kind = kindNamed(kindName)
  if (kind === undefined) throw new UsageError(kindName.toLowerCase().startsWith('secret') ? 'secrets are never shown' : `there is no kind ${kindName}\n\n${usage}`)
  const client = orchestratorClient(requireEndpoints(text(parsed, 'dir') ?? '.statewright'))
  const views = await read(client, kind, name, text(parsed, 'namespace'))
  const output = text(parsed, 'output')
  if (output === 'json') console.log(JSON.stringify(name === undefined ? { items: views } : views[0], null, 2))
  else if (output === 'yaml') console.log(stringify(name === undefined ? { items: views } : views[0]))
  else if (output === undefined) console.log(table(kind, views))
  else throw new UsageError(`-o takes json or yaml, not ${output}`)
  return 0
}

async function read(client: ReturnType<typeof orchestratorClient>, kind: Kind, name: string | undefined, namespace: string | undefined): Promise<readonly View[]> {
  if (name !== undefined) return [(await client.call('GET', `/resources/${kind.plural}/${namespace ?? 'default'}/${name}`)) as View]
  const query = namespace === undefined ? '' : `?namespace=${encodeURIComponent(namespace)}`
  return ((await client.call('GET', `/resources/${kind.plural}${query}`)) as { items: View[] }).items
}

/** The columns that say most, by kind. */
const columns: Readonly<Record<string, readonly (readonly [title: string, value: (view: View) => unknown])[]>> = {
  Project: [
    ['READY', (view) => view.status['ready']],
    ['REASON', (view) => view.status['reason']],
  ],
  Repository: [
    ['PROJECT', (view) => view.spec['projectRef']],
    ['URL', (view) => view.spec['url']],
  ],
  Task: [
    ['KIND', (view) => view.spec['kind']],
    ['STAGE', (view) => view.status['stage']],
    ['REASON', (view) => view.status['stageReason']],
    ['AGENT', (view) => view.status['agentKind']],
  ],
  QueuedEvent: [
    ['STATE', (view) => view.status['state']],
    ['POSITION', (view) => view.status['position']],
    ['TASK', (view) => view.spec['taskRef']],
  ],
  Issue: [
    ['STATUS', (view) => view.status['status']],
    ['OWNER', (view) => view.status['owner']],
  ],
  MergeRequest: [
    ['STATUS', (view) => view.status['status']],
    ['OWNER', (view) => view.status['owner']],
  ],
}

function table(kind: Kind, views: readonly View[]): string {
  if (views.length === 0) return `no ${kind.plural}`
  const shown = [['NAME', (view: View) => view.metadata.name] as const, ...(columns[kind.kind] ?? [])]
  const rows = [shown.map(([title]) => title), ...views.map((view) => shown.map(([, value]) => String(value(view) ?? '') || '-'))]
  const widths = shown.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd()).join('\n')
}
