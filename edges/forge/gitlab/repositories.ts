import { ForbiddenError, NotFoundError, UnauthorizedError } from '../errors.ts'
import type { ForgePermission, ForgePort } from '../port.ts'
import { ciReportOf, currentPipelines, type PipelineJobs } from './ci.ts'
import { apiPathOf, type GitlabClient } from './client.ts'
import { accountOf, commitOf, repositoryOf } from './records.ts'
import * as schema from './schema.ts'

type RepositoryPart = Pick<
  ForgePort,
  | 'whoAmI'
  | 'repository'
  | 'permissionOf'
  | 'ci'
  | 'jobLog'
  | 'requiredChecks'
  | 'commits'
  | 'recentHeads'
  | 'branchHead'
  | 'commitsAhead'
  | 'deleteBranch'
>

export function repositoryPart(client: GitlabClient): RepositoryPart {
  return { ...identity(client), ...checks(client), ...branches(client) }
}

/** Least first. Guests and planners read; a reporter sorts issues; the owner of a project is its admin. */
const permissions: readonly (readonly [number, ForgePermission])[] = [
  [10, 'read'],
  [20, 'triage'],
  [30, 'write'],
  [40, 'maintain'],
  [50, 'admin'],
]

function identity(client: GitlabClient): Pick<RepositoryPart, 'whoAmI' | 'repository' | 'permissionOf'> {
  return {
    async whoAmI() {
      const account = await client.read('read own account', schema.Account, { apiPath: '/user' })
      const { scopes = [] } = await client
        .read('read own token', schema.Token, { apiPath: '/personal_access_tokens/self' })
        .catch(withoutScopes)
      return { ...accountOf(account), scopes }
    },
    async repository(path) {
      return repositoryOf(await client.read('read repository', schema.Project, { apiPath: apiPathOf(path) }))
    },
    async permissionOf(path, login) {
      const named = await client.list('find account', schema.Account, { apiPath: '/users', query: { username: login } })
      const account = named.find(({ username }) => username.toLowerCase() === login.toLowerCase())
      if (account === undefined) return 'none'
      try {
        const member = await client.read('read permission', schema.Member, {
          apiPath: apiPathOf(path, 'members', 'all', account.id),
        })
        return permissionIn(member)
      } catch (error) {
        if (error instanceof NotFoundError) return 'none'
        throw error
      }
    },
  }
}

/** An OAuth token is none that may ask about itself. */
function withoutScopes(error: unknown): Readonly<{ scopes?: string[] }> {
  if ([NotFoundError, ForbiddenError, UnauthorizedError].some((kind) => error instanceof kind)) return {}
  throw error
}

/** Who is blocked keeps the membership and may do nothing. */
function permissionIn({ access_level, state }: { access_level: number; state?: string | null }): ForgePermission {
  if (typeof state === 'string' && state !== 'active') return 'none'
  return permissions.findLast(([level]) => access_level >= level)?.[1] ?? 'none'
}

function checks(client: GitlabClient): Pick<RepositoryPart, 'ci' | 'jobLog' | 'requiredChecks'> {
  return {
    async ci(path, sha) {
      const pipelines = await pipelinesOf(client, path, sha)
      const within: PipelineJobs[] = []
      for (const { id } of pipelines) within.push(await jobsOf(client, path, id))
      const statuses = await client.list('list statuses', schema.CommitStatus, {
        apiPath: apiPathOf(path, 'repository', 'commits', sha, 'statuses'),
      })
      return ciReportOf(sha, pipelines, within, statuses)
    },
    async jobLog(path, job) {
      try {
        const log = await client.text('read a job log', { apiPath: apiPathOf(path, 'jobs', job, 'trace') })
        // A log that was erased is an empty one.
        return log === '' ? undefined : log
      } catch (error) {
        if (error instanceof NotFoundError || error instanceof ForbiddenError) return undefined
        throw error
      }
    },
    /** GitLab requires the pipeline as a whole, no check by its name. What may fail is no red check of a head. */
    async requiredChecks(path) {
      const { only_allow_merge_if_pipeline_succeeds: isRequired } = await client.read('read project', schema.Project, {
        apiPath: apiPathOf(path),
      })
      if (isRequired === true) return { names: [], all: true }
      return isRequired === false ? { names: [] } : { names: [], unread: 'whether the pipeline must succeed' }
    },
  }
}

