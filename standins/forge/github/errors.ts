import { HttpRefusal, type Worded } from '../rest.ts'
import { Refusal, type RefusalReason } from '../store/refusal.ts'

/** GitHub's own shape of a field at fault. */
export interface FieldFault {
  readonly resource: string
  readonly code: string
  readonly field?: string
  readonly message?: string
}

export class InvalidBody extends Error {
  readonly faults: readonly FieldFault[]

  constructor(faults: readonly FieldFault[]) {
    super('Validation Failed')
    this.faults = faults
  }
}

export interface ErrorBody {
  readonly message: string
  readonly errors?: ReadonlyArray<FieldFault | string>
  readonly documentation_url: string
  readonly status: string
}

type Words = (
  refusal: Refusal,
) => readonly [status: number, message: string, errors?: ReadonlyArray<FieldFault | string>]

const METHODS: Readonly<Record<string, string>> = {
  merge: 'Merge commits',
  squash: 'Squash merges',
  rebase: 'Rebase merges',
}
const CHECKS: Readonly<Record<string, string>> = {
  expected: 'is expected.',
  pending: 'is in progress.',
  failing: 'is failing.',
}

function custom(refusal: Refusal, message: string): readonly FieldFault[] {
  return [{ resource: refusal.resource, code: 'custom', message }]
}

function field(refusal: Refusal, code: string): readonly FieldFault[] {
  return [{ resource: refusal.resource, field: refusal.field, code }]
}

/** A comment's text has another name, as a blank one has. */
function tooLong({ resource, field: name, detail }: Refusal): FieldFault {
  const words = `is too long (maximum is ${detail} characters)`
  return resource === 'IssueComment'
    ? { resource, code: 'unprocessable', field: 'data', message: `Body ${words}` }
    : { resource, code: 'custom', field: name, message: `${name} ${words}` }
}

/** To an installation that lacks the right, whatever its user may. */
export const NOT_OF_INTEGRATION = 'Resource not accessible by integration'

const INVALID = 'Validation Failed'
const UNPROCESSABLE = 'Unprocessable Entity'

/** What GitHub says for each reason of the store. */
const WORDS: Readonly<Record<RefusalReason, Words>> = {
  'not-found': () => [404, 'Not Found'],
  forbidden: () => [403, 'Must have push access to repository'],
  'admin-only': () => [403, 'Must have admin rights to Repository.'],
  'push-only': () => [403, 'Must have push access to view collaborator permission.'],
  invalid: (refusal) => [422, INVALID, field(refusal, 'invalid')],
  missing: (refusal) => [422, INVALID, field(refusal, 'missing_field')],
  'too-long': (refusal) => [422, INVALID, [tooLong(refusal)]],
  blank: (refusal) => [
    422,
    INVALID,
    [
      {
        resource: refusal.resource,
        code: 'unprocessable',
        field: refusal.field,
        message: `${refusal.detail} cannot be blank`,
      },
    ],
  ],
  exists: (refusal) => [422, INVALID, field(refusal, 'already_exists')],
  'label-absent': () => [404, 'Label does not exist'],
  'ref-absent': () => [422, 'Reference does not exist'],
  'ref-protected': () => [422, 'Cannot delete this branch'],
  'no-commits': (refusal) => [422, INVALID, custom(refusal, `No commits between ${refusal.detail}`)],
  'pull-exists': (refusal) => [422, INVALID, custom(refusal, `A pull request already exists for ${refusal.detail}.`)],
  'head-gone': (refusal) => [
    422,
    INVALID,
    [
      {
        resource: refusal.resource,
        code: 'invalid',
        field: 'state',
        message: `state cannot be changed. The ${refusal.detail} branch has been deleted or merged.`,
      },
    ],
  ],
  'own-review': (refusal) => [422, UNPROCESSABLE, [`Can not ${refusal.detail} your own pull request`]],
  'line-not-in-diff': () => [422, UNPROCESSABLE, ['Line could not be resolved']],
  'path-not-in-diff': () => [422, UNPROCESSABLE, ['Path could not be resolved']],
  'commit-not-in-pull': (refusal) => [
    422,
    INVALID,
    [
      {
        resource: refusal.resource,
        code: 'custom',
        field: refusal.field,
        message: 'commit_id is not part of the pull request',
      },
    ],
  ],
  'review-empty': () => [422, UNPROCESSABLE, ['Review body can not be blank']],
  'review-undecided': (refusal) => [422, UNPROCESSABLE, [`Can not dismiss a ${refusal.detail} pull request review`]],
  'pending-review': () => [422, UNPROCESSABLE, ['User can only have one pending review per pull request']],
  'head-moved': () => [409, 'Head branch was modified. Review and try the merge again.'],
  'base-moved': () => [405, 'Base branch was modified. Review and try the merge again.'],
  'not-mergeable': () => [405, 'Pull Request is not mergeable'],
  draft: () => [405, 'Pull Request is still a draft'],
  'method-off': (refusal) => [405, `${METHODS[refusal.detail] ?? 'Merges'} are not allowed on this repository.`],
  'not-rebaseable': () => [405, "This branch can't be rebased"],
  'check-missing': (refusal) => [
    405,
    `Required status check "${refusal.field}" ${CHECKS[refusal.detail] ?? 'is expected.'}`,
  ],
  'rule-violated': (refusal) => [
    405,
    `Repository rule violations found\n\nRequired status check "${refusal.field}" ${CHECKS[refusal.detail] ?? 'is expected.'}\n\n`,
  ],
  'approvals-missing': (refusal) => [
    405,
    `At least ${refusal.detail} approving review is required by reviewers with write access.`,
  ],
  behind: () => [405, 'Head branch is out of date. Review and try the merge again.'],
  'hook-exists': (refusal) => [422, INVALID, custom(refusal, 'Hook already exists on this repository')],
  'no-commit': (refusal) => [422, `No commit found for SHA: ${refusal.detail}`],
}

/** The answer to a failed request; undefined for a fault of the forge's own, which is no word for its users. */
export function wordError(error: unknown, docs: string): Worded | undefined {
  const answer = (
    status: number,
    message: string,
    errors?: ReadonlyArray<FieldFault | string>,
  ): { status: number; body: ErrorBody } => ({
    status,
    body: { message, ...(errors ? { errors } : {}), documentation_url: docs, status: String(status) },
  })
  if (error instanceof Refusal) return answer(...WORDS[error.reason](error))
  if (error instanceof InvalidBody) return answer(422, INVALID, error.faults)
  if (error instanceof HttpRefusal) return { ...answer(error.status, error.message), headers: error.headers }
  return undefined
}
