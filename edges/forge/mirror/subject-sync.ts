/** What every way into the mirror shares: the scope of a call, reading a subject from the forge, telling its actor. */
import { TerminalError } from '../../../runtime/errors.ts'
import type { Queryable } from '../../../runtime/store/sql.ts'
import type { Delivery } from '../../../runtime/runtime.ts'
import type { ForgeAccount, ForgeComment, ForgePort, ForgeSubjectKind } from '../port.ts'
import { bareName, forgePath, repositoryNamed, type ProjectSettings, type RepositorySettings } from '../projects.ts'
import type { MirrorOptions } from './mirror.ts'
import type { MergeRequestNotes, MirroredMergeRequest, MirroredSubject, SubjectKey } from './records.ts'
import { createSerial } from './serial.ts'
import { bindAccount, boundAccounts } from './store/accounts.ts'
import { loadThread, markCommentsTold, markDeleted } from './store/comments.ts'
import { markHasChecks } from './store/cursors.ts'
import { claimRevision, loadSubject, markComplete, markTold, upsertSubject } from './store/subjects.ts'
import { takeInComment, takeInIssue, takeInMergeRequest, type TakeInContext } from './take-in.ts'
import { commentTellings, factsTelling, subjectAddress, untold, type Telling } from './tell.ts'
import { issueFactsOf, type FactsContext } from './facts.ts'

/** One repository of one Project, with the port to it. */
export interface Scope {
  readonly project: ProjectSettings
  readonly repository: RepositorySettings
  readonly path: string
  readonly forge: ForgePort
}

export interface SubjectSync {
  readonly options: MirrorOptions
  scope(project: string, repository: string): Promise<Scope>
  /** People as bound now; `accounts` are bound first where they are named. */
  context(sql: Queryable, scope: Scope, accounts: readonly ForgeAccount[]): Promise<TakeInContext>
  /** Work on one subject at a time. */
  alone<T>(scope: Scope, on: ForgeSubjectKind, number: number, work: (key: SubjectKey) => Promise<T>): Promise<T>
  /** Reads subject and thread from the forge, takes them in and tells. */
  refresh(scope: Scope, on: ForgeSubjectKind, number: number): Promise<void>
  /** Reads only the subject; call inside `alone`. */
  read(scope: Scope, key: SubjectKey): Promise<void>
  /** Reads the thread from the forge; comments not seen before are news unless it is the first reading. Inside `alone`. */
  readThread(scope: Scope, key: SubjectKey): Promise<void>
  /** Reads the checks of the head when they aren't those of this head, or always. Inside `alone`. */
  readCi(scope: Scope, key: SubjectKey, always: boolean): Promise<void>
  /** Tells the actor what it doesn't know. Inside `alone`. `retry`: the key of a maintainer's wish to begin anew. */
  tell(
    scope: Scope,
    key: SubjectKey,
    extra?: { readonly retry?: string; readonly also?: readonly Delivery[] },
  ): Promise<void>
}

/** A forge that lists a comment later than this, or whose clock differs by more, is none that we know. */
const LISTED_WITHIN_MS = 60_000
/** Two processes meet once; who never gets its turn leaves it to whoever tried. */
const MOST_CLAIMS = 10

