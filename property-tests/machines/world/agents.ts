/** Agents in their pods: what they call, with what they could have read. They obey nobody. */
import { isOwnText } from '../../../edges/forge/mirror/facts/hands.ts'
import { sameLogin } from '../../../machines/rules/logins.ts'
import { mayMerge } from '../../../machines/rules/may-merge.ts'
import { judgeComment } from '../../../machines/rules/approval-grammar.ts'
import type { TaskContext } from '../../../machines/task/context.ts'
import type { ApprovalClaim, LiveHead } from '../../../machines/task/events.ts'
import type { Actors } from './actors.ts'
import type { Forge, IssueSubject } from './forge.ts'
import { botLogin, type Login } from './people.ts'
import type { Process, Processes, ReadHead } from './processes.ts'
import { taskIn } from './trace.ts'

/** Kinds that change no code. */
const concluding: ReadonlySet<string> = new Set(['brainstorm', 'incident', 'refine'])

/** What the agents of one Task wrote down for each other. */
interface Memory {
  plan: { readonly id: string; readonly hash: string } | null
  hasClaimed: boolean
  issues: TaskContext['forge']['issues']
}

export class Agents {
  readonly #actors: Actors
  readonly #forge: Forge
  readonly #processes: Processes
  readonly #memories = new Map<string, Memory>()
  #calls = 0

  constructor(actors: Actors, forge: Forge, processes: Processes) {
    this.#actors = actors
    this.#forge = forge
    this.#processes = processes
  }

  /** The same moment again. */
  fork(actors: Actors, forge: Forge, processes: Processes): Agents {
    const other = new Agents(actors, forge, processes)
    for (const [task, memory] of this.#memories) other.#memories.set(task, { ...memory })
    other.#calls = this.#calls
    return other
  }

  /** What the agents of a Task know, as text: two worlds that differ here may go on differently. */
  get memories(): string {
    return JSON.stringify([...this.#memories].map(([task, { plan, hasClaimed }]) => [task, plan, hasClaimed]))
  }

  #memory(task: string): Memory {
    const known = this.#memories.get(task) ?? { plan: null, hasClaimed: false, issues: [] }
    this.#memories.set(task, known)
    return known
  }

  /** The bundle that turn 0 shows. */
  brief(process: Process): void {
    const memory = this.#memory(process.task)
    if (memory.issues.length === 0) memory.issues = this.#task(process)?.forge.issues ?? []
  }

  #task({ task }: Process): TaskContext | undefined {
    const snapshot = this.#actors.snapshot(`task:${task}`)
    return snapshot && taskIn(snapshot)
  }

  #name(prefix: string): string {
    this.#calls += 1
    return `${prefix}-${this.#calls}`
  }

