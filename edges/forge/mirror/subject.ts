/** One issue or merge request while nobody else of this process works on it: its rows, and what its actor is told. */
import type { Delivery } from '../../../runtime/runtime.ts'
import type { Queryable } from '../../../runtime/store/sql.ts'
import type { ForgeAccount, ForgeSubjectKind } from '../port.ts'
import { issueFactsOf, type FactsContext } from './facts.ts'
import { readChecks, readThread } from './read-forge.ts'
import type { MirroredSubject, SubjectKey } from './records.ts'
import { projectId, repositoryNamed } from '../projects.ts'
import { openScope, takeInContext, type MirrorOptions, type Scope } from './scope.ts'
import { createSerial } from './serial.ts'
import { boundAccounts } from './store/accounts.ts'
import { loadThread, markCommentsTold } from './store/comments.ts'
import { claimRevision, loadSubject, markTold } from './store/subjects.ts'
import type { TakeInContext } from './take-in.ts'
import { loadThreads } from './task-words.ts'
import { commentTellings, factsTelling, subjectAddress, untold, type Telling } from './tell.ts'
import type { Thread } from './words.ts'

/** Two processes meet once; who never gets its turn leaves it to whoever tried. */
const MOST_CLAIMS = 10

export interface ToTell {
  /** The key of a maintainer's wish to begin anew. */
  readonly retry?: string
  readonly also?: readonly Delivery[]
}

interface Claimed {
  readonly now: MirroredSubject
  readonly context: FactsContext
  readonly telling: Telling
}

export class Subject {
  readonly options: MirrorOptions
  readonly scope: Scope
  readonly key: SubjectKey
  /** Its thread was looked at: the Issues of its Task judge by it too. */
  isRead = false

  constructor(options: MirrorOptions, scope: Scope, key: SubjectKey) {
    this.options = options
    this.scope = scope
    this.key = key
  }

  load(): Promise<MirroredSubject | undefined> {
    return loadSubject(this.options.sql, this.key)
  }

  /** Changes its rows in one transaction; `accounts` are those that the change names. */
  take<T>(
    accounts: readonly ForgeAccount[],
    change: (tx: Queryable, context: TakeInContext) => Promise<T>,
  ): Promise<T> {
    const { options, scope } = this
    return options.sql.tx(async (tx) => change(tx, await takeInContext(options, tx, scope, accounts)))
  }

  /** Tells the actor what it doesn't know. */
  async tell({ retry, also = [] }: ToTell = {}): Promise<void> {
    const row = await this.load()
    if (row === undefined) return
    await this.#tellFacts(row, retry)
    await this.#tellComments()
    if ((await this.load())!.revision > 0) for (const delivery of also) await this.options.deliver(delivery)
  }

  async #tellFacts(row: MirroredSubject, retry: string | undefined): Promise<void> {
    const { key, scope } = this
    const { sql, clock, deliver } = this.options
    const first = factsTelling(row, await this.#factsContext(), clock.now())
    if (first === undefined && !mayBecomeWanted(row)) return
    if (!row.complete) await readThread(this)
    if (row.kind === 'mr') await readChecks(this, false)
    const claimed = await this.#claimTelling()
    if (claimed === undefined) return
    const { now, context, telling } = claimed
    for (const delivery of telling.deliveries) await deliver(delivery)
    if (retry !== undefined && now.kind === 'issue') {
      const facts = { ...issueFactsOf(now, context), revision: telling.revision }
      const event = { type: 'issue.observed', at: clock.now(), facts, retry: true }
      await deliver({ to: subjectAddress(scope.project, key), key: retry, event })
    }
    await markTold(sql, key, telling.revision, telling.factsHash)
  }

  /** What is to be told, under a number that no other telling has; facts that change meanwhile are of a later one. */
  async #claimTelling(): Promise<Claimed | undefined> {
    const { key } = this
    const { sql, clock } = this.options
    for (let attempt = 0; attempt < MOST_CLAIMS; attempt++) {
      const now = (await this.load())!
      const context = await this.#factsContext()
      const telling = factsTelling(now, context, clock.now())
      if (telling === undefined) return undefined
      if (telling.deliveries.length === 0 || (await claimRevision(sql, key, telling.revision)))
        return { now, context, telling }
    }
    throw new Error(
      `other processes keep notifying about ${key.kind} ${key.repository}#${key.number}: the mirror retries later`,
    )
  }

  async #tellComments(): Promise<void> {
    const { key } = this
    const { sql, clock, deliver } = this.options
    const row = (await this.load())!
    const context = await this.#factsContext()
    const open = untold(context.thread)
    if (open.length === 0) return
    // Without an actor there is nobody to tell, and what it reads at its birth is the whole thread.
    if (row.revision > 0) for (const delivery of commentTellings(row, context, clock.now())) await deliver(delivery)
    await markCommentsTold(
      sql,
      key.project,
      key.repository,
      open.map((one) => one.comment.id),
      row.revision > 0,
    )
  }

  async #factsContext(): Promise<FactsContext> {
    const { project, repository } = this.scope
    const { sql, rules } = this.options
    const people = rules.people(project, repository, await boundAccounts(sql, project.name))
    const thread = await loadThread(sql, this.key)
    return { project, people, thread, judged: rules.judged, elsewhere: await this.#elsewhere() }
  }

  /** What is said in a merge request of its Task is said about an issue too (LAW-24). */
  async #elsewhere(): Promise<readonly Thread[]> {
    const { key, options, scope } = this
    if (key.kind !== 'issue') return []
    const places = await options.threadsOf(subjectAddress(scope.project, key))
    return loadThreads(
      options,
      scope.project,
      places.filter(({ kind }) => kind === 'mr'),
    )
  }
}

/** The thread may hold the mention that makes an open merge request ours to review. */
function mayBecomeWanted(row: MirroredSubject): boolean {
  return row.kind === 'mr' && row.mergeRequest.state === 'open' && !row.complete
}

export interface Subjects {
  readonly options: MirrorOptions
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
    withSubject: async (scope, kind, number, work) => {
      const key: SubjectKey = { project: scope.project.name, repository: scope.repository.name, kind, number }
      const place = `${key.project}/${key.repository}/${kind}/${number}`
      const subject = new Subject(options, scope, key)
      const result = await serial.run(place, () => work(subject))
      if (kind === 'mr' && subject.isRead) await tellIssues(subjects, scope, key)
      return result
    },
  }
  return subjects
}

/** Outside of the lock of the merge request: each Issue has its own. */
async function tellIssues(subjects: Subjects, { project }: Scope, key: SubjectKey): Promise<void> {
  const { options } = subjects
  const places = await options.threadsOf(subjectAddress(project, key))
  for (const { kind, repository, number } of places) {
    if (kind !== 'issue' || repositoryNamed(project, repository) === undefined) continue
    const scope = await openScope(options, projectId(project), repository)
    await subjects.withSubject(scope, kind, number, (subject) => subject.tell())
  }
}