export function createSubjectSync(options: MirrorOptions): SubjectSync {
  const { sql, clock, directory, openForge, deliver, rules } = options
  const serial = createSerial()

  const sync: SubjectSync = {
    options,
    async scope(id, name) {
      const project = await directory.project(bareName(id))
      const repository = project && repositoryNamed(project, name)
      if (project === undefined || repository === undefined) {
        throw new TerminalError('unknown-repository', `there is no Repository ${name} in the Project ${bareName(id)}`)
      }
      return { project, repository, path: forgePath(repository, project.scm), forge: await openForge(project.name) }
    },

    async context(tx, scope, accounts) {
      const { project, repository } = scope
      const people = rules.people(project, repository, new Map())
      const now = clock.now()
      for (const account of accounts.filter((one) => one.id !== '' && people.isNamed(one)))
        await bindAccount(tx, project.name, account, now)
      return {
        project,
        repository: repository.name,
        people: rules.people(project, repository, await boundAccounts(tx, project.name)),
        now,
        rules,
      }
    },

    alone: (scope, kind, number, work) => {
      const key: SubjectKey = { project: scope.project.name, repository: scope.repository.name, kind, number }
      return serial.run(`${key.project}/${key.repository}/${kind}/${number}`, () => work(key))
    },

    refresh: (scope, on, number) =>
      sync.alone(scope, on, number, async (key) => {
        await sync.read(scope, key)
        await sync.readThread(scope, key)
        if (on === 'mr') await sync.readCi(scope, key, true)
        await sync.tell(scope, key)
      }),

    async read(scope, key) {
      if (key.kind === 'issue') {
        const issue = await scope.forge.issue(scope.path, key.number)
        await sql.tx(async (tx) => takeInIssue(tx, await sync.context(tx, scope, [issue.author]), issue, 'read'))
      } else {
        const found = await scope.forge.mergeRequest(scope.path, key.number)
        await sql.tx(async (tx) => takeInMergeRequest(tx, await sync.context(tx, scope, [found.author]), found, 'read'))
      }
    },

    async readThread(scope, key) {
      const row = await loadSubject(sql, key)
      if (row === undefined) return
      const plain = await scope.forge.listComments(scope.path, key.kind, key.number)
      const reviews = key.kind === 'mr' ? await scope.forge.listReviews(scope.path, key.number) : []
      await sql.tx((tx) => takeInThread(tx, scope, key, [...plain, ...reviews], row.complete))
    },

    async readCi(scope, key, always) {
      const row = (await loadSubject(sql, key)) as MirroredMergeRequest | undefined
      if (row === undefined || row.mergeRequest.state !== 'open') return
      const { headSha } = row.mergeRequest
      if (!always && row.notes.ciSha === headSha) return
      const { status } = await scope.forge.ci(scope.path, headSha)
      if (status !== 'none') await markHasChecks(sql, key.project, key.repository)
      await sql.tx(async (tx) => {
        const now = (await loadSubject(tx, key, true)) as MirroredMergeRequest | undefined
        if (now === undefined || now.mergeRequest.headSha !== headSha) return
        const notes: MergeRequestNotes = { ...now.notes, ci: status, ciSha: headSha }
        await upsertSubject(tx, { ...now, notes })
      })
    },

    async tell(scope, key, { retry, also = [] } = {}) {
      const row = await loadSubject(sql, key)
      if (row === undefined) return
      await tellFacts(scope, key, row, retry)
      await tellComments(scope, key)
      if ((await loadSubject(sql, key))!.revision > 0) for (const delivery of also) await deliver(delivery)
    },
  }

  async function takeInThread(
    tx: Queryable,
    scope: Scope,
    key: SubjectKey,
    listed: readonly ForgeComment[],
    known: boolean,
  ): Promise<void> {
    const context = await sync.context(
      tx,
      scope,
      listed.map((one) => one.author),
    )
    for (const comment of listed.filter((one) => one.verdict !== 'pending')) {
      await takeInComment(tx, context, comment, { action: 'read', news: known })
    }
    const there = new Set(listed.map((comment) => comment.id))
    const gone = (await loadThread(tx, key)).filter((one) => one.deletedAt === undefined && !there.has(one.comment.id))
    // What came by webhook while the list was read is not in it and not gone.
    const newest = Math.max(0, ...listed.map((comment) => comment.createdAt))
    const listedBy = Math.max(newest, clock.now() - LISTED_WITHIN_MS)
    const deleted = gone.filter((one) => one.comment.createdAt < listedBy || (listed.length === 0 && known))
    await markDeleted(
      tx,
      key.project,
      key.repository,
      deleted.map((one) => one.comment.id),
      clock.now(),
    )
    await markComplete(tx, key)
  }

  async function factsContext(scope: Scope, key: SubjectKey): Promise<FactsContext> {
    const people = rules.people(scope.project, scope.repository, await boundAccounts(sql, scope.project.name))
    return { project: scope.project, people, thread: await loadThread(sql, key), judged: rules.judged }
  }

  async function tellFacts(
    scope: Scope,
    key: SubjectKey,
    row: MirroredSubject,
    retry: string | undefined,
  ): Promise<void> {
    const first = factsTelling(row, await factsContext(scope, key), clock.now())
    if (first === undefined && !mayBecomeWanted(row)) return
    if (!row.complete) await sync.readThread(scope, key)
    if (row.kind === 'mr') await sync.readCi(scope, key, false)
    const claimed = await claimTelling(scope, key)
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
  async function claimTelling(
    scope: Scope,
    key: SubjectKey,
  ): Promise<{ now: MirroredSubject; context: FactsContext; telling: Telling } | undefined> {
    for (let attempt = 0; attempt < MOST_CLAIMS; attempt++) {
      const now = (await loadSubject(sql, key))!
      const context = await factsContext(scope, key)
      const telling = factsTelling(now, context, clock.now())
      if (telling === undefined) return undefined
      if (telling.deliveries.length === 0 || (await claimRevision(sql, key, telling.revision)))
        return { now, context, telling }
    }
    throw new Error(
      `other processes keep notifying about ${key.kind} ${key.repository}#${key.number}: the mirror retries later`,
    )
  }

  async function tellComments(scope: Scope, key: SubjectKey): Promise<void> {
    const row = (await loadSubject(sql, key))!
    const context = await factsContext(scope, key)
    const open = untold(context.thread)
    if (open.length === 0) return
    // Without an actor there is nobody to tell, and what it reads at its birth is the whole thread.
    if (row.revision > 0) for (const delivery of commentTellings(row, context, clock.now())) await deliver(delivery)
    await markCommentsTold(
      sql,
      key.project,
      key.repository,
      open.map((one) => one.comment.id),
    )
  }

  return sync
}

/** The thread may hold the mention that makes an open merge request ours to review. */
function mayBecomeWanted(row: MirroredSubject): boolean {
  return row.kind === 'mr' && row.mergeRequest.state === 'open' && !row.complete
}
