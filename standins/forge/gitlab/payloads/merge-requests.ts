import { lackingReview, requiredChecksState } from '../../store/gates.ts'
import type { MergeView } from '../../store/mergeability.ts'
import { may } from '../../store/permissions.ts'
import type { Actor, Pull, PullVersion, Repository } from '../../store/records.ts'
import { verdictsOf } from '../../store/reviewers.ts'
import type { World } from '../../store/world.ts'
import type { Links } from '../links.ts'
import { nullable, userPayload, type Json } from './common.ts'
import { references, threadPayload } from './issues.ts'
import { fullPipelinePayload } from './pipelines.ts'

const DRAFT = /^\s*(?:draft:|\[draft\]|\(draft\))\s*/i

/** A draft is one by its title; the store has the two apart. */
export function readTitle(title: string): { title: string; draft: boolean } {
  return { title: title.replace(DRAFT, ''), draft: DRAFT.test(title) }
}

export function titleOf(pull: Pull): string {
  return pull.draft ? `Draft: ${readTitle(pull.title).title}` : pull.title
}

export function stateOf(pull: Pull): 'opened' | 'closed' | 'merged' {
  return pull.state === 'open' ? 'opened' : pull.merged ? 'merged' : 'closed'
}

/** As lists show it; what is known about its mergeability is the last answer, and no new look is begun. */
export function mergeRequestPayload(links: Links, repository: Repository, pull: Pull): Json {
  const { merged } = pull
  const merger = nullable(merged?.by, (user) => userPayload(links, user))
  const isSquash = merged?.method === 'squash'
  return {
    ...threadPayload(links, repository, pull),
    id: pull.pullId,
    title: titleOf(pull),
    state: stateOf(pull),
    merged_by: merger,
    merge_user: merger,
    merged_at: merged?.at ?? null,
    closed_at: merged ? null : pull.closedAt,
    closed_by: merged ? null : nullable(pull.closedBy, (user) => userPayload(links, user)),
    source_branch: pull.head,
    target_branch: pull.base,
    source_project_id: repository.id,
    target_project_id: repository.id,
    reviewers: pull.reviewers.map((user) => userPayload(links, user)),
    draft: pull.draft,
    work_in_progress: pull.draft,
    merge_when_pipeline_succeeds: false,
    ...statusPart(lastStatus(pull)),
    merge_after: null,
    sha: pull.headSha,
    merge_commit_sha: merged?.method === 'merge' || merged?.squash !== undefined ? merged.sha : null,
    squash_commit_sha: isSquash ? (merged.squash ?? merged.sha) : null,
    should_remove_source_branch: null,
    force_remove_source_branch: repository.deleteBranchOnMerge,
    prepared_at: pull.createdAt,
    reference: `!${pull.number}`,
    references: references(repository, `!${pull.number}`),
    squash: isSquash,
    squash_on_merge: isSquash,
    has_conflicts: pull.mergeability?.clean === false,
    blocking_discussions_resolved: true,
  }
}

/** One that was asked for by its number. */
export function fullMergeRequestPayload(
  links: Links,
  world: World,
  repository: Repository,
  pull: Pull,
  actor: Actor | undefined,
  view: MergeView,
): Json {
  const suite = repository.suites.findLast((one) => one.sha === pull.headSha)
  const pipeline = nullable(suite, (one) => fullPipelinePayload(links, world, repository, one))
  const version = pull.versions.at(-1)
  return {
    ...mergeRequestPayload(links, repository, pull),
    ...statusPart(detailedStatus(repository, pull, view)),
    has_conflicts: view.mergeable === false,
    subscribed: false,
    changes_count: String(pull.stats.changedFiles),
    latest_build_started_at: null,
    latest_build_finished_at: null,
    first_deployed_to_production_at: null,
    pipeline,
    head_pipeline: pipeline,
    diff_refs: {
      base_sha: version?.diffBase ?? pull.diffBase,
      head_sha: pull.headSha,
      start_sha: version?.baseSha ?? pull.baseSha,
    },
    merge_error: null,
    first_contribution: false,
    user: { can_merge: may(repository, actor, 'write') },
  }
}

