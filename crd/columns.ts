/** What a list of each kind shows, as data: `kubectl get` prints it. Paths are those of `status/`. */
export interface Column {
  readonly name: string
  readonly type: 'string' | 'integer' | 'boolean'
  readonly path: string
  /** Only with `-o wide`. */
  readonly wide?: true
}

const ofThread: readonly Column[] = [
  { name: 'Repository', type: 'string', path: '.spec.repositoryRef' },
  { name: 'Number', type: 'integer', path: '.spec.number' },
  { name: 'Status', type: 'string', path: '.status.status' },
  { name: 'Owner', type: 'string', path: '.status.ownerTask' },
]

const columns: Readonly<Record<string, readonly Column[]>> = {
  Project: [
    { name: 'Ready', type: 'boolean', path: '.status.ready' },
    { name: 'Reason', type: 'string', path: '.status.reason' },
    { name: 'Agents', type: 'integer', path: '.spec.maxConcurrentAgents' },
    { name: 'Webhook', type: 'string', path: '.status.webhookURL', wide: true },
  ],
  Repository: [
    { name: 'Project', type: 'string', path: '.spec.projectRef' },
    { name: 'URL', type: 'string', path: '.spec.url' },
  ],
  Task: [
    { name: 'Kind', type: 'string', path: '.spec.kind' },
    { name: 'Stage', type: 'string', path: '.status.stage' },
    { name: 'Reason', type: 'string', path: '.status.stageReason' },
    { name: 'Agent', type: 'string', path: '.status.agentKind' },
    { name: 'Project', type: 'string', path: '.spec.projectRef', wide: true },
    { name: 'Laps', type: 'integer', path: '.status.reviewLaps', wide: true },
    { name: 'Pending', type: 'integer', path: '.status.pendingEvents', wide: true },
  ],
  QueuedEvent: [
    { name: 'State', type: 'string', path: '.status.state' },
    { name: 'Position', type: 'integer', path: '.status.position' },
    { name: 'Task', type: 'string', path: '.spec.taskRef' },
    { name: 'Reason', type: 'string', path: '.status.reason', wide: true },
  ],
  Issue: ofThread,
  MergeRequest: ofThread,
}

export function columnsOf(kind: string): readonly Column[] {
  return columns[kind] ?? []
}
