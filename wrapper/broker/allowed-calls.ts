/** The two services behind the broker. */
export type Service = 'operator' | 'memory'

interface Rule {
  readonly service: Service
  readonly methods: readonly string[]
  /** Segments of the path; `:own` is this pod's Task, `:project` its Project, `:any` one free segment, `*` one or more. */
  readonly path: string
  /** Absent: always on, also for an unknown profile (GATING-5, GATING-8). */
  readonly profiles?: readonly string[]
}

const all = ['brainstorm', 'incident', 'implement', 'review', 'refine', 'documentation', 'upgrade']
const allBut = (...denied: readonly string[]): readonly string[] => all.filter((profile) => !denied.includes(profile))

const outcomePath = 'tasks/:own/outcome'

/** One row per tool of GATING (docs/contract/tools.md), as the calls it needs (TOOL-RULE-4, TOOLS-12). Nothing else passes. */
const rules: readonly Rule[] = [
  { service: 'operator', methods: ['GET'], path: 'projects/:project' },
  { service: 'operator', methods: ['GET'], path: 'projects/:project/repositories' },
  { service: 'operator', methods: ['GET'], path: 'projects/:project/task-index' },
  { service: 'operator', methods: ['GET'], path: 'tasks/:any' },
  { service: 'operator', methods: ['GET'], path: 'tasks/:any/context' },
  { service: 'operator', methods: ['GET'], path: 'tasks/:any/notes' },
  { service: 'operator', methods: ['POST'], path: 'tasks/:own/notes' },
  { service: 'operator', methods: ['POST'], path: outcomePath, profiles: all },
  { service: 'operator', methods: ['GET'], path: 'tasks/:own/scm', profiles: all },
  { service: 'operator', methods: ['GET'], path: 'tasks', profiles: ['brainstorm', 'incident', 'refine'] },
  { service: 'operator', methods: ['POST'], path: 'tasks/:own/issues', profiles: ['implement', 'refine'] },
  {
    service: 'operator',
    methods: ['POST'],
    path: 'tasks/:own/merge-requests',
    profiles: ['implement', 'review', 'refine', 'documentation', 'upgrade'],
  },
  { service: 'operator', methods: ['POST'], path: 'tasks/:own/takeover-requests', profiles: ['implement', 'review'] },
  { service: 'memory', methods: ['GET'], path: 'code/*', profiles: allBut('refine') },
  { service: 'memory', methods: ['GET'], path: 'code-graph/*', profiles: allBut('refine') },
  { service: 'memory', methods: ['POST'], path: 'queries', profiles: all },
  { service: 'memory', methods: ['POST'], path: 'queries:describe', profiles: all },
  { service: 'memory', methods: ['POST'], path: 'memories', profiles: allBut('review', 'refine') },
  { service: 'memory', methods: ['GET'], path: 'entities', profiles: ['brainstorm', 'incident', 'documentation'] },
  {
    service: 'memory',
    methods: ['GET', 'PATCH'],
    path: 'entities/:any',
    profiles: ['brainstorm', 'incident', 'documentation'],
  },
  { service: 'memory', methods: ['GET', 'POST'], path: 'edges', profiles: ['incident', 'documentation'] },
  { service: 'memory', methods: ['DELETE'], path: 'edges/:any', profiles: ['incident', 'documentation'] },
]

/** Any other word has the always-on tools alone. */
export function isProfile(word: string): boolean {
  return all.includes(word)
}

export interface Caller {
  readonly profile: string
  readonly task: string
  readonly project: string
}

/** May this pod's profile make this call? `path` is the raw path without its query, without a leading slash. */
export function isAllowed(caller: Caller, service: Service, method: string, path: string): boolean {
  const segments = decodeSegments(path)
  if (!segments) return false
  return rules.some(
    (rule) =>
      rule.service === service &&
      rule.methods.includes(method) &&
      (rule.profiles === undefined || rule.profiles.includes(caller.profile)) &&
      matches(rule.path.split('/'), segments, caller),
  )
}

/** Is it the call that ends the Task's turn with a decision? Judged on the same segments as the rules. */
export function isOutcome(caller: Caller, service: Service, method: string, path: string): boolean {
  const segments = decodeSegments(path)
  return service === 'operator' && method === 'POST' && !!segments && matches(outcomePath.split('/'), segments, caller)
}

/** Dot segments would be folded by the next hop into another path than the one judged here. */
function decodeSegments(path: string): readonly string[] | undefined {
  try {
    const segments = path.split('/').map(decodeURIComponent)
    return segments.some((segment) => segment === '' || segment === '.' || segment === '..' || segment.includes('\\'))
      ? undefined
      : segments
  } catch {
    return undefined
  }
}

function matches(pattern: readonly string[], segments: readonly string[], caller: Caller): boolean {
  if (pattern.at(-1) === '*')
    return segments.length >= pattern.length && pattern.slice(0, -1).every((part, index) => part === segments[index])
  return (
    pattern.length === segments.length && pattern.every((part, index) => matchesSegment(part, segments[index]!, caller))
  )
}

function matchesSegment(part: string, segment: string, caller: Caller): boolean {
  if (part === ':any') return true
  if (part === ':own') return isNameOf(segment, caller.task)
  if (part === ':project') return isNameOf(segment, caller.project)
  return part === segment
}

/** Actor ids are `<namespace>/<name>`; callers may use either form. */
function isNameOf(segment: string, id: string): boolean {
  return segment === id || segment === id.slice(id.indexOf('/') + 1)
}
