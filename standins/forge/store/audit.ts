import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Issue } from './records.ts'

export type AuditAction =
  | 'repository.create'
  | 'issue.open'
  | 'issue.edit'
  | 'issue.close'
  | 'issue.reopen'
  | 'label.create'
  | 'label.edit'
  | 'label.delete'
  | 'label.add'
  | 'label.remove'
  | 'comment.create'
  | 'comment.edit'
  | 'comment.delete'
  | 'comment.resolve'
  | 'pull.open'
  | 'pull.edit'
  | 'pull.close'
  | 'pull.reopen'
  | 'pull.ready'
  | 'pull.draft'
  | 'pull.reviewers'
  | 'pull.synchronize'
  | 'pull.merge'
  | 'review.create'
  | 'review.submit'
  | 'review.dismiss'
  | 'review-comment.create'
  | 'review-comment.edit'
  | 'review-comment.delete'
  | 'draft-note.create'
  | 'draft-note.edit'
  | 'draft-note.delete'
  | 'git.push'
  | 'branch.create'
  | 'branch.delete'
  | 'check.create'
  | 'check.update'
  | 'status.create'
  | 'hook.create'
  | 'hook.edit'
  | 'hook.delete'
  | 'hook.redeliver'

export interface AuditEntry {
  readonly at: string
  readonly actor: string
  readonly action: AuditAction
  readonly repository: string
  readonly number?: number
  /** Of the thread with this number, where the action is one of both kinds. */
  readonly kind?: Issue['kind']
  readonly sha?: string
  readonly ref?: string
  readonly before?: string
  readonly after?: string
  readonly detail?: Readonly<Record<string, unknown>>
}

/** Every write, in order, on disk before its answer is sent. Nothing but the forge writes the file, and the forge only appends. */
export interface AuditLog {
  readonly file: string
  append(entry: AuditEntry): void
  entries(): readonly AuditEntry[]
  onEntry(listener: (entry: AuditEntry) => void): () => void
}

export function openAuditLog(file: string): AuditLog {
  mkdirSync(dirname(file), { recursive: true })
  const entries = existsSync(file) ? readEntries(file) : []
  const listeners = new Set<(entry: AuditEntry) => void>()
  return {
    file,
    append(entry) {
      appendFileSync(file, `${JSON.stringify(entry)}\n`, { mode: 0o600 })
      entries.push(entry)
      for (const listener of listeners) listener(entry)
    },
    entries: () => [...entries],
    onEntry(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Of the earlier starts in this folder. A last line that a crash has cut short was never answered: it is taken back. */
function readEntries(file: string): AuditEntry[] {
  const text = readFileSync(file, 'utf8')
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  if (whole !== text) truncateSync(file, Buffer.byteLength(whole))
  return whole
    .split('\n')
    .slice(0, -1)
    .map((line, index) => parseEntry(file, line, index + 1))
}

function parseEntry(file: string, line: string, number: number): AuditEntry {
  try {
    return JSON.parse(line) as AuditEntry
  } catch (cause) {
    throw new Error(`${file} is no audit log: line ${number} is not JSON`, { cause })
  }
}
