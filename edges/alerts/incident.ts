/** A firing alert as an entry of the Project's queue: its incident Task is minted when an alert slot is free (ALERTS-5). */
import { createHash } from 'node:crypto'
import type { MachineEvent } from '../../machines/definition.ts'
import { taskName } from '../../machines/rules/names.ts'
import type { TaskSeed } from '../../machines/task/events.ts'
import type { Delivery } from '../../runtime/runtime.ts'
import { projectId, type ProjectSettings } from '../forge/projects.ts'
import type { Alert } from './payload.ts'

/** QUEUE-1: before everything else. */
const alertPriority = 0

/** Longer labels and summaries are read with the alerting tool. */
const maxGoal = 1000

/**
 * The same firing of the same alert is one incident, however often it is sent again: by group, fingerprint and start,
 * as its sender names them. A later start is another incident.
 */
export function incidentOf(project: ProjectSettings, groupKey: string, alert: Alert, at: number): Delivery {
  const digest = createHash('sha256')
    .update(JSON.stringify([groupKey, alert.fingerprint, alert.startsAt]))
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
  }
  return { to: `queue:${id}`, key: `alert/${digest}`, event }
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
