import type { ParseArgsOptionsConfig } from 'node:util'
import { columnsOf, valueAt, type Column } from '../../../crd/columns.ts'
import type { Kind } from '../../../crd/kinds.ts'
import { sleep, systemClock, type Clock } from '../../../runtime/clock.ts'
import { age } from '../../output/age.ts'
import { flag, readArgs, text, UsageError } from '../../args.ts'
import { connectOrchestrator, serverOptions, serverUsage } from '../../server/connect.ts'
import { isAway, listAll, type OrchestratorClient } from '../../server/client.ts'
import { plurals, requireKind, resourcePath, View } from '../../resource-view.ts'
import { growingTable } from '../../output/table.ts'
import { print, printError, printTitled } from '../../output/terminal.ts'
import { hasTitles, titleIn, titlesOf } from '../../output/titles.ts'
import { yamlLines } from '../../output/yaml-lines.ts'

const usageOf = (call: string, forms: string, example: string): string => `usage: statewright ${call} [options]

Shows resources as a table. Kinds: ${plurals}.
Of a Task, REASON and WHO say why it rests and who can move it; statewright why says more.

${forms}
  --namespace NAME  only this namespace (default: all; with NAME: default)
${serverUsage}

Example: statewright ${example}`

const getUsage = usageOf(
  'get KIND [NAME] [-o wide|name|json|yaml] [-w]',
  `  -o, --output FORM print all columns (wide), names (name), json or yaml
  -w, --watch       go on, and print each row that changes, until Ctrl-C`,
  'get tasks -o wide',
)
const watchUsage = usageOf(
  'watch KIND [NAME] [-o wide|name]',
  `Goes on, and prints each row again that changes, until Ctrl-C.

  -o, --output FORM print all columns (wide) or names (name)`,
  'watch tasks',
)

