import type { AgentKind } from '../../machines/task/events.ts'
import { toolNames, toolTable, type RestCall } from '../../machines/turn/tools.ts'

/** The two services behind the broker. */
export type Service = RestCall['service']

interface Rule extends RestCall {
  /** Absent: always on, also for an unknown profile (GATING-5, GATING-8). */
  readonly profiles?: readonly AgentKind[]
}

const outcomePath = toolTable.submit_outcome.calls[0]!.path

/** The calls that the tools need, each for the kinds that have its tool (TOOL-RULE-4, TOOLS-12). Nothing else passes. */
const rules: readonly Rule[] = toolNames.flatMap((tool) => {
  const { kinds, calls } = toolTable[tool]
  return calls.map((call) => (kinds === 'always' ? call : { ...call, profiles: kinds }))
})

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
      rule.method === method &&
      (rule.profiles === undefined || rule.profiles.some((kind) => kind === caller.profile)) &&
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
    pattern.length === segments.length &&
    segments.every((segment, index) => matchesSegment(pattern[index], segment, caller))
  )
}

function matchesSegment(part: string | undefined, segment: string, caller: Caller): boolean {
  if (part === ':any') return true
  if (part === ':own') return isNameOf(segment, caller.task)
  if (part === ':project') return isNameOf(segment, caller.project)
  return part === segment
}

/** Actor ids are `<namespace>/<name>`; callers may use either form. */
function isNameOf(segment: string, id: string): boolean {
  return segment === id || segment === id.slice(id.indexOf('/') + 1)
}
