import { Type } from 'typebox'
import { editIssue } from '../../store/issues.ts'
import { deleteBranch, mergePull } from '../../store/merge.ts'
import { viewMergeability } from '../../store/mergeability.ts'
import { may } from '../../store/permissions.ts'
import { editPull, findPull, openPull, pullFiles, pullsOf, setDraft } from '../../store/pulls.ts'
import { fullName, type Pull } from '../../store/records.ts'
import { Refusal } from '../../store/refusal.ts'
import { setReviewers } from '../../store/reviewers.ts'
import { HttpRefusal, numberParam } from '../../rest.ts'
import { inputOf, type Answer, type Call, type Route } from '../call.ts'
import { isAfter, listAnswer, ordered } from '../paging.ts'
import { commitPayload, diffPayload } from '../payloads/commits.ts'
import {
  fullMergeRequestPayload,
  mergeRequestPayload,
  readTitle,
  stateOf,
  versionPayload,
} from '../payloads/merge-requests.ts'
import { pipelinePayload } from '../payloads/pipelines.ts'
import { demandSome, Names, namesOf, threadPatch, threadPatchOf } from './issues.ts'

const REQUESTS = '/projects/:id/merge_requests'
const ONE = `${REQUESTS}/:iid`

const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const Ids = Type.Optional(Type.Array(Type.Integer()))
const NewRequest = Type.Object({
  source_branch: Type.String(),
  target_branch: Type.String(),
  title: Type.String(),
  description: Text,
  labels: Type.Optional(Names),
  assignee_ids: Ids,
  reviewer_ids: Ids,
})
const RequestPatch = Type.Object({ ...threadPatch, target_branch: Type.Optional(Type.String()), reviewer_ids: Ids })
const readNewRequest = inputOf(NewRequest)
const readPatch = inputOf(RequestPatch)
const readMerge = inputOf(
  Type.Object({
    sha: Type.Optional(Type.String()),
    squash: Type.Optional(Type.Boolean()),
    merge_commit_message: Type.Optional(Type.String()),
    squash_commit_message: Type.Optional(Type.String()),
    should_remove_source_branch: Type.Optional(Type.Boolean()),
  }),
)

export const mergeRequestRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: REQUESTS,
    run: (call) => listAnswer(call, selected(call), (pull) => mergeRequestPayload(call.links, call.repository, pull)),
  },
  { method: 'POST', path: REQUESTS, run: open },
  { method: 'GET', path: ONE, run: async (call) => ({ body: await show(call, pullOf(call)) }) },
  { method: 'PUT', path: ONE, run: edit },
  { method: 'PUT', path: `${ONE}/merge`, run: merge },
  {
    method: 'GET',
    path: `${ONE}/diffs`,
    run: async (call) => listAnswer(call, await pullFiles(call.repository, pullOf(call)), diffPayload),
  },
  {
    method: 'GET',
    path: `${ONE}/raw_diffs`,
    async run(call) {
      const pull = pullOf(call)
      return { text: await call.repository.git.diffText(pull.diffBase, pull.headSha) }
    },
  },
  {
    method: 'GET',
    path: `${ONE}/commits`,
    async run(call) {
      const pull = pullOf(call)
      const commits = await call.repository.git.commitsBetween(pull.baseSha, pull.headSha)
      return listAnswer(call, commits.toReversed(), (commit) => commitPayload(call.links, call.repository, commit))
    },
  },
  {
    method: 'GET',
    path: `${ONE}/versions`,
    run(call) {
      const pull = pullOf(call)
      return listAnswer(call, pull.versions.toReversed(), (version) => versionPayload(pull, version))
    },
  },
  { method: 'GET', path: `${ONE}/versions/:version`, run: showVersion },
  {
    method: 'GET',
    path: `${ONE}/pipelines`,
    run(call) {
      const heads = new Set(pullOf(call).versions.map((version) => version.headSha))
      const suites = call.repository.suites.filter((suite) => heads.has(suite.sha))
      return listAnswer(call, suites.toReversed(), (suite) => pipelinePayload(call.links, call.repository, suite))
    },
  },
]

export function pullOf(call: Call): Pull {
  return findPull(call.repository, numberParam(call, 'iid'))
}

async function showVersion(call: Call): Promise<Answer> {
  const pull = pullOf(call)
  const id = numberParam(call, 'version')
  const version = pull.versions.find((one) => one.id === id)
  if (!version) throw new Refusal('not-found')
  const { git } = call.repository
  const commits = await git.commitsBetween(version.diffBase, version.headSha)
  const files = await git.diffFiles(version.diffBase, version.headSha)
  return {
    body: {
      ...versionPayload(pull, version),
      commits: commits.toReversed().map((commit) => commitPayload(call.links, call.repository, commit)),
      diffs: files.map(diffPayload),
    },
  }
}

async function show(call: Call, pull: Pull): Promise<unknown> {
  const { repository } = call
  const view = await viewMergeability(repository, pull, call.faults.strikeMergeability())
  const late = view.mergeable === true && view.state !== 'draft' && (await isBehind(call, pull))
  const whole = late ? { ...view, state: 'behind' as const } : view
  return fullMergeRequestPayload(call.links, call.world, repository, pull, call.actor, whole)
}

