/** The catalogue over pods of a Kubernetes cluster: which attacks run in them, which inside one, and which need none. */
import { join } from 'node:path'
import type { Suite } from './attack.ts'
import { placeOf, type Place } from './places.ts'
import { runAll } from './run.ts'
import type { Selection } from './selection.ts'
import { openCluster, type Cluster } from './stages/cluster.ts'
import { wrappers } from './stages/pods.ts'
import { isSkipped, type Outcome } from './verdict.ts'

/** By who runs the stages inside a pod. */
const insides = {
  user: { image: 'boundary.test/inside:v1', security: { runAsNonRoot: false } },
  root: { image: 'boundary.test/inside-as-root:v1', security: { runAsNonRoot: false, runAsUser: 0 } },
} as const
type Inside = keyof typeof insides
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
  const program = (own: Selection): readonly string[] => [
    ...[process.execPath, join(import.meta.dirname, 'inside.ts')],
    JSON.stringify(own),
  ]
  const cluster = await openCluster({
    ...wrappers,
    [insides.user.image]: program(selection),
    [insides.root.image]: program({ ...selection, wantsRoot: true }),
  })
  opened(() => cluster.close())
  try {
    const { isShort, jobs } = selection
    const inPods = await runAll(of(suites, 'pod'), { isShort, jobs, cluster, told })
    const later: Outcome[] = []
    const isWanted = of(suites, 'inside').length > 0
    // The superuser's pod lives what the user's skips.
    const asUser = isWanted
      ? await runInside(cluster, 'user', (outcome) => void (isSkipped(outcome) ? later.push(outcome) : told(outcome)))
      : []
    const asRoot = isWanted ? await runInside(cluster, 'root', told) : []
    const left = later.filter((outcome) => !asRoot.some((one) => isSameControl(one, outcome, isShort)))
    for (const outcome of left) told(outcome)
    const places = [
      line('in pods of the cluster, with the agent’s CLI', livedIn(inPods)),
      line('inside a pod of the cluster, which runs their stages', livedIn(asUser)),
      line('inside one whose user is root, since only he takes down what refuses them', livedIn(asRoot)),
      line(
        'not run: without walls too only a superuser of the machine could do them',
        ofSuperusers(of(suites, 'inside')),
      ),
      line('not run: they need no pod, and are the same without a cluster', namesIn(of(suites, 'none'))),
    ].flat()
    return { outcomes: [...inPods, ...asUser.filter((one) => !isSkipped(one)), ...left, ...asRoot], places }
  } finally {
    await cluster.close()
  }
}

/** The short form lives each attack in one kind of pod, which may be another one there. */
function isSameControl(one: Outcome, other: Outcome, isShort: boolean): boolean {
  return (
    one.isControl &&
    one.class === other.class &&
    (isShort || one.profile === other.profile) &&
    one.lived.name === other.lived.name &&
    !isSkipped(one)
  )
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

function ofSuperusers(suites: readonly Suite[]): Attacks {
  return suites.flatMap((suite) => suite.attacks.flatMap((one) => (one.isOfSuperusers === true ? suite.class : [])))
}

function line(text: string, attacks: Attacks): readonly string[] {
  return attacks.length === 0 ? [] : [`${attacks.length} attacks ${text}: ${[...new Set(attacks)].join(', ')}`]
}

function of(suites: readonly Suite[], place: Place): readonly Suite[] {
  return suites.filter((suite) => suite.attacks.length > 0 && placeOf(suite) === place)
}

async function runInside(cluster: Cluster, who: Inside, told: (outcome: Outcome) => void): Promise<readonly Outcome[]> {
  const task = await cluster.openTask({ name: `inside-as-${who}`, ...insides[who] })
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
