import { Type } from 'typebox'
import { commitsBetween, countCommits, listCommits, readCommit } from '../../git/commits.ts'
import { diffFiles, diffText } from '../../git/diff.ts'
import { branchOf, branchTip, listRefs, mergeBase, moveRef, readRef, resolveCommit, ZERO_SHA } from '../../git/refs.ts'
import { deleteBranch } from '../../store/merge.ts'
import { demand } from '../../store/permissions.ts'
import { acceptPush } from '../../store/push.ts'
import type { Protection } from '../../store/records.ts'
import { Refusal } from '../../store/refusal.ts'
import { bodyOf, type Call, type Route } from '../call.ts'
import { HttpRefusal } from '../errors.ts'
import { listAnswer } from '../paging.ts'
import { commitPayload, type Json } from '../payloads/common.ts'
import { filePayload } from '../payloads/pulls.ts'

const REPO = '/repos/:owner/:repo'

const NewRef = Type.Object({
  ref: Type.String({ pattern: '^refs/heads/.+' }),
  sha: Type.String({ pattern: '^[0-9a-f]{40}$' }),
})
const readNewRef = bodyOf(NewRef, 'Reference')

/** Branch names hold slashes, so they are the rest of the path; what follows the name is told apart by its end. */
export const branchRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: `${REPO}/branches`,
    async run(call) {
      const refs = await listRefs(call.repository.path, 'refs/heads/')
      return listAnswer(call, refs, ({ ref, sha }) => ({
        name: branchOf(ref),
        commit: { sha, url: `${call.links.repository(call.repository)}/commits/${sha}` },
        protected: call.repository.protection.has(branchOf(ref) ?? ''),
      }))
    },
  },
  {
    method: 'GET',
    path: `${REPO}/branches/*`,
    async run(call) {
      const [, name = '', part] =
        /^(.+?)(\/protection(?:\/required_status_checks|\/required_pull_request_reviews)?)?$/.exec(
          call.params['*'] ?? '',
        ) ?? []
      const sha = await branchTip(call.repository.path, name)
      if (!sha) throw new HttpRefusal(404, 'Branch not found')
      return { body: part ? protectionPart(call, name, part) : await branchPayload(call, name, sha) }
    },
  },
  {
    method: 'GET',
    path: `${REPO}/git/ref/*`,
    run: async (call) => ({ body: await refPayload(call, `refs/${call.params['*'] ?? ''}`) }),
  },
  {
    method: 'GET',
    path: `${REPO}/git/matching-refs/*`,
    async run(call) {
      const wanted = `refs/${call.params['*'] ?? ''}`
      const refs = (await listRefs(call.repository.path, 'refs/')).filter(({ ref }) => ref.startsWith(wanted))
      return listAnswer(call, refs, ({ ref, sha }) => refJson(call, ref, sha))
    },
  },
  { method: 'POST', path: `${REPO}/git/refs`, run: createRef },
  {
    method: 'DELETE',
    path: `${REPO}/git/refs/*`,
    async run(call) {
      const branch = branchOf(`refs/${call.params['*'] ?? ''}`)
      if (branch === undefined) throw new Refusal('ref-absent')
      await deleteBranch(call.world, call.repository, call.writer, branch)
      return { status: 204 }
    },
  },
  {
    method: 'GET',
    path: `${REPO}/commits`,
    async run(call) {
      const sha = await resolveCommit(call.repository.path, call.query.sha ?? call.repository.defaultBranch)
      if (!sha) throw new HttpRefusal(409, 'Git Repository is empty.')
      const commits = await listCommits(
        call.repository.path,
        [sha, ...(call.query.path ? ['--', call.query.path] : [])],
        1_000,
      )
      return listAnswer(call, commits, (commit) => commitPayload(call.links, call.repository, commit))
    },
  },
  {
    method: 'GET',
    path: `${REPO}/compare/*`,
    async run(call) {
      const [base, head] = (call.params['*'] ?? '').split('...')
      return { body: await comparePayload(call, await shaOf(call, base ?? ''), await shaOf(call, head ?? '')) }
    },
  },
]

export async function shaOf(call: Call, name: string): Promise<string> {
  const sha = await resolveCommit(call.repository.path, name)
  if (!sha) throw new Refusal('not-found')
  return sha
}

/** One commit: with its files, or as a diff, by the asked media type. */
export async function showCommit(
  call: Call,
  sha: string,
): Promise<{ body?: Json; text?: { type: string; content: string } }> {
  const { repository, links } = call
  const commit = await readCommit(repository.path, sha)
  const parent = commit.parents[0] ?? '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
  if (call.accept.includes('sha')) return { text: { type: 'application/vnd.github.sha; charset=utf-8', content: sha } }
  if (call.accept.includes('diff'))
    return {
      text: {
        type: 'application/vnd.github.diff; charset=utf-8',
        content: await diffText(repository.path, parent, sha),
      },
    }
  const files = await diffFiles(repository.path, parent, sha)
  const additions = files.reduce((total, file) => total + file.additions, 0)
  const deletions = files.reduce((total, file) => total + file.deletions, 0)
  return {
    body: {
      ...commitPayload(links, repository, commit),
      stats: { additions, deletions, total: additions + deletions },
      files: files.map((file) => filePayload(links, repository, sha, file)),
    },
  }
}

