/** What a list of each kind shows, as data: `kubectl get` prints it. Paths are those of `status/`. */
export interface Column {
  readonly name: string
  readonly type: 'string' | 'integer' | 'boolean'
  readonly path: string
  /** Only with `-o wide`. */
  readonly wide?: true
  /** `kubectl` shows it with `-o wide` alone: a watch there prints each change of its columns as a row. */
  readonly wideInKubectl?: true
  /** Where the first one leads to nothing: the last name that this one leads to. `kubectl` knows no such choice. */
  readonly otherwise?: string
}

/** As a server's JSONPath has it. */
function conditionPath(type: string, field: 'status' | 'message'): string {
  return `.status.conditions[?(@.type=="${type}")].${field}`
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
    { name: 'Paused', type: 'string', path: conditionPath('Paused', 'status') },
    { name: 'Message', type: 'string', path: conditionPath('Ready', 'message'), wide: true },
    { name: 'Webhook', type: 'string', path: '.status.webhookURL', wide: true },
    { name: 'Memory', type: 'string', path: '.status.memory.phase', wide: true },
  ],
  Repository: [
    { name: 'Project', type: 'string', path: '.spec.projectRef' },
    { name: 'URL', type: 'string', path: '.spec.url' },
    { name: 'Indexed', type: 'string', path: conditionPath('Indexed', 'status'), wide: true },
  ],
  Task: [
    { name: 'Kind', type: 'string', path: '.spec.kind' },
    { name: 'Stage', type: 'string', path: '.status.stage' },
    { name: 'Reason', type: 'string', path: '.status.stageReason', otherwise: '.status.why.reason' },
    { name: 'Who', type: 'string', path: '.status.why.owner', wideInKubectl: true },
    { name: 'Agent', type: 'string', path: '.status.agentKind' },
    { name: 'Project', type: 'string', path: '.spec.projectRef', wide: true },
    { name: 'Laps', type: 'integer', path: '.status.reviewLaps', wide: true },
    { name: 'Pending', type: 'integer', path: '.status.pendingEvents', wide: true },
  ],
  QueuedEvent: [
    { name: 'State', type: 'string', path: '.status.state' },
    { name: 'Position', type: 'integer', path: '.status.position' },
    { name: 'Task', type: 'string', path: '.spec.taskRef' },
    { name: 'Reason', type: 'string', path: '.status.reason' },
  ],
  Issue: ofThread,
  MergeRequest: ofThread,
}

export function columnsOf(kind: string): readonly Column[] {
  return columns[kind] ?? []
}

/** What a path of a column leads to in a resource; empty: nothing. */
export function valueAt(resource: unknown, path: string): string {
  let at: unknown = resource
  for (const [, name = '', type] of path.matchAll(/\.(\w+)(?:\[\?\(@\.type=="(\w+)"\)\])?/g)) {
    at = fieldOf(at, name)
    if (type !== undefined) at = Array.isArray(at) ? at.find((one) => fieldOf(one, 'type') === type) : undefined
  }
  return String(at ?? '')
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
