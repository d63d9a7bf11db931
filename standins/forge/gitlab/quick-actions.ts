/**
 * What GitLab does with lines of a text that begin with `/` (docs.gitlab.com, "GitLab quick actions"): it takes every name
 * that it knows out of the text, also where the thread cannot do it, and obeys those that its author may. A comment of which nothing is left is
 * not kept: on an issue `/approve` is gone, and nobody sees it.
 */
import { addIssueLabels, removeIssueLabel } from '../store/issue-labels.ts'
import { editIssue } from '../store/issues.ts'
import { mergePull } from '../store/merge.ts'
import { setDraft } from '../store/pulls.ts'
import { isPull, type Actor, type Issue, type Pull, type Repository } from '../store/records.ts'
import { Refusal } from '../store/refusal.ts'
import { createReview, dismissReview } from '../store/reviews.ts'
import type { World } from '../store/world.ts'

export interface QuickAction {
  readonly name: string
  readonly argument: string
}

export interface Extracted {
  /** The text without them. */
  readonly text: string
  readonly actions: readonly QuickAction[]
}

/** Those of its manual. */
const names = new Set(
  (
    'add_contacts approve assign assign_reviewer award cc child_epic clear_health_status clear_weight clone close confidential copy_metadata ' +
    'create_merge_request done draft due duplicate epic estimate estimate_time health_status invite_email iteration label labels link lock merge ' +
    'milestone move page parent_epic promote promote_to_incident publish ready reassign reassign_reviewer rebase relabel relate remove_child_epic ' +
    'remove_contacts remove_due_date remove_epic remove_estimate remove_iteration remove_label remove_milestone remove_parent_epic ' +
    'remove_reviewer remove_time_spent remove_zoom reopen request_changes request_review reviewer severity shrug spend spend_time submit_review ' +
    'subscribe tableflip target_branch timeline title todo type unapprove unassign unassign_reviewer unlabel unlock unsubscribe weight zoom'
  ).split(' '),
)

const command = /^\/([a-z_]+)(?: (.*))?$/i

/** Nothing is obeyed in a fenced block, between two `>>>`, and in an HTML block. */
const blocks = [
  { begin: /^```/, end: /^```$/ },
  { begin: /^>>>/, end: /^>>>$/ },
  { begin: /^<[^>]+>$/, end: /^<\/[^>]+>$/ },
] as const

export function extractQuickActions(text: string): Extracted {
  const lines = text.replaceAll('\r', '').split('\n')
  const kept: string[] = []
  const actions: QuickAction[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const block = blocks.find(({ begin }) => begin.test(line))
    const end = block === undefined ? -1 : lines.findIndex((one, index) => index > at && block.end.test(one))
    if (end > at) {
      kept.push(...lines.slice(at, end + 1))
      at = end
      continue
    }
    const [, name, argument] = command.exec(line.trimEnd()) ?? []
    if (name !== undefined && names.has(name.toLowerCase()))
      actions.push({ name: name.toLowerCase(), argument: argument?.trim() ?? '' })
    else kept.push(line)
  }
  return { text: actions.length === 0 ? text : kept.join('\n').trimEnd(), actions }
}

interface Scene {
  readonly world: World
  readonly repository: Repository
  readonly actor: Actor
}

/** Of a request that brings a text: the text without them in its place, and what they ask for. */
export function takeQuickActions(input: Record<string, unknown>): Extracted | undefined {
  const field = ['body', 'description'].find((name) => typeof input[name] === 'string')
  if (field === undefined) return undefined
  const extracted = extractQuickActions(input[field] as string)
  input[field] = extracted.text
  return extracted
}

/** What its author may not do, and what the thread cannot, is not done. */
export async function obeyQuickActions(scene: Scene, thread: Issue, actions: readonly QuickAction[]): Promise<void> {
  for (const action of actions) {
    try {
      await (isPull(thread) && ofMergeRequests[action.name] !== undefined
        ? ofMergeRequests[action.name]!(scene, thread, action.argument)
        : ofThreads[action.name]?.(scene, thread, action.argument))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  }
}

type Obey<Thread> = (scene: Scene, thread: Thread, argument: string) => unknown

const ofThreads: Readonly<Record<string, Obey<Issue>>> = {
  close: ({ world, repository, actor }, thread) => editIssue(world, repository, actor, thread, { state: 'closed' }),
  reopen: ({ world, repository, actor }, thread) => editIssue(world, repository, actor, thread, { state: 'open' }),
  title: ({ world, repository, actor }, thread, title) => editIssue(world, repository, actor, thread, { title }),
  label: ({ world, repository, actor }, thread, labels) =>
    addIssueLabels(world, repository, actor, thread, labelsIn(labels)),
  labels: ({ world, repository, actor }, thread, labels) =>
    addIssueLabels(world, repository, actor, thread, labelsIn(labels)),
  unlabel({ world, repository, actor }, thread, labels) {
    for (const label of labelsIn(labels)) removeIssueLabel(world, repository, actor, thread, label)
  },
}

const ofMergeRequests: Readonly<Record<string, Obey<Pull>>> = {
  approve: ({ world, repository, actor }, pull) => createReview(world, repository, actor, pull, { event: 'APPROVE' }),
  request_changes: ({ world, repository, actor }, pull) =>
    createReview(world, repository, actor, pull, { event: 'REQUEST_CHANGES', body: '' }),
  unapprove({ world, repository, actor }, pull) {
    const own = [...pull.reviews.values()].filter(({ author, state }) => author === actor.user && state === 'APPROVED')
    for (const review of own) dismissReview(world, repository, actor, pull, review, 'Unapproved')
  },
  draft: ({ world, repository, actor }, pull) => setDraft(world, repository, actor, pull, true),
  ready: ({ world, repository, actor }, pull) => setDraft(world, repository, actor, pull, false),
  merge: ({ world, repository, actor }, pull) => mergePull(world, repository, actor, pull, {}),
}

/** `~one ~"of two words"`, or names with a blank between. */
function labelsIn(argument: string): string[] {
  return [...argument.matchAll(/~?(?:"([^"]+)"|([^\s~"]+))/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
}
