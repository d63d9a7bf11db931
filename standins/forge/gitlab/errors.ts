import { HttpRefusal, type Worded } from '../rest.ts'
import { Refusal, type RefusalReason } from '../store/refusal.ts'

/** Parameters that are missing or wrong, each in GitLab's words. */
export class InvalidInput extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join(', '))
    this.problems = problems
  }
}

type Message = string | readonly string[] | Readonly<Record<string, readonly string[]>>
type Words = (refusal: Refusal) => readonly [status: number, message: Message]

const NOT_ALLOWED = '405 Method Not Allowed'

function field(refusal: Refusal, problem: string): Message {
  return { [FIELDS[refusal.field] ?? refusal.field]: [problem] }
}

function isNote({ resource }: Refusal): boolean {
  return !['Issue', 'PullRequest', 'Label'].includes(resource)
}

/** GitLab's names of what the store names otherwise. */
const FIELDS: Readonly<Record<string, string>> = {
  body: 'description',
  head: 'source_branch',
  base: 'target_branch',
  name: 'title',
}

/** What GitLab answers for each reason of the store. */
const WORDS: Readonly<Record<RefusalReason, Words>> = {
  'not-found': () => [404, '404 Not found'],
  forbidden: () => [403, '403 Forbidden'],
  'admin-only': () => [403, '403 Forbidden'],
  'push-only': () => [403, '403 Forbidden'],
  invalid: (refusal) => [400, field(refusal, 'is invalid')],
  missing: (refusal) => [400, field(refusal, "can't be blank")],
  'too-long': (refusal) => {
    const words = `is too long (maximum is ${refusal.detail} characters)`
    return [400, isNote(refusal) ? `400 Bad request - Note {note: ["${words}"]}` : field(refusal, words)]
  },
  blank: () => [400, '400 Bad request - Note {note: ["can\'t be blank"]}'],
  exists: (refusal) => [409, refusal.resource === 'Label' ? 'Label already exists' : `${refusal.resource} exists`],
  'label-absent': () => [404, '404 Label Not Found'],
  'ref-absent': () => [404, '404 Branch Not Found'],
  'ref-protected': () => [403, '403 Forbidden - Cannot remove a protected branch'],
  'no-commits': () => [400, ['The source branch has no commits that the target branch lacks']],
  'pull-exists': (refusal) => [
    409,
    [`Another open merge request already exists for this source branch: !${refusal.detail}`],
  ],
  'head-gone': () => [403, '403 Forbidden'],
  'own-review': () => [401, '401 Unauthorized'],
  'line-not-in-diff': () => [
    400,
    '400 Bad request - Note {line_code: ["can\'t be blank", "must be a valid line code"]}',
  ],
  'path-not-in-diff': () => [
    400,
    '400 Bad request - Note {line_code: ["can\'t be blank", "must be a valid line code"]}',
  ],
  'commit-not-in-pull': () => [400, '400 Bad request - Note {position: ["is incomplete"]}'],
  'review-empty': () => [400, '400 Bad request'],
  'review-undecided': () => [404, '404 Not found'],
  'pending-review': () => [400, '400 Bad request'],
  'head-moved': () => [409, 'SHA does not match HEAD of source branch'],
  'base-moved': () => [422, 'Branch cannot be merged'],
  'not-mergeable': () => [405, NOT_ALLOWED],
  draft: () => [405, NOT_ALLOWED],
  'method-off': () => [405, NOT_ALLOWED],
  'not-rebaseable': () => [405, NOT_ALLOWED],
  'check-missing': () => [405, NOT_ALLOWED],
  'rule-violated': () => [405, NOT_ALLOWED],
  'approvals-missing': () => [405, NOT_ALLOWED],
  behind: () => [405, NOT_ALLOWED],
  'hook-exists': () => [422, { url: ['has already been taken'] }],
  'no-commit': () => [404, '404 Commit Not Found'],
}

/** The answer to a failed request; undefined for a fault of the forge's own, which is no word for its users. */
export function wordError(error: unknown): Worded | undefined {
  if (error instanceof Refusal) {
    const [status, message] = WORDS[error.reason](error)
    return { status, body: { message } }
  }
  if (error instanceof InvalidInput) return { status: 400, body: { error: error.message } }
  if (error instanceof HttpRefusal)
    return { status: error.status, body: { message: error.message }, headers: error.headers }
  return undefined
}
