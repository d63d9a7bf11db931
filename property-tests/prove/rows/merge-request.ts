/** The rows of a merge request (HEAD and MERGE, docs/rules.md). */
import { newMergeRequest, type MergeRequestContext } from '../../../machines/merge-request/context.ts'
import type { MergeRequestEvent, MergeRequestFacts } from '../../../machines/merge-request/events.ts'
import { taskName } from '../../../machines/rules/names.ts'
import type { Snapshot } from '../../machines/world/trace.ts'
import { Asking, type Mutable, type Rows } from './draft.ts'

type EventOf<T extends MergeRequestEvent['type']> = Extract<MergeRequestEvent, { type: T }>

class MergeRequestDraft extends Asking {
  readonly c: Mutable<MergeRequestContext>
  state: string

  constructor(before: Snapshot | undefined, id: string) {
    super()
    this.c = { ...(before ? (before.context as MergeRequestContext) : newMergeRequest(id)) }
    this.state = before ? String(before.value) : 'open'
  }

  get isJudged(): boolean {
    return this.state === 'verdictPosted' || this.state === 'merging'
  }

  tellOwner(type: string, fields: object = {}, owner = this.c.owner): void {
    const { repository, number } = this.c.facts!
    this.tell(`task:${owner}`, type, { repository, number, ...fields })
  }

  tellHead(owner = this.c.owner): void {
    const { headSha: sha, headByBot: byOwnPod, pushedByGated: gated, pushedBy: author } = this.c.facts!
    this.tellOwner('mr.headMoved', { sha, ...baseNamed(this.c.facts!), byOwnPod, gated, author }, owner)
  }

  tellEnd(owner: string): void {
    const { state, headSha: sha, mergeCommit = '' } = this.c.facts!
    if (state === 'merged') this.tellOwner('mr.merged', { sha, mergeCommit }, owner)
    if (state === 'closed') this.tellOwner('mr.closed', {}, owner)
  }
}

/** An older telling has no base for its owner [R11]. */
const baseNamed = ({ base }: MergeRequestFacts): object => (base === undefined ? {} : { base })

/** On one head against one base, open, and never of a draft. */
function isVoid(before: MergeRequestFacts | null, facts: MergeRequestFacts): boolean {
  const named = ({ headSha, baseBranch, state }: MergeRequestFacts): string => [headSha, baseBranch, state].join('\n')
  return facts.draft || (before !== null && named(before) !== named(facts))
}

function tellChanges(m: MergeRequestDraft, before: MergeRequestFacts | null, withChecks: boolean): void {
  const facts = m.c.facts!
  if (m.c.owner === '') return
  if (facts.state !== before?.state) {
    m.tellEnd(m.c.owner)
    if (before && facts.state === 'open') m.tellOwner('mr.reopened', { sha: facts.headSha, ...baseNamed(facts) })
  }
  if (facts.state !== 'open') return
  const isRebased = facts.base !== undefined && before !== null && facts.baseBranch !== before.baseBranch
  if (facts.headSha !== before?.headSha || isRebased) m.tellHead()
  if (!withChecks) return
  const wasRed = before?.headSha === facts.headSha && before.ci === 'failure'
  if (facts.ci === 'failure' && !wasRed) m.tellOwner('forge.event', { author: '', kind: 'ci', text: 'words' })
  if (facts.mergeable === false && before?.mergeable !== false)
    m.tellOwner('forge.event', { author: '', kind: 'merge_conflict', text: 'words' })
}

function observed(m: MergeRequestDraft, { facts }: EventOf<'mr.observed'>): void {
  if (m.state === 'merged') return
  const before = m.c.facts
  if (before?.revision !== undefined && facts.revision !== undefined && before.revision > facts.revision) return
  const from = m.state
  const voids = isVoid(before, facts)
  m.c.facts = facts
  if (voids && facts.state !== 'merged') m.c.verdict = null
  const isPushed = before !== null && before.headSha !== facts.headSha && !facts.headByBot && facts.pushedByGated
  const isReopened = before?.state === 'closed' && facts.state === 'open'
  if (isPushed || isReopened) m.c.held = false
  if (facts.state !== 'open') m.state = facts.state
  else if (voids || m.state === 'closed') m.state = 'open'
  const isAsked = from === 'merging' && m.state === 'merging'
  tellChanges(m, before, !isAsked)
}

