import { Type } from 'typebox'
import { branchOf } from '../../git/refs.ts'
import { deleteBranch } from '../../store/merge.ts'
import type { Protection } from '../../store/records.ts'
import { inputOf, type Call, type Route } from '../call.ts'
import { HttpRefusal } from '../../rest.ts'
import { isAfter, listAnswer } from '../paging.ts'
import type { Json } from '../payloads/common.ts'
import { branchPayload, commitPayload, diffPayload } from '../payloads/commits.ts'

const PROJECT = '/projects/:id'
const BRANCHES = `${PROJECT}/repository/branches`
const COMMITS = `${PROJECT}/repository/commits`
const PROTECTED = `${PROJECT}/protected_branches`

const readComparison = inputOf(Type.Object({ from: Type.String(), to: Type.String() }))

export const repositoryRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: BRANCHES,
    async run(call) {
      const refs = await call.repository.git.listRefs('refs/heads/')
      const branches = refs.flatMap(({ ref }) => branchOf(ref) ?? [])
      return listAnswer(call, await Promise.all(branches.map((name) => showBranch(call, name))), (shown) => shown)
    },
  },
  {
    method: 'GET',
    path: `${BRANCHES}/:branch`,
    run: async (call) => ({ body: await showBranch(call, call.params.branch ?? '') }),
  },
  {
    method: 'DELETE',
    path: `${BRANCHES}/:branch`,
    async run(call) {
      await deleteBranch(call.world, call.repository, call.writer, call.params.branch ?? '')
      return { status: 204 }
    },
  },
  {
    method: 'GET',
    path: COMMITS,
    async run(call) {
      const { ref_name: ref = call.repository.defaultBranch, path, since, until } = call.query
      const sha = await call.repository.git.resolveCommit(ref)
      if (!sha) throw new HttpRefusal(404, '404 Commit Not Found')
      const commits = await call.repository.git.listCommits([sha, ...(path ? ['--', path] : [])], 1_000)
      const found = commits.filter(
        ({ committer: { date } }) => isAfter(date, since) && (until === undefined || !isAfter(date, until)),
      )
      return listAnswer(call, found, (commit) => commitPayload(call.links, call.repository, commit))
    },
  },
  {
    method: 'GET',
    path: `${COMMITS}/:sha`,
    async run(call) {
      const commit = await call.repository.git.readCommit(await shaOf(call, call.params.sha ?? ''))
      return { body: commitPayload(call.links, call.repository, commit) }
    },
  },
  { method: 'GET', path: `${PROJECT}/repository/compare`, run: async (call) => ({ body: await compare(call) }) },
  {
    method: 'GET',
    path: PROTECTED,
    closedBelow: 'write',
    run: (call) =>
      listAnswer(call, [...call.repository.protection], ([name, rules]) => protectionPayload(call, name, rules)),
  },
  {
    method: 'GET',
    path: `${PROTECTED}/:branch`,
    closedBelow: 'write',
    run(call) {
      const name = call.params.branch ?? ''
      const rules = call.repository.protection.get(name)
      if (!rules) throw new HttpRefusal(404, '404 Not found')
      return { body: protectionPayload(call, name, rules) }
    },
  },
]

async function showBranch(call: Call, name: string): Promise<Json> {
  const sha = await call.repository.git.branchTip(name)
  if (!sha) throw new HttpRefusal(404, '404 Branch Not Found')
  return branchPayload(call.links, call.repository, call.actor, name, await call.repository.git.readCommit(sha))
}

export async function shaOf(call: Call, name: string): Promise<string> {
  const sha = await call.repository.git.resolveCommit(name)
  if (!sha) throw new HttpRefusal(404, '404 Commit Not Found')
  return sha
}

/** From where the two parted, as a merge request shows it, unless `straight` asks for the two ends. */
async function compare(call: Call): Promise<Json> {
  const { git } = call.repository
  const { from, to } = readComparison(call)
  const [base, head] = [await shaOf(call, from), await shaOf(call, to)]
  const start = call.query.straight === 'true' ? base : ((await git.mergeBase(base, head)) ?? base)
  const commits = await git.commitsBetween(base, head)
  const newest = commits.at(-1)
  return {
    commit: newest ? commitPayload(call.links, call.repository, newest) : null,
    commits: commits.map((commit) => commitPayload(call.links, call.repository, commit)),
    diffs: (await git.diffFiles(start, head)).map(diffPayload),
    compare_timeout: false,
    compare_same_ref: base === head,
    web_url: `${call.links.webProject(call.repository)}/-/compare/${from}...${to}`,
  }
}

/** A branch with rules that only a merge can meet is closed to pushes: "No one". */
function protectionPayload(call: Call, name: string, rules: Protection): Json {
  const isClosed = rules.requiredChecks.length > 0 || rules.requiredApprovals > 0
  const id = [...call.repository.protection.keys()].indexOf(name) + 1
  const level = (number: number, description: string): Json => ({
    id,
    access_level: number,
    access_level_description: description,
    deploy_key_id: null,
    user_id: null,
    group_id: null,
  })
  return {
    id,
    name,
    push_access_levels: [isClosed ? level(0, 'No one') : level(30, 'Developers + Maintainers')],
    merge_access_levels: [level(30, 'Developers + Maintainers')],
    unprotect_access_levels: [],
    allow_force_push: false,
    code_owner_approval_required: false,
    inherited: false,
  }
}
