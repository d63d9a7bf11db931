/** A firing alert as an entry of the Project's queue, which lets it join an open incident, or mints a Task when an alert slot is free (ALERTS-5, ALERTS-6). */
import { createHash } from 'node:crypto'
import type { MachineEvent } from '../../machines/definition.ts'
import { taskName } from '../../machines/rules/names.ts'
import type { FiredAlert } from '../../machines/queue/events.ts'
import type { TaskSeed } from '../../machines/task/events.ts'
import type { Delivery } from '../../runtime/runtime.ts'
import { projectId, type ProjectSettings } from '../forge/projects.ts'
import type { Alert } from './payload.ts'

/** QUEUE-1: before everything else. */
const alertPriority = 0

/** Longer labels and summaries are read with the alerting tool. */
const maxGoal = 1000

/** What is known of the newest incident of an alert. */
export interface KnownIncident {
  readonly task: string
  /** The issue that its Task filed. */
  readonly issue?: { readonly repository: string; readonly number: number }
  readonly state: 'open' | 'ended' | 'over'
}

/**
 * One firing counts once, however often it is sent: by fingerprint and start. The group is a matter of the sender's routes:
 * two of them, or a changed one, send the same firing.
 */
export function firingOf(
  project: ProjectSettings,
  groupKey: string,
  alert: Alert,
  { at, known }: { readonly at: number; readonly known: KnownIncident | undefined },
): Delivery {
  const digest = createHash('sha256')
    .update(JSON.stringify([alert.fingerprint, alert.startsAt]))
    .digest('hex')
  const id = projectId(project)
  const task = `${project.namespace}/${taskName('incident', project.name, startOf(alert, at), digest)}`
  const seed: TaskSeed = {
    kind: 'incident',
    goal: goalOf(alert),
    repositories: project.repositories.map(({ name }) => name),
    issues: [],
    mergeRequests: [],
    priority: alertPriority,
    origin: { kind: 'alert', ref: (alert.generatorURL || groupKey).toWellFormed() },
    config: project.taskConfig,
  }
  const event: MachineEvent = {
    type: 'queue.enqueue',
    at,
    entry: `mint/${task}`,
    sort: 'mint',
    task,
    class: 'alert',
    priority: alertPriority,
    kind: seed.kind,
    seed,
    alert: { fingerprint: alert.fingerprint, ...foundOf(known) },
  }
  return { to: `queue:${id}`, key: `alert/${digest}`, event }
}

/** `ended`: its issue is open, or on its way. */
function foundOf(known: KnownIncident | undefined): Omit<FiredAlert, 'fingerprint'> {
  if (known === undefined || known.state === 'open') return {}
  const { task, issue } = known
  return known.state === 'ended' ? { ended: true } : { over: { task, ...(issue && { issue }) } }
}

/** Seconds, so that the Task's name tells when it began. */
function startOf({ startsAt }: Alert, at: number): number {
  const start = Date.parse(startsAt)
  return Math.floor((Number.isFinite(start) ? start : at) / 1000)
}

function goalOf({ labels, annotations = {}, startsAt }: Alert): string {
  const { alertname = 'unnamed', ...others } = labels
  const summary = annotations['summary'] ?? annotations['description'] ?? ''
  const listed = Object.entries(others).map(([name, value]) => `${name}=${value}`)
  const text = `alert "${alertname}", firing since ${startsAt}${listed.length === 0 ? '' : `, with ${listed.join(', ')}`}${summary === '' ? '' : `. It says: "${summary}"`}`
  return plain(text).slice(0, maxGoal).toWellFormed()
}

/** Words from outside stand in the middle of an assignment: one line, and no element of the bundle. */
function plain(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replaceAll('`', "'")
    .trim()
}
