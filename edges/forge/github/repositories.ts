import { ForbiddenError, NotFoundError } from '../errors.ts'
import type { ForgePermission, ForgePort } from '../port.ts'
import { ciReportOf, isCancelled, statusesOf } from './ci.ts'
import { repositoryParamsOf, type GithubClient } from './client.ts'
import { statusOf } from './failure.ts'
import { accountOf, commitOf, repositoryOf } from './records.ts'
import { requiredChecks } from './required-checks.ts'
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

export function repositoryPart(client: GithubClient): RepositoryPart {
  return { ...identity(client), ...checks(client), ...branches(client) }
}

const permissions: readonly ForgePermission[] = ['admin', 'maintain', 'write', 'triage', 'read']

function identity(client: GithubClient): Pick<RepositoryPart, 'whoAmI' | 'repository' | 'permissionOf'> {
  return {
    async whoAmI() {
      let scopes: readonly string[] = []
      const account = await client.read('read own account', schema.Account, async (rest) => {
        const answer = await rest.rest.users.getAuthenticated()
        scopes = (answer.headers['x-oauth-scopes'] ?? '')
          .split(',')
          .map((scope) => scope.trim())
          .filter((scope) => scope !== '')
        return answer
      })
      return { ...accountOf(account), scopes }
    },
    async repository(path) {
      return repositoryOf(
        await client.read('read repository', schema.Repository, (rest) =>
          rest.rest.repos.get({ ...repositoryParamsOf(path) }),
        ),
      )
    },
    async permissionOf(path, username) {
      try {
        const found = await client.read('read permission', schema.Permission, (rest) =>
          rest.rest.repos.getCollaboratorPermissionLevel({ ...repositoryParamsOf(path), username }),
        )
        return (
          permissions.find((one) => one === found.role_name) ??
          permissions.find((one) => one === found.permission) ??
          'none'
        )
      } catch (error) {
        if (error instanceof NotFoundError) return 'none'
        throw error
      }
    },
  }
}

function checks(client: GithubClient): Pick<RepositoryPart, 'ci' | 'jobLog' | 'requiredChecks'> {
  return {
    async ci(path, sha) {
      const repositoryParams = { ...repositoryParamsOf(path), ref: sha, per_page: 100 }
      const suites = await client.list('list check suites', schema.CheckSuite, (rest) =>
        rest.paginate(rest.rest.checks.listSuitesForRef, repositoryParams),
      )
      // The latest leave out a run that a newer suite has cancelled.
      const filter = suites.some(isCancelled) ? 'all' : 'latest'
      const runs = await client.list('list check runs', schema.CheckRun, (rest) =>
        rest.paginate(rest.rest.checks.listForRef, { ...repositoryParams, filter }),
      )
      const pages = await client.list('list statuses', schema.CombinedStatus, (rest) =>
        rest.paginate(rest.rest.repos.getCombinedStatusForRef, repositoryParams, ({ data }) => [data]),
      )
      return ciReportOf(sha, suites, runs, statusesOf(pages))
    },
    async jobLog(path, job) {
      try {
        return await client.redirected('read a job log', (rest) =>
          rest.rest.actions.downloadJobLogsForWorkflowRun({
            ...repositoryParamsOf(path),
            job_id: Number(job),
            request: { redirect: 'manual' },
          }),
        )
      } catch (error) {
        if (error instanceof NotFoundError || error instanceof ForbiddenError) return undefined
        throw error
      }
    },
    requiredChecks: (path, branch) => requiredChecks(client, path, branch),
  }
}

function branches(
  client: GithubClient,
): Pick<RepositoryPart, 'commits' | 'recentHeads' | 'branchHead' | 'commitsAhead' | 'deleteBranch'> {
  return {
    async commits(path, { since, limit }) {
      const query = {
        ...repositoryParamsOf(path),
        since: new Date(since).toISOString(),
        per_page: Math.min(limit, 100),
      }
      const found = await client.page('list commits', schema.ListedCommit, (rest) => rest.rest.repos.listCommits(query))
      return found.items.slice(0, limit).map(commitOf)
    },
    async recentHeads(path, branch, limit) {
      const found = await client.page('list commits', schema.CommitSha, (rest) =>
        rest.rest.repos.listCommits({ ...repositoryParamsOf(path), sha: branch, per_page: limit }),
      )
      return found.items.map((commit) => commit.sha)
    },
    async branchHead(path, branch) {
      try {
        const found = await client.read('read branch', schema.Branch, (rest) =>
          rest.rest.repos.getBranch({ ...repositoryParamsOf(path), branch }),
        )
        return found.commit.sha
      } catch (error) {
        if (error instanceof NotFoundError) return undefined
        throw error
      }
    },
    async commitsAhead(path, base, head) {
      const compared = await client.read('compare branches', schema.Compared, (rest) =>
        rest.rest.repos.compareCommitsWithBasehead({ ...repositoryParamsOf(path), basehead: `${base}...${head}` }),
      )
      return compared.ahead_by
    },
    async deleteBranch(path, branch) {
      await client
        .send('delete branch', (rest) =>
          rest.rest.git.deleteRef({ ...repositoryParamsOf(path), ref: `heads/${branch}` }),
        )
        .catch(gone)
    },
  }
}

/** GitHub answers 422 for a reference that does not exist. A 405 is a server that cannot delete one. */
function gone(error: unknown): void {
  if (!(error instanceof NotFoundError || statusOf(error) === 422)) throw error
}