async function pipelinesOf(client: GitlabClient, path: string, sha: string): Promise<readonly schema.Pipeline[]> {
  const ofCommit = await client
    .list('list pipelines', schema.Pipeline, { apiPath: apiPathOf(path, 'pipelines'), query: { sha } })
    .catch(turnedOff)
  return currentPipelines([...ofCommit, ...(await mergedPipelines(client, path, sha))])
}

/** Of the result that a merge request or its train would have: a commit of its own, so that no list of the head has it. */
const mergedRef = /^refs\/merge-requests\/\d+\/(?:merge|train)$/

async function mergedPipelines(client: GitlabClient, path: string, sha: string): Promise<readonly schema.Pipeline[]> {
  const ofCommit = await client
    .list('list merge requests of a commit', schema.HeadedMergeRequest, {
      apiPath: apiPathOf(path, 'repository', 'commits', sha, 'merge_requests'),
    })
    .catch(turnedOff)
  const open = ofCommit.filter((one) => one.state === 'opened' && one.sha === sha)
  const found: schema.Pipeline[] = []
  for (const { iid } of open) {
    const { head_pipeline } = await client.read('read merge request', schema.HeadedMergeRequest, {
      apiPath: apiPathOf(path, 'merge_requests', iid),
    })
    if (head_pipeline && mergedRef.test(head_pipeline.ref ?? '')) found.push(head_pipeline)
  }
  return found
}

/** The project has no pipelines or merge requests, keeps them from the token, or has no such commit (a fork's). */
function turnedOff(error: unknown): [] {
  if (error instanceof NotFoundError || error instanceof ForbiddenError) return []
  throw error
}

async function jobsOf(client: GitlabClient, path: string, pipeline: number): Promise<PipelineJobs> {
  const jobs = await client.list('list jobs', schema.Job, { apiPath: apiPathOf(path, 'pipelines', pipeline, 'jobs') })
  const bridges = await client.list('list trigger jobs', schema.Bridge, {
    apiPath: apiPathOf(path, 'pipelines', pipeline, 'bridges'),
  })
  return { jobs, bridges }
}

function branches(
  client: GitlabClient,
): Pick<RepositoryPart, 'commits' | 'recentHeads' | 'branchHead' | 'commitsAhead' | 'deleteBranch'> {
  const listCommits = async (path: string, query: Readonly<Record<string, string | number>>) =>
    (
      await client.page('list commits', schema.ListedCommit, {
        apiPath: apiPathOf(path, 'repository', 'commits'),
        query,
      })
    ).items
  return {
    async commits(path, { since, limit }) {
      const found = await listCommits(path, {
        since: new Date(since).toISOString(),
        per_page: Math.min(limit, 100),
      })
      return found.slice(0, limit).map(commitOf)
    },
    async recentHeads(path, branch, limit) {
      const found = await listCommits(path, { ref_name: branch, per_page: limit })
      return found.map((commit) => commit.id)
    },
    async branchHead(path, branch) {
      try {
        const found = await client.read('read branch', schema.Branch, {
          apiPath: apiPathOf(path, 'repository', 'branches', branch),
        })
        return found.commit.id
      } catch (error) {
        if (error instanceof NotFoundError) return undefined
        throw error
      }
    },
    async commitsAhead(path, base, head) {
      const compared = await client.read('compare branches', schema.Compared, {
        apiPath: apiPathOf(path, 'repository', 'compare'),
        query: { from: base, to: head },
      })
      return compared.commits.length
    },
    async deleteBranch(path, branch) {
      await client
        .send('delete branch', { method: 'DELETE', apiPath: apiPathOf(path, 'repository', 'branches', branch) })
        .catch(gone)
    },
  }
}

function gone(error: unknown): void {
  if (!(error instanceof NotFoundError)) throw error
}
