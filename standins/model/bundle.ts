/** What the context bundle of a turn says, as data (BUNDLE and EVENTS, docs/contract/tools.md). */
import { childrenNamed, childText, findAll, readMarkup, type Element } from './markup.ts'

export interface BundleComment {
  readonly author: string
  readonly at: string
  readonly bot: boolean
  readonly external_id: string
  readonly path?: string
  readonly line?: number
  readonly in_reply_to?: string
  readonly body: string
}

export interface BundleThread {
  readonly repo: string
  readonly number: number
  readonly state: string
  readonly status: string
  readonly url: string
  readonly title: string
  readonly author: string
  readonly body: string
  readonly comments: readonly BundleComment[]
}

export interface BundleMergeRequest extends BundleThread {
  readonly ci: string
  readonly mergeable: string
  readonly head_branch: string
  readonly head_sha: string
}

export interface BundleNote {
  readonly agent: string
  readonly at: string
  readonly kind: string
  readonly source: string
  /** The contract gives a note no id; kept for a renderer that adds one. */
  readonly id?: string
  readonly body: string
}

export interface BundleEvent {
  readonly kind: string
  readonly repo: string
  readonly number?: number
  readonly author: string
  readonly at: string
  readonly text: string
}

export interface Bundle {
  readonly task: string
  readonly kind: string
  readonly stage: string
  readonly agent: string
  readonly project: string
  readonly issues: readonly BundleThread[]
  readonly mergeRequests: readonly BundleMergeRequest[]
  readonly events: readonly BundleEvent[]
  readonly notes: readonly BundleNote[]
  /** What the orchestrator asks for, after the root element: its own words, not the forge's. */
  readonly assignment: string
}

/** Undefined when the prompt holds no bundle: a turn may consist of an instruction alone. */
export function readBundle(prompt: string): Bundle | undefined {
  const document = readMarkup(prompt)
  const root = findAll(document, 'task_context')[0]
  if (root === undefined) return undefined
  const attributes = root.attributes
  return {
    task: attributes['task'] ?? '',
    kind: attributes['kind'] ?? '',
    stage: attributes['stage'] ?? '',
    agent: attributes['agent'] ?? '',
    project: attributes['project'] ?? '',
    issues: childrenNamed(root, 'issue').map(thread),
    mergeRequests: childrenNamed(root, 'merge_request').map(mergeRequest),
    events: findAll(document, 'event').map(event),
    notes: childrenNamed(root, 'notes').flatMap((list) => childrenNamed(list, 'note').map(note)),
    assignment: assignmentOf(prompt),
  }
}

function thread(element: Element): BundleThread {
  const { attributes } = element
  return {
    repo: attributes['repo'] ?? '',
    number: Number(attributes['number'] ?? Number.NaN),
    state: attributes['state'] ?? '',
    status: attributes['status'] ?? '',
    url: attributes['url'] ?? '',
    title: childText(element, 'title'),
    author: childText(element, 'author'),
    body: childText(element, 'body'),
    comments: childrenNamed(element, 'comments').flatMap((list) => childrenNamed(list, 'comment').map(comment)),
  }
}

function mergeRequest(element: Element): BundleMergeRequest {
  const { attributes } = element
  return {
    ...thread(element),
    ci: attributes['ci'] ?? '',
    mergeable: attributes['mergeable'] ?? '',
    head_branch: attributes['head_branch'] ?? '',
    head_sha: attributes['head_sha'] ?? '',
  }
}

function comment(element: Element): BundleComment {
  const { attributes } = element
  return {
    author: attributes['author'] ?? '',
    at: attributes['at'] ?? '',
    bot: attributes['bot'] === 'true',
    external_id: attributes['external_id'] ?? '',
    ...(attributes['path'] ? { path: attributes['path'] } : {}),
    ...(attributes['line'] ? { line: Number(attributes['line']) } : {}),
    ...(attributes['in_reply_to'] ? { in_reply_to: attributes['in_reply_to'] } : {}),
    body: childrenNamed(element, 'body')[0]?.text.trim() ?? element.text.trim(),
  }
}

function event(element: Element): BundleEvent {
  const { attributes } = element
  return {
    kind: attributes['kind'] ?? '',
    repo: attributes['repo'] ?? '',
    ...(attributes['number'] ? { number: Number(attributes['number']) } : {}),
    author: attributes['author'] ?? '',
    at: attributes['at'] ?? '',
    text: element.text.trim(),
  }
}

function note(element: Element): BundleNote {
  const { attributes } = element
  return {
    agent: attributes['agent'] ?? '',
    at: attributes['at'] ?? '',
    kind: attributes['kind'] ?? '',
    source: attributes['source'] ?? '',
    ...(attributes['id'] ? { id: attributes['id'] } : {}),
    body: element.text.trim(),
  }
}

/** The last heading counts: forge text inside the bundle may hold the same words. */
function assignmentOf(prompt: string): string {
  const after = prompt.slice(Math.max(0, prompt.lastIndexOf('</task_context>')))
  const heading = after.indexOf('## Your assignment')
  return heading < 0
    ? ''
    : after
        .slice(heading)
        .replace(/<\/pasted_content[^>]*>\s*$/, '')
        .trim()
}