type Pair = Partial<Pick<MergeRequestFacts, 'headSha' | 'baseBranch'>>

function isPair(one: Pair, { headSha, base }: MergeRequestFacts): boolean {
  return one.headSha === headSha && one.baseBranch === base
}

/** The newest owner holds [LAW-23]; what it may not know it is told. */
function owned(m: MergeRequestDraft, { task }: EventOf<'mr.owned'>): void {
  const { facts, mint } = m.c
  if (task === m.c.owner) return
  const isMinted = mint?.task === task
  if (facts) m.tellEnd(task)
  if (facts?.state === 'open' && !(isMinted && isPair(mint, facts))) m.tellHead(task)
  Object.assign(m.c, { owner: task, held: false, verdict: null }, isMinted ? { mint: null } : {})
  if (m.isJudged) m.state = 'open'
}

function released(m: MergeRequestDraft, { task }: EventOf<'mr.released'>): void {
  if (m.isJudged && task !== m.c.owner) return
  if (m.isJudged) m.state = 'open'
  if (task === m.c.mint?.task) return void Object.assign(m.c, { mint: null, held: true })
  if (task === m.c.owner) Object.assign(m.c, { owner: '', held: true, urged: false, verdict: null })
}

function handedOver(m: MergeRequestDraft, { task, to, entry }: EventOf<'mr.handedOver'>): void {
  if (task !== m.c.owner) return
  if (m.isJudged) m.state = 'open'
  const { headSha = '', base } = m.c.facts ?? {}
  const mint = { task: to, entry, headSha, ...(base === undefined ? {} : { baseBranch: base }), shared: true }
  Object.assign(m.c, { owner: '', verdict: null, mint, mints: m.c.mints + 1 })
}

/** Open, wanted or ours, and nobody looks at it. */
function offered(m: MergeRequestDraft, { headSha }: EventOf<'mr.offered'>): void {
  const { facts, owner, mint, held, cancelled } = m.c
  if (m.state !== 'open' || facts === null || facts.state !== 'open' || facts.draft) return
  const isOurs = facts.headBranch.startsWith('platform/')
  if (owner !== '' || mint || !held || !(facts.wanted || isOurs)) return
  if (facts.headSha === headSha && headSha !== cancelled) Object.assign(m.c, { held: false, offered: headSha })
}

function commanded(m: MergeRequestDraft, event: EventOf<'mr.command'>): void {
  const { command, by, headSha, amount = 0, commentId = '' } = event
  const { owner, facts } = m.c
  if (m.state === 'merged') return
  if (command === 'cancel') m.c.cancelled = headSha
  if (owner === '') {
    if (command === 'retry') Object.assign(m.c, { held: false, urged: true })
    if (command === 'cancel') m.c.held = true
    return
  }
  if (command === 'retry') return m.tell(`task:${owner}`, 'task.retry', { by })
  if (command === 'cancel') return m.tell(`task:${owner}`, 'task.close', { by, reason: 'cancelled' })
  if (facts === null) return
  const { repository, number } = facts
  if (command === 'takeover') return m.tellOwner('takeover.accepted', { by, commentId })
  if (command === 'goAhead')
    return m.tell(`task:${owner}`, 'mr.goAhead', {
      by,
      shas: [{ repository, number, sha: headSha, ...baseNamed(facts) }],
      ...('kind' in event ? { kind: event.kind } : {}),
      ...('text' in event ? { text: event.text } : {}),
    })
  const { project, tokensPerTurn } = facts.config
  if (tokensPerTurn === undefined) m.tell(`task:${owner}`, 'budget.refused', { by, amount, left: 0 })
  else m.tell(`ledger:${project}`, 'raise.asked', { task: owner, by, amount })
}

