/** The catalogue over pods of a Kubernetes cluster: which attacks run in them, which inside one, and which need none. */
import { join } from 'node:path'
import type { Suite } from './attack.ts'
import { placeOf, type Place } from './places.ts'
import { runAll } from './run.ts'
import type { Selection } from './selection.ts'
import { openCluster, type Cluster } from './stages/cluster.ts'
import { wrappers } from './stages/pods.ts'
import type { Outcome } from './verdict.ts'

const image = 'boundary.test/inside:v1'
const lookEveryMs = 250
/** The long form, on a machine that does other work too. */
const limitMs = 60 * 60_000

interface ClusterRun {
  readonly outcomes: readonly Outcome[]
  /** A line for each place: how many attacks were lived there, and of which classes. */
  readonly places: readonly string[]
}

/** `opened` is given the way to end all pods, for whoever is interrupted. @throws where the pod of the stages breaks off. */
export async function runOverCluster(
  suites: readonly Suite[],
  selection: Selection,
  {
    told,
    opened,
  }: { readonly told: (outcome: Outcome) => void; readonly opened: (close: () => Promise<void>) => void },
): Promise<ClusterRun> {
  const program = [process.execPath, join(import.meta.dirname, 'inside.ts'), JSON.stringify(selection)]
  const cluster = await openCluster({ ...wrappers, [image]: program })
  opened(() => cluster.close())
  try {
    const { isShort, jobs } = selection
    const inPods = await runAll(of(suites, 'pod'), { isShort, jobs, cluster, told })
    const inside = of(suites, 'inside').length > 0 ? await runInside(cluster, told) : []
    const places = [
      line('in pods of the cluster, with the agent’s CLI', livedIn(inPods)),
      line('inside a pod of the cluster, which runs their stages', livedIn(inside)),
      line('not run: they need no pod, and are the same without a cluster', namesIn(of(suites, 'none'))),
    ].flat()
    return { outcomes: [...inPods, ...inside], places }
  } finally {
    await cluster.close()
  }
}

/** Classes, one for each attack. */
type Attacks = readonly string[]

/** Of the long form an attack in both kinds of pod is one. */
function livedIn(outcomes: readonly Outcome[]): Attacks {
  const attacks = outcomes.filter(({ isControl }) => !isControl)
  return [...new Map(attacks.map(({ class: name, lived }) => [`${name} ${lived.name}`, name])).values()]
}

function namesIn(suites: readonly Suite[]): Attacks {
  return suites.flatMap((suite) => suite.attacks.map(() => suite.class))
}

function line(text: string, attacks: Attacks): readonly string[] {
  return attacks.length === 0 ? [] : [`${attacks.length} attacks ${text}: ${[...new Set(attacks)].join(', ')}`]
}

function of(suites: readonly Suite[], place: Place): readonly Suite[] {
  return suites.filter((suite) => suite.attacks.length > 0 && placeOf(suite) === place)
}

async function runInside(cluster: Cluster, told: (outcome: Outcome) => void): Promise<readonly Outcome[]> {
  const task = await cluster.openTask({ name: 'inside', image })
  try {
    const env = { LOG_LEVEL: 'info', AGENT_SECLUSION: 'required', PLATFORM_TASK: 'inside' }
    const pod = await task.create(1, { env, secrets: { PLATFORM_POD_TOKEN_FILE: 'nobody’s' }, files: {} })
    const outcomes: Outcome[] = []
    for (const limit = Date.now() + limitMs; Date.now() < limit;) {
      const hasEnded = pod.end() !== undefined
      const { news, end } = readNews(pod.log(), outcomes.length)
      for (const outcome of news) told(outcome)
      outcomes.push(...news)
      if (end === outcomes.length) return outcomes
      if (hasEnded) break
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
    }
    const last = pod.log().slice(-2000)
    throw new Error(`the pod broke off after ${outcomes.length} outcomes: ${JSON.stringify(pod.end())}\n${last}`)
  } finally {
    await task.close()
  }
}

/** Of the log's whole lines. */
function readNews(log: string, known: number): { readonly news: readonly Outcome[]; readonly end: number | undefined } {
  const lines = log.split('\n').slice(0, -1).flatMap(lineOf)
  return {
    news: lines.flatMap(({ outcome }) => outcome ?? []).slice(known),
    end: lines.find(({ end }) => end !== undefined)?.end,
  }
}

interface LogLine {
  readonly outcome?: Outcome
  readonly end?: number
}

function lineOf(text: string): readonly LogLine[] {
  try {
    return [JSON.parse(text) as LogLine]
  } catch {
    return []
  }
}
