/** The facts of a turn: what conditions ask and templates read. README.md of ../scenarios lists them for authors. */
import { basename, join } from 'node:path'
import type { Entry } from '../scenarios/format.ts'
import { approvalOf, type Approval } from './approval.ts'
import { readBundle, type Bundle, type BundleComment, type BundleMergeRequest, type BundleThread } from './bundle.ts'
import type { Conversation } from './conversation.ts'
import { namedResults, planIdOf, plansByName, type Result } from './results.ts'

export type Verdict = 'request_changes' | 'approve'

const stated = /\bverdict\W{0,8}(approve|request[_ -]?changes|changes requested)/i
const requests = /^\W*(request(ed|s)?[_ -]changes|changes requested)/im
const approves = /^\W*approved?\b/i

export interface Facts {
  readonly task: string
  readonly kind: string
  readonly stage: string
  readonly agent: string
  readonly project: string
  /** Ordinal of the turn in its conversation, from 0; a new pod starts a new conversation. */
  readonly turn: number
  readonly turnToken: string
  readonly workspace: string
  readonly repository: string
  readonly checkout: string
  /** Kinds of the events of this turn, and of all turns of the conversation. */
  readonly events: readonly string[]
  readonly seenEvents: readonly string[]
  readonly plan: boolean
  /** Of the newest plan note: as the assignment tells it, else as this pod's own call was answered. */
  readonly planId: string | undefined
  readonly commented: boolean
  readonly approval: Approval | undefined
  readonly granted: boolean
  /** The pod's time is up and it is asked for a hand-off note. */
  readonly handoff: boolean
  readonly lastHumanComment: BundleComment | undefined
  readonly issue: BundleThread | undefined
  /** `none`, or the state of the newest merge request. */
  readonly mr: string
  readonly mergeRequest: BundleMergeRequest | undefined
  readonly ci: string
  readonly review: Verdict | 'none'
  readonly changeRequests: number
  readonly assignment: string
  readonly bundle: Bundle | undefined
  readonly result: Readonly<Record<string, Result>>
}

/**
 * The assignment of a granted Task says so at the start of a line, also after the event was delivered. Elsewhere in a
 * line the same words are a condition ("you are told when the approval is granted").
 */
const toldToWrite = /^(the )?(plan|approval) (is|was|has been) (approved|granted|verified)\b|\bwrite the code\b/im
const toldToHandOff = /\bkind `?handoff\b/i
const toldPlanId = /\bits id is `([^`]+)`/i

/** Facts as the turn with this index saw them: later turns of the conversation are not read. */
export function factsAt(conversation: Conversation, index: number, entries: readonly Entry[]): Facts {
  const turns = conversation.turns.slice(0, index + 1)
  const bundles = turns.map((turn) => readBundle(turn.prompt))
  const bundle = bundles.findLast((one) => one !== undefined)
  const repository = bundle?.issues[0]?.repo ?? bundle?.mergeRequests[0]?.repo ?? ''
  const events = (bundles.at(-1)?.events ?? []).map((event) => event.kind)
  const seenEvents = bundles.flatMap((one) => one?.events ?? []).map((event) => event.kind)
  const planId = toldPlanId.exec(bundle?.assignment ?? '')?.[1] ?? planIdOf(turns, entries)
  return {
    ...identity(bundle),
    turn: index,
    turnToken: turns.at(-1)?.token ?? '',
    workspace: conversation.workspace,
    repository,
    checkout: checkoutOf(conversation.workspace, repository),
    events,
    seenEvents,
    ...issueFacts(bundle),
    ...mergeRequestFacts(bundle),
    handoff: toldToHandOff.test(bundle?.assignment ?? ''),
    planId,
    bundle,
    result: { ...plansByName(entries, planId), ...namedResults(turns, entries) },
  }
}

function identity(
  bundle: Bundle | undefined,
): Pick<Facts, 'task' | 'kind' | 'stage' | 'agent' | 'project' | 'assignment'> {
  const { task = '', kind = '', stage = '', agent = '', project = '', assignment = '' } = bundle ?? {}
  return { task, kind, stage, agent, project, assignment }
}

function issueFacts(
  bundle: Bundle | undefined,
): Pick<Facts, 'issue' | 'plan' | 'commented' | 'approval' | 'granted' | 'lastHumanComment'> {
  const issue = bundle?.issues[0]
  const plans = bundle?.notes.filter(({ kind }) => kind === 'plan').map(({ at }) => at) ?? []
  return {
    issue,
    plan: plans.length > 0,
    commented: issue?.comments.some((comment) => comment.bot) ?? false,
    approval: approvalOf(issue, bundle?.mergeRequests, plans.toSorted().at(-1)),
    granted: toldToWrite.test(bundle?.assignment ?? ''),
    lastHumanComment: issue?.comments.findLast((comment) => !comment.bot),
  }
}

function mergeRequestFacts(
  bundle: Bundle | undefined,
): Pick<Facts, 'mr' | 'mergeRequest' | 'ci' | 'review' | 'changeRequests'> {
  const mergeRequest = bundle?.mergeRequests.findLast((one) => one.state === 'open') ?? bundle?.mergeRequests.at(-1)
  const verdicts = verdictsOf(mergeRequest)
  return {
    mergeRequest,
    mr: mergeRequest?.state ?? 'none',
    ci: mergeRequest?.ci ?? 'none',
    review: verdicts.at(-1) ?? 'none',
    changeRequests: verdicts.filter((verdict) => verdict === 'request_changes').length,
  }
}

/** Pods keep checkouts at `<workspace>/<repository>` (WRAPPER-RULE-3); a CLI started inside one is there already. */
function checkoutOf(workspace: string, repository: string): string {
  return repository === '' || basename(workspace) === repository ? workspace : join(workspace, repository)
}

/** What the reviews of a merge request say, read from its comments, oldest first. Inline comments, which have a path, are findings of a review and no review of their own. */
function verdictsOf(mergeRequest: BundleThread | undefined): readonly Verdict[] {
  const comments = mergeRequest?.comments ?? []
  const said = comments.filter((comment) => comment.path === undefined).flatMap(verdictOf)
  const findings = comments.some(
    (comment) => comment.path !== undefined && comment.in_reply_to === undefined && comment.bot,
  )
  return said.length === 0 && findings ? ['request_changes'] : said
}

function verdictOf(comment: BundleComment): readonly Verdict[] {
  const word = stated.exec(comment.body)?.[1]
  if (word !== undefined) return [/^approve/i.test(word) ? 'approve' : 'request_changes']
  if (!comment.bot) return []
  if (requests.test(comment.body)) return ['request_changes']
  return approves.test(comment.body) ? ['approve'] : []
}