/** Where only a fast forward is left. */
async function isBehind({ repository }: Call, pull: Pull): Promise<boolean> {
  if (plainMethod(repository.mergeMethods) !== 'rebase') return false
  const base = await repository.git.branchTip(pull.base)
  return base !== undefined && !(await repository.git.isAncestor(base, pull.headSha))
}

function plainMethod(methods: ReadonlySet<string>): 'merge' | 'rebase' | 'squash' {
  return methods.has('merge') ? 'merge' : methods.has('rebase') ? 'rebase' : 'squash'
}

async function open(call: Call): Promise<Answer> {
  const input = readNewRequest(call)
  const { title, draft } = readTitle(input.title)
  const head = input.source_branch
  const rival = pullsOf(call.repository).find(
    (pull) => pull.state === 'open' && pull.head === head && pull.base === input.target_branch,
  )
  if (rival && may(call.repository, call.writer, 'write'))
    throw new Refusal('pull-exists', { detail: String(rival.number) })
  const pull = await openPull(call.world, call.repository, call.writer, {
    ...{ title, draft, head, base: input.target_branch, body: input.description ?? null },
  })
  editIssue(
    call.world,
    call.repository,
    call.writer,
    pull,
    threadPatchOf(call, pull, {
      ...(input.labels === undefined ? {} : { labels: input.labels }),
      ...(input.assignee_ids === undefined ? {} : { assignee_ids: input.assignee_ids }),
    }),
  )
  reviewers(call, pull, input.reviewer_ids)
  return { status: 201, body: await show(call, pull) }
}

async function edit(call: Call): Promise<Answer> {
  const pull = pullOf(call)
  const input = readPatch(call)
  demandSome(input, Object.keys(RequestPatch.properties))
  const { labels, assignees, title, ...rest } = threadPatchOf(call, pull, input)
  const wanted = title === undefined ? undefined : readTitle(title)
  await editPull(call.world, call.repository, call.writer, pull, {
    ...rest,
    ...(wanted === undefined ? {} : { title: wanted.title }),
    ...(input.target_branch === undefined ? {} : { base: input.target_branch }),
  })
  if (wanted) setDraft(call.world, call.repository, call.writer, pull, wanted.draft)
  editIssue(call.world, call.repository, call.writer, pull, {
    ...(labels === undefined ? {} : { labels }),
    ...(assignees === undefined ? {} : { assignees }),
  })
  reviewers(call, pull, input.reviewer_ids)
  return { body: await show(call, pull) }
}

function reviewers(call: Call, pull: Pull, ids: readonly number[] | undefined): void {
  if (ids === undefined) return
  const users = [...call.world.users.values()].filter((user) => ids.includes(user.id))
  setReviewers(call.world, call.repository, call.writer, pull, users)
}

async function merge(call: Call): Promise<Answer> {
  const pull = pullOf(call)
  const input = readMerge(call)
  // GitLab words this one refusal as if there were no token.
  if (!may(call.repository, call.writer, 'write')) throw new HttpRefusal(401, '401 Unauthorized')
  const plain = plainMethod(call.repository.mergeMethods)
  const method = input.squash === true && call.repository.mergeMethods.has('squash') ? 'squash' : plain
  const [title = '', ...rest] = (messageOf(call, pull, method, input) ?? '').split('\n\n')
  await mergePull(call.world, call.repository, call.writer, pull, {
    ...(input.sha === undefined ? {} : { sha: input.sha }),
    ...{ method, title, message: rest.join('\n\n') },
  })
  if (input.should_remove_source_branch && !call.repository.deleteBranchOnMerge)
    await deleteBranch(call.world, call.repository, call.writer, pull.head)
  return { body: await show(call, pull) }
}

interface Messages {
  readonly merge_commit_message?: string
  readonly squash_commit_message?: string
}

function messageOf(call: Call, pull: Pull, method: string, input: Messages): string {
  if (method === 'squash') return input.squash_commit_message ?? pull.title
  const parts = [`Merge branch '${pull.head}' into '${pull.base}'`, pull.title]
  return (
    input.merge_commit_message ??
    [...parts, `See merge request ${fullName(call.repository)}!${pull.number}`].join('\n\n')
  )
}

function selected(call: Call): Pull[] {
  const { state = 'all', source_branch: head, target_branch: base, updated_after: updated, labels } = call.query
  const wanted = namesOf(labels)?.map((name) => name.toLowerCase()) ?? []
  const found = pullsOf(call.repository).filter(
    (pull) =>
      (state === 'all' || stateOf(pull) === state) &&
      (head === undefined || pull.head === head) &&
      (base === undefined || pull.base === base) &&
      wanted.every((name) => pull.labels.some((label) => label.name.toLowerCase() === name)) &&
      isAfter(pull.updatedAt, updated),
  )
  return ordered(call, found, { created_at: (pull) => pull.createdAt, updated_at: (pull) => pull.updatedAt })
}
