/**
 * Reads what no actor waits for: the forge's lists from before the repository was enrolled, page by page, then the threads
 * that are not here whole, newest change first. A run reads a bounded part, and what it read stays read.
 */
import { RateLimitedError } from '../errors.ts'
import type { ForgePage, ForgeSubjectKind } from '../port.ts'
import { readThread, takeIssue, takeMergeRequest } from './read-forge.ts'
import type { Apart } from './apart.ts'
import type { Scope } from './scope.ts'
import { loadHistory, saveHistory } from './store/history.ts'
import { listIncomplete } from './store/subjects.ts'
import type { Subject, Subjects } from './subject.ts'

/** Pages of a hundred, of each list. */
const PAGES_A_RUN = 10
/** A thread is one request, of a merge request three. With two runs an hour it is a tenth of GitHub's 5,000. */
const THREADS_A_RUN = 100

export async function readHistory(subjects: Subjects, scope: Scope, apart: Apart): Promise<void> {
  const { forge, path } = scope
  try {
    await readPages(subjects, scope, 'issue', (from) => forge.issueHistory(path, from), takeIssue)
    await readPages(subjects, scope, 'mr', (from) => forge.mergeRequestHistory(path, from), takeMergeRequest)
    await readIncomplete(subjects, scope, apart)
  } catch (error) {
    // Nothing waits for history: the next resync goes on with it.
    if (!(error instanceof RateLimitedError)) throw error
  }
}

async function readPages<Item extends { readonly number: number }>(
  subjects: Subjects,
  scope: Scope,
  kind: ForgeSubjectKind,
  list: (from: string | undefined) => Promise<ForgePage<Item>>,
  take: (subject: Subject, item: Item) => Promise<void>,
): Promise<void> {
  const { sql } = subjects.options
  const key = { ...scope.place, kind }
  for (let read = 0; read < PAGES_A_RUN; read++) {
    const { next: from, done } = await loadHistory(sql, key)
    if (done) return
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

async function readIncomplete(subjects: Subjects, scope: Scope, apart: Apart): Promise<void> {
  const { sql } = subjects.options
  for (const { kind, number } of await listIncomplete(sql, scope.place, THREADS_A_RUN))
    await apart.read(kind, number, readThread)
}
