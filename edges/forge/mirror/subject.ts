/** One issue or merge request while nobody else of this process works on it: its rows, and what its actor is told. */
import type { Delivery } from '../../../runtime/runtime.ts'
import type { Queryable } from '../../../runtime/store/sql.ts'
import type { ForgeAccount, ForgeSubjectKind } from '../port.ts'
import type { FactsContext } from './facts/facts.ts'
import { createHistoryBudget, type HistoryBudget } from './history-budget.ts'
import type { MirrorOptions } from './options.ts'
import type { People } from './facts/people.ts'
import { readChecks, readThread } from './read-forge.ts'
import type { MirroredSubject, SubjectKey } from './facts/records.ts'
import { projectId, repositoryNamed } from '../projects.ts'
import { currentRepositoryKeys } from './places/places.ts'
import { openScope, takeInContext, type Scope } from './scope.ts'
import { createSerial } from './serial.ts'
import { boundAccounts } from './store/accounts.ts'
import { loadThread, markCommentsTold } from './store/comments.ts'
import { columnOf } from './store/places.ts'
import { claimRevision, isAnyMerged, loadSubject, markTold } from './store/subjects.ts'
import type { TakeInContext, Taken } from './take-in.ts'
import { loadThreads } from './task-words.ts'
import {
  commentNotifications,
  factsFor,
  factsNotification,
  subjectAddress,
  unnotified,
  type Facts,
} from './facts/notifications.ts'

/** Two processes meet once; who never gets its turn leaves it to whoever tried. */
const MOST_CLAIMS = 10

interface NotifyOptions {
  /** The key of a maintainer's wish to begin anew. */
  readonly retry?: string
  readonly also?: readonly Delivery[]
}

/** What was read or written of it is kept until it changes: whoever works on it holds its lock. */
export class Subject {
  readonly options: MirrorOptions
  readonly scope: Scope
  readonly key: SubjectKey
  /** Its thread was looked at, or its state changed: the Issues of its Task judge by it too. */
  concernsIssues = false
  #row: { readonly now: MirroredSubject | undefined } | undefined
  /** What the thread and the Task's other threads hold, and who people are. */
  #around: FactsContext | undefined

  constructor(options: MirrorOptions, scope: Scope, key: SubjectKey) {
    this.options = options
    this.scope = scope
    this.key = key
  }

  async row(): Promise<MirroredSubject | undefined> {
    this.#row ??= { now: await loadSubject(this.options.sql, this.key) }
    return this.#row.now
  }

  /** Changes its row in one transaction; `accounts` are those that the change names. */
  async take<Row extends MirroredSubject>(
    accounts: readonly ForgeAccount[],
    change: (tx: Queryable, context: TakeInContext) => Promise<Taken<Row>>,
  ): Promise<Taken<Row>> {
    const taken = await this.#change(accounts, change)
    this.#row = { now: taken.after }
    if (stateOf(taken.before) !== stateOf(taken.after)) this.concernsIssues = true
    return taken
  }

  /** Changes its thread in one transaction. */
  async takeWords(
    accounts: readonly ForgeAccount[],
    change: (tx: Queryable, context: TakeInContext) => Promise<unknown>,
  ): Promise<void> {
    await this.#change(accounts, change)
    this.concernsIssues = true
  }

