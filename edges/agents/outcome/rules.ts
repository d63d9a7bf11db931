/** The rules of docs/contract/tools.md that a schema cannot say: which field goes with which action. Every breach is told at once. */
import type { AgentKind } from '../../../machines/task/events.ts'

interface RuleFault {
  readonly path: string
  readonly message: string
  readonly code?: 'citation-incomplete' | 'merge-order-required'
}

type Payload = Readonly<Record<string, unknown>>

const mergeRequestShaped = ['title', 'body', 'change_significance', 'merge_order', 'decline_reason']
/** A map: an action is what a caller says, and `constructor` is no member of it. */
const requiredBy: ReadonlyMap<string, readonly string[]> = new Map([
  ['submitted', ['title', 'body', 'change_significance']],
  ['declined', ['decline_reason']],
  ['approved', ['reason', 'plan_note_id']],
  ['discuss', ['reason']],
  ['rejected', ['reason']],
  ['propose', ['proposals']],
  ['skip', ['reason']],
  ['file_issue', ['issue']],
  ['request_changes', ['findings']],
])

export function conditionalFaults(kind: AgentKind, payload: Payload): readonly RuleFault[] {
  const action = actionOf(kind, payload)
  const faults: RuleFault[] = (requiredBy.get(action) ?? [])
    .filter((field) => isEmpty(payload[field]))
    .map((field) => missing(field, action))
  if (action === 'discuss') {
    for (const field of mergeRequestShaped) {
      if (payload[field] !== undefined) faults.push({ path: `/${field}`, message: 'is not allowed with discuss' })
    }
  }
  if (kind === 'implement' && action === 'approved') faults.push(...citationFaults(payload))
  return faults
}

/** `action`, or the verdict of a review; refine has neither. */
export function actionOf(kind: AgentKind, payload: Payload): string {
  if (kind === 'refine') return 'refine'
  const action = payload[kind === 'review' ? 'verdict' : 'action']
  return typeof action === 'string' ? action : ''
}

/** What is to be written on the forge names repositories of the Project: said in the call, for later nobody is there to hear it. */
export function repositoryFaults(
  kind: AgentKind,
  payload: Payload,
  repositories: readonly string[],
): readonly RuleFault[] {
  return namedRepositories(kind, payload)
    .filter(({ repo }) => !repositories.includes(repo))
    .map(({ path, repo }) => ({ path, message: `the Project has no Repository ${repo}; repo_list names them` }))
}

/** Of a field by its name: GitHub takes 65,536 characters a text and 256 a title, GitLab 255 a title. */
const longest: ReadonlyMap<string, number> = new Map([
  ['title', 255],
  ['body', 60_000],
  ['quote', 60_000],
])
const longestText = 10_000
const mostItems = 500

/** What no forge would take, at any depth: refused in the call, for later nobody is there to hear it. */
export function lengthFaults(value: unknown, path = ''): readonly RuleFault[] {
  if (typeof value === 'string') {
    const most = longest.get(path.slice(path.lastIndexOf('/') + 1)) ?? longestText
    return [...value].length > most ? [{ path, message: `must not have more than ${most} characters` }] : []
  }
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.entries(value).flatMap(([name, one]) => lengthFaults(one, `${path}/${name}`))
  const isLong = Array.isArray(value) && value.length > mostItems
  return isLong ? [{ path, message: `must not have more than ${mostItems} items` }, ...inside] : inside
}

function namedRepositories(
  kind: AgentKind,
  payload: Payload,
): readonly { readonly path: string; readonly repo: string }[] {
  const each = (field: string) =>
    ((payload[field] ?? []) as readonly { readonly repo: string }[]).map(({ repo }, index) => ({
      path: `/${field}/${index}/repo`,
      repo,
    }))
  if (kind === 'brainstorm') return each('proposals')
  if (kind === 'refine') return [...each('closes'), ...each('links')]
  const issue = payload['issue'] as { readonly repo: string } | undefined
  return kind === 'incident' && issue !== undefined ? [{ path: '/issue/repo', repo: issue.repo }] : []
}

function citationFaults(payload: Payload): readonly RuleFault[] {
  const cited = !isEmpty(payload['approval_citations'])
  const named = !isEmpty(payload['approving_maintainer'])
  if (cited === named) return []
  const field = cited ? 'approving_maintainer' : 'approval_citations'
  return [
    {
      path: `/${field}`,
      message: 'approving_maintainer and approval_citations go together: both or neither',
      code: 'citation-incomplete',
    },
  ]
}

function missing(field: string, action: string): RuleFault {
  return { path: `/${field}`, message: `is required when ${action}` }
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === ''
  return value === undefined || (Array.isArray(value) && value.length === 0)
}