async function branchPayload(call: Call, name: string, sha: string): Promise<Json> {
  const { repository, links } = call
  const rules = repository.protection.get(name)
  const checks = rules?.requiredChecks ?? []
  return {
    name,
    commit: commitPayload(links, repository, await readCommit(repository.path, sha)),
    _links: {
      self: `${links.repository(repository)}/branches/${name}`,
      html: `${links.webRepository(repository)}/tree/${name}`,
    },
    protected: rules !== undefined,
    protection_url: `${links.repository(repository)}/branches/${name}/protection`,
    protection: {
      enabled: rules !== undefined,
      required_status_checks: {
        enforcement_level: checks.length === 0 ? 'off' : rules?.enforceAdmins ? 'everyone' : 'non_admins',
        contexts: checks,
        checks: checks.map((context) => ({ context, app_id: null })),
      },
    },
  }
}

/** Rules are the admins' alone to read; everybody else is told that nothing is there. */
function protectionPart(call: Call, name: string, part: string): Json {
  demandAdmin(call)
  const rules = call.repository.protection.get(name)
  if (!rules) throw new HttpRefusal(404, 'Branch not protected')
  const whole = protectionPayload(call, name, rules)
  const found = part === '/protection' ? whole : whole[part.slice('/protection/'.length)]
  if (!found) throw new HttpRefusal(404, 'Not Found')
  return found as Json
}

function demandAdmin(call: Call): void {
  try {
    demand(call.repository, call.actor, 'admin')
  } catch {
    throw new Refusal('not-found')
  }
}

function protectionPayload(call: Call, name: string, rules: Protection): Json {
  const url = `${call.links.repository(call.repository)}/branches/${name}/protection`
  return {
    url,
    enforce_admins: { url: `${url}/enforce_admins`, enabled: rules.enforceAdmins },
    ...(rules.requiredChecks.length > 0
      ? {
          required_status_checks: {
            url: `${url}/required_status_checks`,
            strict: rules.strict,
            contexts: rules.requiredChecks,
            checks: rules.requiredChecks.map((context) => ({ context, app_id: null })),
          },
        }
      : {}),
    ...(rules.requiredApprovals > 0
      ? {
          required_pull_request_reviews: {
            url: `${url}/required_pull_request_reviews`,
            dismiss_stale_reviews: false,
            require_code_owner_reviews: false,
            required_approving_review_count: rules.requiredApprovals,
          },
        }
      : {}),
    allow_force_pushes: { enabled: false },
    allow_deletions: { enabled: false },
  }
}

async function refPayload(call: Call, ref: string): Promise<Json> {
  const sha = await readRef(call.repository.path, ref)
  if (!sha) throw new Refusal('not-found')
  return refJson(call, ref, sha)
}

function refJson(call: Call, ref: string, sha: string): Json {
  const url = `${call.links.repository(call.repository)}/git`
  return {
    ref,
    node_id: Buffer.from(`Ref:${ref}`).toString('base64'),
    url: `${url}/${ref}`,
    object: { type: 'commit', sha, url: `${url}/commits/${sha}` },
  }
}

async function createRef(call: Call): Promise<{ status: number; body: Json }> {
  const { ref, sha } = readNewRef(call)
  demand(call.repository, call.writer, 'write')
  if ((await resolveCommit(call.repository.path, sha)) !== sha) throw new HttpRefusal(422, 'Object does not exist')
  const update = { ref, before: ZERO_SHA, after: sha }
  if (!(await moveRef(call.repository.path, update))) throw new HttpRefusal(422, 'Reference already exists')
  await acceptPush(call.world, call.repository, call.writer.user, [update])
  return { status: 201, body: refJson(call, ref, sha) }
}

async function comparePayload(call: Call, base: string, head: string): Promise<Json> {
  const { repository, links } = call
  const common = await mergeBase(repository.path, base, head)
  if (!common) throw new Refusal('not-found')
  const [ahead, behind, commits, files] = await Promise.all([
    countCommits(repository.path, base, head),
    countCommits(repository.path, head, base),
    commitsBetween(repository.path, base, head),
    diffFiles(repository.path, common, head),
  ])
  return {
    status: ahead > 0 && behind > 0 ? 'diverged' : ahead > 0 ? 'ahead' : behind > 0 ? 'behind' : 'identical',
    ahead_by: ahead,
    behind_by: behind,
    total_commits: ahead,
    base_commit: commitPayload(links, repository, await readCommit(repository.path, base)),
    merge_base_commit: commitPayload(links, repository, await readCommit(repository.path, common)),
    commits: commits.map((commit) => commitPayload(links, repository, commit)),
    files: files.map((file) => filePayload(links, repository, head, file)),
  }
}