  note(process: Process, kind: 'plan' | 'handoff'): void {
    const id = this.#name('note')
    const body = `${kind} ${id}`
    if (kind === 'plan')
      Object.assign(this.#memory(process.task), { plan: { id, hash: `hash-${id}` }, hasClaimed: false })
    this.#processes.call(process, {
      type: 'note.written',
      pod: process.ordinal,
      id,
      kind,
      body,
      bodyHash: `hash-${id}`,
    })
  }

  ask(process: Process): void {
    this.#processes.call(process, { type: 'agent.asked', pod: process.ordinal, repository: 'lib', number: 1 })
  }

  /** The open merge requests of the Task as the forge has them in the call: what the edge adds to every verdict. */
  heads(process: Process): readonly LiveHead[] {
    const owned = this.#task(process)?.forge.mergeRequests.filter(({ state }) => state === 'open') ?? []
    return owned.flatMap(({ repository, number }) => {
      const row = this.#forge.mergeRequest(repository, number)?.row.mergeRequest
      if (!row) return []
      const author = row.author.login
      const policy = { botLogin, maintainerLogins: ['maya'], adoptBranchPrefix: '', upgradeEngineLogins: [] }
      return [
        {
          repository,
          number,
          sha: row.headSha,
          base: row.baseBranch,
          draft: row.draft,
          author,
          foreign: [...(this.#forge.foreign.get(row.headSha) ?? [])],
          authorMayMerge: mayMerge({ author, headBranch: row.headBranch }, policy),
        },
      ]
    })
  }

  #outcome(
    process: Process,
    action: string,
    payload: Readonly<Record<string, unknown>>,
    claims: readonly ApprovalClaim[] = [],
    facts: Readonly<Record<string, unknown>> = {},
  ): void {
    const outcomeId = this.#name('outcome')
    this.#processes.call(process, {
      type: 'outcome',
      pod: process.ordinal,
      outcomeId,
      digest: `${action}-${outcomeId}`,
      kind: process.kind,
      action,
      payload,
      claims,
      heads: this.heads(process),
      workspaceClean: process.isClean,
      ...facts,
    })
  }

  /** The same body again, because its answer was lost. */
  repeat(process: Process, index: number): void {
    const sent = process.sent[index % Math.max(1, process.sent.length)]
    if (sent) this.#processes.call(process, sent)
  }

  /** Cites the newest comment of `by` on each issue, as the edge would verify it; without one, a comment that is not there. */
  claim(process: Process, by: Login): void {
    const memory = this.#memory(process.task)
    const claims = memory.issues.map(({ issue, repository, number }) =>
      claimOf(issue, this.#forge.issue(repository, number), by),
    )
    memory.hasClaimed = true
    const planNote = memory.plan?.id ?? 'no-plan'
    this.#outcome(process, 'approved', { reason: 'approved', plan_note_id: planNote, approving_maintainer: by }, claims)
  }

  /** Without a citation: a grant to the platform's own wish, if there is one. */
  claimSelf(process: Process): void {
    const memory = this.#memory(process.task)
    memory.hasClaimed = true
    const claims = memory.issues.map(({ issue }) => ({ issue }))
    this.#outcome(process, 'approved', { reason: 'self', plan_note_id: memory.plan?.id ?? 'no-plan' }, claims)
  }

  commit(process: Process): void {
    process.hasCommits = true
  }

  submit(process: Process, level: 'patch' | 'major' = 'patch'): void {
    const order = process.repositories.length > 1 ? { merge_order: process.repositories.map(({ name }) => name) } : {}
    this.#outcome(process, 'submitted', { title: 'Do it', body: 'It is done.', change_significance: level, ...order })
  }

  stop(process: Process, action: 'rejected' | 'declined' | 'discuss'): void {
    const reason = 'because'
    this.#outcome(process, action, action === 'declined' ? { decline_reason: reason } : { reason })
  }

  /** The end of a kind that changes no code. */
  conclude(process: Process, isMeagre = false): void {
    if (process.kind === 'brainstorm') this.#propose(process, isMeagre)
    if (process.kind === 'incident')
      this.#outcome(process, isMeagre ? 'false_positive' : 'file_issue', {
        alert_rules: ['rule'],
        reason: 'because',
        issue: { repo: 'lib', title: 'Broken', body: 'It is.' },
      })
    if (process.kind === 'refine') this.#refine(process, isMeagre)
  }

  #propose(process: Process, isMeagre: boolean): void {
    const proposals = [{ repo: 'lib', title: this.#name('idea'), body: 'Do it.', kind: 'improvement' }]
    const action = isMeagre ? 'skip' : 'propose'
    this.#outcome(process, action, isMeagre ? { reason: 'nothing' } : { proposals }, [], {
      proposals: { left: 3, filed: [] },
    })
  }

  /** Folds every implement Task that it can see; whether one may, the member says itself. */
  #refine(process: Process, isMeagre: boolean): void {
    const members = isMeagre ? [] : this.#actors.known('task').filter((task) => task.includes('/implement-'))
    const closes = isMeagre ? [{ repo: 'lib', number: 1, reason: 'done' }] : []
    this.#outcome(process, 'refine', { folds: members.map((task) => ({ task })), closes }, [], {
      members: members.map((task) => ({ task, state: 'free' })),
    })
  }

  /** `isStale`: on the heads that it read when it began. */
  review(process: Process, verdict: 'approve' | 'request_changes', isStale = false): void {
    const now: readonly ReadHead[] = this.heads(process).map(({ repository, number, sha }) => ({
      repo: repository,
      number,
      sha,
    }))
    const findings =
      verdict === 'approve'
        ? []
        : now.map(({ repo, number }) => ({ repo, number, body: 'off by one', severity: 'high' }))
    this.#outcome(process, verdict, { reviewed_shas: isStale ? process.read : now, findings })
  }

  /** The next thing that an honest agent would do; false when it can only wait. */
  work(process: Process): boolean {
    if (process.hasDecided || !this.#processes.running(process)) return false
    const memory = this.#memory(process.task)
    if (process.kind === 'review') this.review(process, 'approve')
    else if (concluding.has(process.kind)) this.conclude(process)
    else if (memory.issues.length > 0 && !memory.plan) return this.#did(() => this.note(process, 'plan'))
    else if (memory.issues.length > 0 && !memory.hasClaimed)
      return this.#isApproved(memory) && this.#did(() => this.claim(process, 'maya'))
    else if (!process.hasPushed && !process.hasCommits) return this.#did(() => this.commit(process))
    else this.submit(process)
    process.hasDecided = true
    return true
  }

  #did(act: () => void): true {
    act()
    return true
  }

  #isApproved({ issues }: Memory): boolean {
    return issues.every(({ repository, number }) => newest(this.#forge.issue(repository, number), 'maya') !== undefined)
  }

  /** A plan stands, and the maintainer has not said a word since. */
  waitsForApproval(process: Process): readonly IssueSubject[] {
    const { plan, hasClaimed, issues } = this.#memory(process.task)
    if (!plan || hasClaimed) return []
    return issues.flatMap(({ repository, number }) => {
      const subject = this.#forge.issue(repository, number)
      const word = newest(subject, 'maya')
      return subject && !(word && isOwnText(word)) ? [subject] : []
    })
  }
}

function newest(subject: IssueSubject | undefined, by: Login): IssueSubject['thread'][number] | undefined {
  return subject?.thread.findLast(
    ({ comment, deletedAt }) =>
      comment.author.login === by && deletedAt === undefined && judgeComment(comment.body) === 'approves',
  )
}

function claimOf(issue: string, subject: IssueSubject | undefined, by: Login): ApprovalClaim {
  const cited = newest(subject, by)
  if (!cited) return { issue, approvingMaintainer: by, refusedBy: 'comment-exists' }
  const { id, author, body } = cited.comment
  const citation = { commentId: id, author: author.login, quote: body, span: body, bodyHash: cited.bodyHash }
  const refusedBy = sameLogin(by, 'maya') ? {} : { refusedBy: 'author-is-maintainer' }
  return { issue, approvingMaintainer: by, citation, ...refusedBy }
}
