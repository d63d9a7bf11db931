/**
 * Reads what no actor waits for: the forge's lists from before the repository was enrolled, page by page, then the threads
 * that are not here whole, newest change first. A run reads a bounded part, and what it read stays read. Once the lists are
 * read they are walked again and again: who is here and in no list any more was deleted, moved or hidden.
 */
import { RateLimitedError } from '../errors.ts'
import type { ForgeIssue, ForgeMergeRequest, ForgePage, ForgeSubjectKind } from '../port.ts'
import { readSubject, readThread, takeIssue, takeMergeRequest } from './read-forge.ts'
import type { Apart } from './apart.ts'
import type { Spend } from './history-budget.ts'
import type { Scope } from './scope.ts'
import { loadHistory, saveHistory } from './store/history.ts'
import { listChangedWithin, listIncomplete } from './store/subjects.ts'
import type { Subject, Subjects } from './subject.ts'

/** Pages of a hundred, of each list. */
const PAGES_A_RUN = 10
const THREADS_A_RUN = 100
/** A merge request has comments, line comments and reviews. A long thread costs more: nobody knows before it is read. */
const requestsOfThread: Readonly<Record<ForgeSubjectKind, number>> = { issue: 1, mr: 3 }

export async function readHistory(subjects: Subjects, scope: Scope, apart: Apart): Promise<void> {
  const { forge, path } = scope
  const reading = { subjects, scope, spend: subjects.historyBudget.share() }
  try {
    const issues = (from?: string): Promise<ForgePage<ForgeIssue>> => forge.issueHistory(path, from)
    const changes = (from?: string): Promise<ForgePage<ForgeMergeRequest>> => forge.mergeRequestHistory(path, from)
    const wasRead = {
      issue: await readPages(reading, 'issue', issues, takeIssue),
      mr: await readPages(reading, 'mr', changes, takeMergeRequest),
    }
    await readIncomplete(reading, apart)
    if (wasRead.issue) await readUnlisted(reading, apart, 'issue', issues)
    if (wasRead.mr) await readUnlisted(reading, apart, 'mr', changes)
  } catch (error) {
    // Nothing waits for history: the next resync goes on with it.
    if (!(error instanceof RateLimitedError)) throw error
  }
}

interface Dated {
  readonly number: number
  readonly updatedAt: number
}

interface Reading {
  readonly subjects: Subjects
  readonly scope: Scope
  readonly spend: Spend
}

/** True: all was read before already. */
async function readPages<Item extends { readonly number: number }>(
  { subjects, scope, spend }: Reading,
  kind: ForgeSubjectKind,
  list: (from: string | undefined) => Promise<ForgePage<Item>>,
  take: (subject: Subject, item: Item) => Promise<void>,
): Promise<boolean> {
  const { sql } = subjects.options
  const key = { ...scope.repositoryKey, kind }
  for (let read = 0; read < PAGES_A_RUN; read++) {
    const { next: from, done } = await loadHistory(sql, key)
    if (done || !spend(1)) return done && read === 0
    const { items, next } = await list(from)
    for (const item of items)
      await subjects.withSubject(scope, kind, item.number, (subject) => takeUnknown(subject, item, take))
    await saveHistory(sql, key, next === undefined ? { done: true } : { next, done: false })
  }
  return false
}

/** What is known is at least as new. */
async function takeUnknown<Item>(
  subject: Subject,
  item: Item,
  take: (subject: Subject, item: Item) => Promise<void>,
): Promise<void> {
  if ((await subject.row()) === undefined) await take(subject, item)
}

async function readIncomplete({ subjects, scope, spend }: Reading, apart: Apart): Promise<void> {
  const { sql } = subjects.options
  for (const { kind, number } of await listIncomplete(sql, scope.repositoryKey, THREADS_A_RUN)) {
    if (!spend(requestsOfThread[kind])) return
    await apart.read(kind, number, readThread)
  }
}

/**
 * A page names all that changed between its newest and its oldest change; who is said here to have changed then and is not on
 * it is asked for by itself. A walk goes on with the page that it read last, so that nobody slips between two pages.
 */
async function readUnlisted(
  { subjects, scope, spend }: Reading,
  apart: Apart,
  kind: ForgeSubjectKind,
  list: (from?: string) => Promise<ForgePage<Dated>>,
): Promise<void> {
  const { sql } = subjects.options
  const key = { ...scope.repositoryKey, kind }
  const { next: start } = await loadHistory(sql, key)
  const listed = new Set<number>()
  let from = start
  let newest = start === undefined ? Infinity : undefined
  for (let read = 0; read < PAGES_A_RUN && spend(1); read++) {
    const { items, next } = await list(from)
    for (const { number } of items) listed.add(number)
    const times = items.map(({ updatedAt }) => updatedAt)
    const oldest = next === undefined ? -Infinity : Math.min(...times, newest ?? Infinity)
    const within = { after: oldest, until: newest ?? Math.max(...times) }
    for (const number of await listChangedWithin(sql, key, within))
      if (!listed.has(number) && spend(1)) await apart.read(kind, number, readSubject)
    await saveHistory(sql, key, { ...(next === undefined || from === undefined ? {} : { next: from }), done: true })
    if (next === undefined) return
    from = next
    if (items.length > 0) newest = oldest
  }
}