const options = {
  ...serverOptions,
  output: { type: 'string', short: 'o' },
  watch: { type: 'boolean', short: 'w' },
  namespace: { type: 'string' },
  // Of other commands.
  json: { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig

const forms = ['wide', 'name', 'json', 'yaml'] as const

interface Asked {
  readonly kind: Kind
  readonly name: string | undefined
  readonly namespace: string | undefined
  readonly form: (typeof forms)[number] | undefined
}

/** What `get -w` does, by the name that people try first. */
export function watch(args: readonly string[], clock: Clock = systemClock): Promise<number> {
  return showResources([...args, '--watch'], watchUsage, clock)
}

export function get(args: readonly string[], clock: Clock = systemClock): Promise<number> {
  return showResources(args, getUsage, clock)
}

async function showResources(args: readonly string[], usage: string, clock: Clock): Promise<number> {
  const parsed = readArgs(args, options, usage)
  if (parsed === undefined) return 0
  const [kindName = '', name, ...more] = parsed.positionals
  const kind = requireKind(kindName, usage)
  if (more.length > 0) throw new UsageError(`get takes one kind and one name\n\n${usage}`)
  if (flag(parsed, 'json')) throw new UsageError('get prints JSON with -o json')
  const output = text(parsed, 'output')
  const form = forms.find((one) => one === output)
  if (output !== undefined && form === undefined) throw new UsageError(`-o takes ${forms.join(', ')}, not ${output}`)
  const watches = flag(parsed, 'watch')
  if (watches && (form === 'json' || form === 'yaml'))
    throw new UsageError('-w shows rows: leave out -o, or give wide or name')
  const client = await connectOrchestrator(parsed)
  const asked = { kind, name, form, namespace: text(parsed, 'namespace') }
  const views = await read(client, asked)
  const shown = name === undefined ? { items: views } : views[0]
  if (form === 'json') print(JSON.stringify(shown, null, 2).split('\n'))
  else if (form === 'yaml') print(yamlLines([shown]))
  else {
    const show = shower(client, asked, clock)
    if (views.length === 0) print(`no ${kind.plural}`)
    if (watches) await follow(client, asked, { views, show, clock })
    await show(views)
  }
  return 0
}

async function read(client: OrchestratorClient, { kind, name, namespace }: Asked): Promise<readonly View[]> {
  if (name !== undefined) return [await client.ask(View, 'GET', resourcePath(kind, namespace ?? 'default', name))]
  const views = await listAll<View>(
    client,
    `/resources/${kind.plural}`,
    namespace === undefined ? {} : { namespace },
    View,
  )
  return kind.kind === 'QueuedEvent' ? views.toSorted((a, b) => turnOf(a) - turnOf(b)) : views
}

/** What waits comes first, in its order, and then what has a slot; what has left is history. */
function turnOf({ status }: View): number {
  if (status['state'] === 'Queued') return Number(status['position'] ?? 0)
  return status['state'] === 'Admitted' ? 1e9 : 2e9
}

/** Prints a row again when anything but its age has changed. */
function shower(client: OrchestratorClient, asked: Asked, clock: Clock): Watched['show'] {
  const known = new Map<string, string>()
  const isNew = ({ metadata }: View, row: readonly string[]): boolean => {
    const [key, now] = [`${metadata.namespace}/${metadata.name}`, row.join('\n')]
    const changed = known.get(key) !== now
    known.set(key, now)
    return changed
  }
  const lines = growingTable([...headingsOf(asked), ...(hasAge(asked.kind) ? ['AGE'] : [])])
  return async (views) => {
    const titles = await titlesOf(client, asked.kind, views)
    const rows = views.map((view) => ({ view, row: rowOf(asked, view, titles(view)) }))
    const show = known.size === 0 ? printTitled : print
    const fresh = rows.filter(({ view, row }) => isNew(view, row))
    if (fresh.length === 0) return
    if (asked.form === 'name') print(fresh.map(({ view }) => nameOf(view)))
    else show(lines(fresh.map(({ view, row }) => [...row, ...(hasAge(asked.kind) ? [ageOf(view, clock.now())] : [])])))
  }
}

function nameOf({ kind, metadata }: View): string {
  return `${kind.toLowerCase()}/${metadata.name}`
}

function shownColumns({ kind, form }: Asked): readonly Column[] {
  return columnsOf(kind.kind).filter(({ wide }) => form === 'wide' || wide !== true)
}

function isOfAll({ name, namespace }: Asked): boolean {
  return name === undefined && namespace === undefined
}

function headingsOf(asked: Asked): readonly string[] {
  return [
    ...(isOfAll(asked) ? ['NAMESPACE'] : []),
    'NAME',
    ...shownColumns(asked).map(({ name }) => name.toUpperCase()),
    ...(hasTitles(asked.kind) ? ['TITLE'] : []),
  ]
}

/** All columns but the age, which changes by itself. */
function rowOf(asked: Asked, view: View, title: string): readonly string[] {
  return [
    ...(isOfAll(asked) ? [view.metadata.namespace] : []),
    view.metadata.name,
    ...shownColumns(asked).map((column) => cell(view, column)),
    ...(hasTitles(asked.kind) ? [titleIn(title, asked.form === 'wide')] : []),
  ]
}

function cell(view: View, { path, otherwise }: Column): string {
  const more = otherwise === undefined ? undefined : valueAt(view, otherwise).split(/[./]/).at(-1)
  return valueAt(view, path) || more || '-'
}

/** The resource of a thread has no time of its beginning. */
function hasAge({ kind }: Kind): boolean {
  return kind !== 'Issue' && kind !== 'MergeRequest'
}

/** Since it was made; a Task that nobody applied was made when it was minted. */
function ageOf(view: View, now: number): string {
  const made = view.metadata.creationTimestamp ?? valueAt(view, '.status.stages.0.at')
  const since = now - Date.parse(made)
  if (Number.isNaN(since)) return '-'
  return age(since)
}

const pollMs = 2000
/** A minute: an orchestrator that starts again is back by then. */
const mostMisses = 30

/** What was read last, and how to show what is read later. */
interface Watched {
  readonly views: readonly View[]
  readonly show: (views: readonly View[]) => Promise<void>
  readonly clock: Clock
}

/** Until the process is stopped. */
async function follow(
  client: OrchestratorClient,
  asked: Asked,
  { views: first, show, clock }: Watched,
): Promise<never> {
  let misses = 0
  for (let views: readonly View[] | undefined = first; ;) {
    if (views !== undefined) await show(views)
    await sleep(clock, pollMs)
    views = await read(client, asked).catch((error: unknown) => {
      if (!isAway(error) || misses >= mostMisses) throw error
      if (misses === 0) printError('the orchestrator does not answer; it is asked again')
      misses += 1
      return undefined
    })
    if (views !== undefined) misses = 0
  }
}
