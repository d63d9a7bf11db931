import { Type, type Static } from 'typebox'
import { columnsOf } from '../../crd/columns.ts'
import { kindNamed, kinds, type Kind } from '../../crd/kinds.ts'
import { readArgs, text, UsageError } from '../args.ts'
import { connectOrchestrator, serverOptions, serverUsage } from '../server/connect.ts'
import { listAll, type OrchestratorClient } from '../client.ts'
import { table } from '../table.ts'
import { print } from '../terminal.ts'
import { yamlLines } from '../yaml-lines.ts'

const usage = `usage: statewright get KIND [NAME] [-o json|yaml] [options]

Shows resources as a table. Kinds: ${kinds.map((kind) => kind.plural).join(', ')}.

  -o, --output FORM print json or yaml instead of a table
  --namespace NAME  only this namespace (default: all; with NAME: default)
${serverUsage}

Example: statewright get tasks -o yaml`

const fields = Type.Record(Type.String(), Type.Unknown())

const View = Type.Object({
  kind: Type.String(),
  metadata: Type.Object({ name: Type.String(), namespace: Type.String() }),
  spec: fields,
  status: fields,
})
type View = Static<typeof View>

export async function get(args: readonly string[]): Promise<number> {
  const parsed = readArgs(
    args,
    { output: { type: 'string', short: 'o' }, namespace: { type: 'string' }, ...serverOptions },
    usage,
  )
  if (parsed === undefined) return 0
  const [kindName = '', name] = parsed.positionals
  const kind = kindNamed(kindName)
  if (kind === undefined)
    throw new UsageError(
      kindName.toLowerCase().startsWith('secret')
        ? 'secrets are never shown'
        : `there is no kind ${kindName}\n\n${usage}`,
    )
  const output = text(parsed, 'output')
  if (output !== undefined && output !== 'json' && output !== 'yaml')
    throw new UsageError(`-o takes json or yaml, not ${output}`)
  const client = await connectOrchestrator(parsed)
  const views = await read(client, kind, name, text(parsed, 'namespace'))
  const shown = name === undefined ? { items: views } : views[0]
  if (output === 'json') print(JSON.stringify(shown, null, 2).split('\n'))
  else if (output === 'yaml') print(yamlLines([shown]))
  else print(tableOf(kind, views))
  return 0
}

async function read(
  client: OrchestratorClient,
  kind: Kind,
  name: string | undefined,
  namespace: string | undefined,
): Promise<readonly View[]> {
  if (name !== undefined)
    return [await client.ask(View, 'GET', `/resources/${kind.plural}/${namespace ?? 'default'}/${name}`)]
  return listAll<View>(client, `/resources/${kind.plural}`, namespace === undefined ? {} : { namespace }, View)
}

/** The columns of `kubectl get`, those of `-o wide` aside. */
function tableOf(kind: Kind, views: readonly View[]): readonly string[] {
  if (views.length === 0) return [`no ${kind.plural}`]
  const shown = columnsOf(kind.kind).filter(({ wide }) => wide !== true)
  return table(
    ['NAME', ...shown.map(({ name }) => name.toUpperCase())],
    views.map((view) => [view.metadata.name, ...shown.map(({ path }) => cell(view, path))]),
  )
}

/** A path as columns have it: a dot before each name. */
function cell(view: View, path: string): string {
  let at: unknown = view
  for (const name of path.split('.').slice(1))
    at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[name] : undefined
  return String(at ?? '') || '-'
}
