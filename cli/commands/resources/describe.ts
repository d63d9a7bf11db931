import { Value } from 'typebox/value'
import { Type } from 'typebox'
import { readArgs, text, UsageError } from '../../args.ts'
import { Condition, conditionLines } from '../../output/conditions.ts'
import { plurals, requireKind, resourcePath, View } from '../../resource-view.ts'
import { connectOrchestrator, serverOptions, serverUsage } from '../../server/connect.ts'
import { printTitled } from '../../output/terminal.ts'
import { yamlLines } from '../../output/yaml-lines.ts'
import { explainTask } from '../../output/why-lines.ts'

const usage = `usage: statewright describe KIND NAME [options]

Shows one resource for people: its spec, the facts of its status, its conditions with their messages, and of a Task why it
rests. Kinds: ${plurals}. statewright get KIND NAME -o yaml shows everything.

  --namespace NAME  its namespace (default: default)
${serverUsage}

Example: statewright describe project demo`

/** `statewright describe KIND NAME`. */
export async function describe(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, { ...serverOptions, namespace: { type: 'string' } }, usage)
  if (parsed === undefined) return 0
  const [kindName = '', name, ...more] = parsed.positionals
  const kind = requireKind(kindName, usage)
  if (name === undefined || more.length > 0) throw new UsageError(`describe takes one kind and one name\n\n${usage}`)
  const client = await connectOrchestrator(parsed)
  const namespace = text(parsed, 'namespace') ?? 'default'
  const view = await client.ask(View, 'GET', resourcePath(kind, namespace, name))
  const [, why = []] = kind.kind === 'Task' ? await explainTask(client, `${namespace}/${name}`) : []
  printTitled(described(view, why))
  return 0
}

function described({ kind, metadata, spec, status }: View, why: readonly string[]): readonly string[] {
  const { conditions = [], ...facts } = status
  const shown = Object.entries(facts).filter(([, value]) => isPlain(value) || isFlat(value))
  const plain = Object.fromEntries(shown.filter(([name]) => name !== 'why' || kind !== 'Task'))
  return [
    `${kind} ${metadata.namespace}/${metadata.name}`,
    ...section('Spec', yamlLines([spec])),
    ...(Object.keys(plain).length === 0 ? [] : section('Status', yamlLines([plain]))),
    ...(Value.Check(Type.Array(Condition), conditions) && conditions.length > 0
      ? section('Conditions', conditionLines(conditions))
      : []),
    ...(why.length === 0 ? [] : section('Why', why)),
  ]
}

/** As where the memory is, and whether it serves. */
function isFlat(value: unknown): boolean {
  const isBlock = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isBlock && Object.values(value).length > 0 && Object.values(value).every(isPlain)
}

/** Lists and deeper blocks are for `get -o yaml`. */
function isPlain(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && value !== '')
}

/** Indented, so that no text of a resource is a line of ours. */
function section(title: string, lines: readonly string[]): readonly string[] {
  return ['', `${title}:`, ...lines.map((line) => `  ${line}`.trimEnd())]
}
