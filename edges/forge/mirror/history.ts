/**
 * Reads what no actor waits for: the forge's lists from before the repository was enrolled, page by page, then the threads
 * that are not here whole, newest change first. A run reads a bounded part, and what it read stays read.
 */
import { RateLimitedError } from '../errors.ts'
import type { ForgePage, ForgeSubjectKind } from '../port.ts'
import { readThread, takeIssue, takeMergeRequest } from './read-forge.ts'
import type { Apart } from './apart.ts'
import type { Spend } from './history-budget.ts'
import type { Scope } from './scope.ts'
import { loadHistory, saveHistory } from './store/history.ts'
import { listIncomplete } from './store/subjects.ts'
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
    await readPages(reading, 'issue', (from) => forge.issueHistory(path, from), takeIssue)
    await readPages(reading, 'mr', (from) => forge.mergeRequestHistory(path, from), takeMergeRequest)
    await readIncomplete(reading, apart)
  } catch (error) {
    // Nothing waits for history: the next resync goes on with it.
    if (!(error instanceof RateLimitedError)) throw error
  }
}

interface Reading {
  readonly subjects: Subjects
  readonly scope: Scope
  readonly spend: Spend
}

async function readPages<Item extends { readonly number: number }>(
  { subjects, scope, spend }: Reading,
  kind: ForgeSubjectKind,
  list: (from: string | undefined) => Promise<ForgePage<Item>>,
  take: (subject: Subject, item: Item) => Promise<void>,
): Promise<void> {
  const { sql } = subjects.options
  const key = { ...scope.place, kind }
  for (let read = 0; read < PAGES_A_RUN; read++) {
    const { next: from, done } = await loadHistory(sql, key)
    if (done || !spend(1)) return
    const { items, next } = await list(from)
    for (const item of items)
      await subjects.withSubject(scope, kind, item.number, (subject) => takeUnknown(subject, item, take))
    await saveHistory(sql, key, next === undefined ? { done: true } : { next, done: false })
  }
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
  for (const { kind, number } of await listIncomplete(sql, scope.place, THREADS_A_RUN)) {
    if (!spend(requestsOfThread[kind])) return
    await apart.read(kind, number, readThread)
  }
}