function commented(m: MergeRequestDraft, event: EventOf<'mr.commented'>): void {
  const { author, maintainer, text, kind } = event
  if (m.state === 'merged' || m.c.facts === null) return
  if (m.c.owner === '') return void Object.assign(m.c, { held: false, urged: true })
  m.tellOwner('human.commented', { author, kind, maintainer, on: 'mr', text })
}

function heard(m: MergeRequestDraft, { author, kind, text }: EventOf<'mr.event'>): void {
  if (m.state === 'merged' || m.c.facts === null || m.c.owner === '') return
  m.tellOwner('forge.event', { author, kind, ...(text === undefined ? {} : { text }) })
}

/** Only the owner's word counts, and only on the head that stands. */
function isOnHead(m: MergeRequestDraft, { task, sha }: { readonly task: string; readonly sha: string }): boolean {
  const { facts, owner } = m.c
  return task === owner && (facts === null || (facts.headSha === sha && !facts.draft))
}

function judged(m: MergeRequestDraft, event: EventOf<'verdict.posted'>): boolean {
  const { task, sha, verdict: value, at } = event
  if (m.state !== 'open' && m.state !== 'verdictPosted') return false
  if (!isOnHead(m, event)) return false
  m.c.verdict = { task, sha, value, at }
  m.state = 'verdictPosted'
  return true
}

function asked(m: MergeRequestDraft, event: EventOf<'merge.asked'>): boolean {
  if ((m.state !== 'open' && m.state !== 'verdictPosted') || event.task !== m.c.owner) return false
  if (isOnHead(m, event)) {
    m.state = 'merging'
    return false
  }
  m.tellHead()
  return true
}

/** One entry at most, and only while nobody owns it. */
function mintOrNot(m: MergeRequestDraft): void {
  const { facts, mint, owner, held, urged, mints, id } = m.c
  const isWanted = facts !== null && facts.state === 'open' && (facts.wanted || m.c.offered === facts.headSha)
  const wants = isWanted && owner === '' && !held
  if (!facts || mint?.shared || wants === (mint !== null)) return
  if (mint) {
    m.c.mint = null
    return m.tell(`queue:${facts.config.project}`, 'queue.withdraw', { entry: mint.entry })
  }
  const [namespace = ''] = id.split('/')
  const { repository, number, headSha, headBranch, base, author, url, config } = facts
  const into = base === undefined ? {} : { baseBranch: base }
  const task = `${namespace}/${taskName('review', repository, number, `${id}/${mints}`)}`
  const priority = urged ? 20 : 60
  const entry = `mint/${task}`
  Object.assign(m.c, { mint: { task, entry, headSha, ...into }, mints: mints + 1 })
  m.tell(`queue:${config.project}`, 'queue.enqueue', {
    ...{ entry, sort: 'mint', task, class: 'normal', priority, kind: 'review' },
    seed: {
      ...{ kind: 'review', goal: 'words', repositories: [repository], issues: [], priority, config },
      mergeRequests: [{ repository, number, mergeRequest: id, headSha, headBranch, ...into, author, url }],
      origin: { kind: 'webhook', ref: url },
    },
  })
}

type Handler = (m: MergeRequestDraft, event: never) => unknown

const handlers: Readonly<Record<string, Handler>> = {
  'mr.observed': observed,
  'mr.owned': owned,
  'mr.released': released,
  'mr.handedOver': handedOver,
  'mr.offered': offered,
  'mr.command': commanded,
  'mr.commented': commented,
  'mr.event': heard,
  'verdict.posted': judged,
  'merge.asked': asked,
  'merge.left': (m: MergeRequestDraft, { task }: EventOf<'merge.left'>) => {
    if (!m.isJudged || task !== m.c.owner) return
    m.state = 'open'
    m.c.verdict = null
  },
}

export const mergeRequestRows: Rows = (before, event, id) => {
  const m = new MergeRequestDraft(before, id)
  const isAtAnEnd = m.state === 'merged'
  handlers[event.type]?.(m, event as never)
  const isSilent = event.type === 'effect.failed' || (isAtAnEnd && /observed|commented|event|command/.test(event.type))
  if (!isSilent) mintOrNot(m)
  return { leaves: [m.state], context: m.c, effects: m.effects, timers: [] }
}