  async #change<T>(
    accounts: readonly ForgeAccount[],
    change: (tx: Queryable, context: TakeInContext) => Promise<T>,
  ): Promise<T> {
    const { options, scope } = this
    this.#around = undefined
    return options.sql.tx(async (tx) => change(tx, await takeInContext(options, tx, scope, accounts)))
  }

  /** Its row as somebody who holds its lock has written it. */
  wrote(row: MirroredSubject): void {
    this.#row = { now: row }
  }

  async people(): Promise<People> {
    return (await this.#context()).people
  }

  /** Tells the actor what it doesn't know. */
  async notify({ retry, also = [] }: NotifyOptions = {}): Promise<void> {
    const row = await this.row()
    if (row === undefined) return
    const isPerhapsBehind = !row.complete || row.kind === 'mr'
    // Nobody asks the forge about what no actor is for.
    if (isPerhapsBehind && (mayBecomeWanted(row) || factsFor(row, await this.#context()) !== undefined)) {
      if (!row.complete) await readThread(this)
      if (row.kind === 'mr') await readChecks(this, false)
    }
    await this.#notifyFacts(retry)
    await this.#notifyComments()
    if ((await this.row())!.revision > 0) for (const delivery of also) await this.options.deliver(delivery)
  }

  async #notifyFacts(retry: string | undefined): Promise<void> {
    const { key, scope } = this
    const { sql, clock, deliver } = this.options
    const claimed = await this.#claim()
    if (claimed === undefined) return
    const { now, facts, isNews } = claimed
    const context = { project: scope.project }
    if (isNews) await deliver(factsNotification(now, facts, context, clock.now()))
    if (retry !== undefined && now.kind === 'issue') {
      const { event, to } = factsNotification(now, facts, context, clock.now())
      await deliver({ to, key: retry, event: { ...event, retry: true } })
    }
    if (!isNews) return
    await markTold(sql, key, now.revision, facts.hash)
    this.wrote({ ...now, factsHash: facts.hash })
  }

  /** What is to be told, under a number that no other telling has; facts that change meanwhile are of a later one. */
  async #claim(): Promise<
    { readonly now: MirroredSubject; readonly facts: Facts; readonly isNews: boolean } | undefined
  > {
    const { key } = this
    for (let attempt = 0; attempt < MOST_CLAIMS; attempt++) {
      const row = (await this.row())!
      const context = await this.#context()
      const facts = factsFor(row, context)
      if (facts === undefined) return undefined
      if (facts.hash === row.factsHash) return { now: row, facts, isNews: false }
      const now = await claimRevision(this.options.sql, key, row.revision + 1)
      if (now !== undefined) {
        this.wrote(now)
        return { now, facts: factsFor(now, context)!, isNews: true }
      }
      this.#row = undefined
      this.#around = undefined
    }
    throw new Error(
      `other processes keep notifying about ${key.kind} ${key.repository}#${key.number}: the mirror retries later`,
    )
  }

  async #notifyComments(): Promise<void> {
    const { key } = this
    const { sql, clock, deliver } = this.options
    const context = await this.#context()
    const open = unnotified(context.thread)
    if (open.length === 0) return
    // Another process may have given it an actor since.
    if ((await this.row())!.revision === 0) this.#row = undefined
    const row = (await this.row())!
    // Without an actor there is nobody to tell, and what it reads at its birth is the whole thread.
    if (row.revision > 0)
      for (const delivery of commentNotifications(row, context, clock.now())) await deliver(delivery)
    await markCommentsTold(
      sql,
      key,
      open.map((one) => one.comment.id),
      row.revision > 0,
    )
  }

  async #context(): Promise<FactsContext> {
    if (this.#around !== undefined) return this.#around
    const { project, repository } = this.scope
    const { sql, rules } = this.options
    const bound = await boundAccounts(sql, project.uid)
    const people = rules.people(project, repository, bound)
    const thread = await loadThread(sql, this.key)
    const elsewhere = await this.#elsewhere(bound)
    return (this.#around = { project, people, thread, judged: rules.judged, ...elsewhere })
  }

  /** What is said in a merge request of its Task is said about an issue too (LAW-24), and its merge is the issue's (APPROVAL-16). */
  async #elsewhere(bound: ReadonlyMap<string, string>): Promise<Pick<FactsContext, 'elsewhere' | 'mergedFor'>> {
    const { key, options, scope } = this
    if (key.kind !== 'issue') return {}
    const threads = (await options.threadsOf(subjectAddress(scope.project, key))) ?? []
    const threadRefs = threads.filter(({ kind }) => kind === 'mr')
    if (threadRefs.length === 0) return { elsewhere: [] }
    const known = await currentRepositoryKeys(options, scope.project)
    const elsewhere = await loadThreads({ ...options, known }, scope.project, threadRefs, bound)
    const task = threadRefs[0]?.task
    const keys = threadRefs.flatMap(({ repository, number }) => {
      const at = known.get(repository)
      return at === undefined ? [] : [{ ...at, number }]
    })
    const isMerged = task !== undefined && (await isAnyMerged(options.sql, key.project, keys))
    return { elsewhere, ...(isMerged ? { mergedFor: task } : {}) }
  }
}

function stateOf(row: MirroredSubject | undefined): string | undefined {
  return row?.kind === 'mr' ? row.mergeRequest.state : row?.issue.state
}

/** The thread may hold the mention that makes an open merge request ours to review. */
function mayBecomeWanted(row: MirroredSubject): boolean {
  return row.kind === 'mr' && row.mergeRequest.state === 'open' && !row.complete
}

export interface Subjects {
  readonly options: MirrorOptions
  readonly historyBudget: HistoryBudget
  /** Work on one subject at a time; different subjects run side by side. */
  withSubject<T>(
    scope: Scope,
    kind: ForgeSubjectKind,
    number: number,
    work: (subject: Subject) => Promise<T>,
  ): Promise<T>
}

export function createSubjects(options: MirrorOptions): Subjects {
  const serial = createSerial()
  const subjects: Subjects = {
    options,
    historyBudget: createHistoryBudget(options.clock),
    withSubject: async (scope, kind, number, work) => {
      const key: SubjectKey = { ...scope.repositoryKey, kind, number }
      const lockName = `${key.project}/${columnOf(key)}/${kind}/${number}`
      const subject = new Subject(options, scope, key)
      const result = await serial.run(lockName, () => work(subject))
      if (kind === 'mr' && subject.concernsIssues) await notifyIssues(subjects, scope, key)
      return result
    },
  }
  return subjects
}

/** Outside of the lock of the merge request: each Issue has its own. */
async function notifyIssues(subjects: Subjects, { project }: Scope, key: SubjectKey): Promise<void> {
  const { options } = subjects
  const threadRefs = (await options.threadsOf(subjectAddress(project, key))) ?? []
  for (const { kind, repository, number } of threadRefs) {
    if (kind !== 'issue' || repositoryNamed(project, repository) === undefined) continue
    const scope = await openScope(options, projectId(project), repository)
    await subjects.withSubject(scope, kind, number, (subject) => subject.notify())
  }
}
