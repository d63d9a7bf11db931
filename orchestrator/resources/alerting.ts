import type { QueueContext } from '../../machines/queue/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Projects } from '../../edges/forge/project-directory.ts'
import type { KnownIncident } from '../../edges/alerts/incident.ts'
import type { AlertRouteDeps, Alerting } from '../../edges/alerts/route.ts'
import type { SecretReader } from '../../edges/ports/resources.ts'
import type { ThreadReader } from '../../edges/ports/threads.ts'

/** Read at the delivery: neither settings nor secret are cached (ALERTS-3). */
export async function alertingOf(
  { directory, secrets }: { readonly directory: Projects; readonly secrets: SecretReader },
  name: string,
): Promise<Alerting | undefined> {
  const [project, found] = [await directory.project(name), await directory.spec(name)]
  if (project === undefined || found === undefined) return undefined
  const { enabled = false, secretRef = '' } = found.spec.alerting ?? {}
  return {
    project,
    enabled,
    webhookSecret: async () =>
      secretRef === '' ? undefined : (await secrets.read(project.namespace, secretRef))?.['webhookSecret'],
  }
}

interface AlertDeps {
  readonly runtime: Pick<Runtime, 'read' | 'pendingEffects'>
  readonly threads: Pick<ThreadReader, 'issue'>
}

/** What the route asks of the Project's queue and of the incidents that it knows. */
export function alertReads(deps: AlertDeps): Pick<AlertRouteDeps, 'waiting' | 'incidents'> {
  return {
    waiting: (project) => waitingAlerts(deps.runtime, project),
    incidents: (project, fingerprints) => knownIncidents(deps, project, fingerprints),
  }
}

async function queueOf(runtime: Pick<Runtime, 'read'>, project: string): Promise<Partial<QueueContext>> {
  return (await runtime.read(`queue:${project}`))?.context ?? {}
}

/** The newest incident of each of these alerts, and whether its Task or the issue that it filed is open (ALERTS-6). */
export async function knownIncidents(
  deps: AlertDeps,
  project: string,
  fingerprints: ReadonlySet<string>,
): Promise<ReadonlyMap<string, KnownIncident>> {
  const { incidents = [], entries = [] } = await queueOf(deps.runtime, project)
  const found = new Map<string, KnownIncident>()
  for (const { fingerprint, task, issue } of incidents) {
    if (!fingerprints.has(fingerprint)) continue
    const incident = { task, ...(issue && { issue }) }
    const waits = entries.some((one) => one.task === task && one.sort === 'mint')
    found.set(fingerprint, { ...incident, state: waits ? 'open' : await stateOf(deps, project, incident) })
  }
  return found
}

async function stateOf(
  { runtime, threads }: AlertDeps,
  project: string,
  { task, issue }: Pick<KnownIncident, 'task' | 'issue'>,
): Promise<KnownIncident['state']> {
  const status = (await runtime.read(`task:${task}`))?.status ?? 'done'
  if (status !== 'done') return 'open'
  if (issue !== undefined) {
    const { state } = (await threads.issue(project, issue.repository, issue.number)) ?? {}
    return state === 'open' ? 'ended' : 'over'
  }
  const pending = await runtime.pendingEffects({ actor: `task:${task}` })
  return pending.some(({ effect, state }) => effect.type === 'fileIssue' && state !== 'dead') ? 'ended' : 'over'
}

/** Entries of the queue's alerts that no slot was free for yet. */
async function waitingAlerts(runtime: Pick<Runtime, 'read'>, project: string): Promise<ReadonlySet<string>> {
  const { entries = [] } = await queueOf(runtime, project)
  const waiting = entries.filter((one) => one.class === 'alert' && one.admittedAt === null)
  return new Set(waiting.map(({ entry }) => entry))
}