function lastStatus(pull: Pull): string {
  if (pull.state === 'closed') return 'not_open'
  if (!pull.mergeability || pull.mergeability.headSha !== pull.headSha) return 'unchecked'
  if (pull.mergeability.clean === null) return 'checking'
  return pull.mergeability.clean ? (pull.draft ? 'draft_status' : 'mergeable') : 'conflict'
}

/** GitLab's older word goes by conflicts alone, the detailed one by all that forbids a merge. */
function statusPart(detailed: string): Json {
  const isOpen = detailed === 'unchecked' || detailed === 'checking'
  const isBroken = detailed === 'conflict' || detailed === 'broken_status'
  return {
    merge_status: isOpen ? detailed : isBroken ? 'cannot_be_merged' : 'can_be_merged',
    detailed_merge_status: detailed,
  }
}

function detailedStatus(repository: Repository, pull: Pull, view: MergeView): string {
  if (pull.state === 'closed') return 'not_open'
  if (view.mergeable === null) return 'checking'
  switch (view.state) {
    case 'dirty':
      return 'conflict'
    case 'draft':
      return 'draft_status'
    case 'behind':
      return 'need_rebase'
    case 'blocked':
      return blocker(repository, pull)
    default:
      return 'mergeable'
  }
}

function blocker(repository: Repository, pull: Pull): string {
  const lacking = lackingReview(repository, pull)
  if (lacking !== undefined) return lacking
  const rules = repository.protection.get(pull.base)
  const { missing } = requiredChecksState(repository, pull.headSha, rules?.requiredChecks ?? [])
  return missing.some((check) => check.why === 'pending') ? 'ci_still_running' : 'ci_must_pass'
}

export function versionPayload(pull: Pull, version: PullVersion): Json {
  return {
    id: version.id,
    head_commit_sha: version.headSha,
    base_commit_sha: version.diffBase,
    start_commit_sha: version.baseSha,
    created_at: version.createdAt,
    merge_request_id: pull.pullId,
    state: 'collected',
    real_size: String(pull.stats.changedFiles),
    patch_id_sha: null,
  }
}

export function approvalsPayload(links: Links, repository: Repository, pull: Pull, actor: Actor | undefined): Json {
  const given = verdictsOf(pull).filter((verdict) => verdict.state === 'APPROVED')
  const required = repository.protection.get(pull.base)?.requiredApprovals ?? 0
  const left = Math.max(0, required - given.length)
  const hasApproved = given.some((verdict) => verdict.user === actor?.user)
  return {
    id: pull.pullId,
    iid: pull.number,
    project_id: repository.id,
    title: titleOf(pull),
    description: pull.body,
    state: stateOf(pull),
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    ...{ merge_status: statusPart(lastStatus(pull)).merge_status },
    approved: left === 0,
    approvals_required: required,
    approvals_left: left,
    require_password_to_approve: false,
    approved_by: given.map(({ user, at }) => ({ user: userPayload(links, user), approved_at: at })),
    suggested_approvers: [],
    approvers: [],
    approver_groups: [],
    user_has_approved: hasApproved,
    user_can_approve: !hasApproved && pull.author !== actor?.user && may(repository, actor, 'write'),
    approval_rules_left: [],
    has_approval_rules: required > 0,
    merge_request_approvers_available: true,
    multiple_approval_rules_available: true,
    invalid_approvers_rules: [],
  }
}

const REVIEWER_STATES: Readonly<Record<string, string>> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'requested_changes',
  COMMENTED: 'reviewed',
  DISMISSED: 'unapproved',
}

/** Who was asked for a review, and who has given one unasked. */
export function reviewersPayload(links: Links, pull: Pull): Json[] {
  const verdicts = verdictsOf(pull).filter((verdict) => verdict.user !== pull.author)
  const users = new Set([...pull.reviewers, ...verdicts.map((verdict) => verdict.user)])
  return [...users].map((user) => {
    const verdict = verdicts.find((one) => one.user === user)
    return {
      user: userPayload(links, user),
      state: (verdict && REVIEWER_STATES[verdict.state]) ?? 'unreviewed',
      created_at: verdict?.at ?? pull.createdAt,
    }
  })
}
