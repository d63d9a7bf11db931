import { ForgeUnavailableError, NotFoundError, NotMergeableError } from '../errors.ts'
import type { ForgeMergeRequest, ForgePort, MergeRequestQuery } from '../port.ts'
import { pageAt, apiPathOf, type GitlabClient } from './client.ts'
import { mergeFailureOf, openFailureOf } from './failure.ts'
import type { Visibility } from './issues.ts'
import { commitOf, fileOf, isUndecided, mergeableOf, mergeCommitOf, mergeRequestOf } from './records.ts'
import { reviewPart } from './reviews.ts'
import * as schema from './schema.ts'

type MergeRequestPart = Pick<
  ForgePort,
  | 'listMergeRequests'
  | 'mergeRequestHistory'
  | 'mergeRequest'
  | 'mergeRequestCommits'
  | 'files'
  | 'diff'
  | 'listReviews'
  | 'createMergeRequest'
  | 'mergeMergeRequest'
  | 'postReview'
  | 'reply'
>

const HISTORY = { order_by: 'updated_at', sort: 'desc' } as const

export function mergeRequestPart(client: GitlabClient, visibility: Visibility): MergeRequestPart {
  return { ...reading(client), ...writing(client), ...reviewPart(client, visibility) }
}

function reading(
  client: GitlabClient,
): Pick<
  MergeRequestPart,
  'listMergeRequests' | 'mergeRequestHistory' | 'mergeRequest' | 'mergeRequestCommits' | 'files' | 'diff'
> {
  return {
    async mergeRequestHistory(path, from) {
      const { items, ...rest } = await client.page('list merge requests', schema.MergeRequest, {
        apiPath: apiPathOf(path, 'merge_requests'),
        query: { ...HISTORY, ...pageAt(from) },
      })
      return { items: await listed(client, path, items), ...rest }
    },
    async listMergeRequests(path, query = {}) {
      const found = await client.list('list merge requests', schema.MergeRequest, {
        apiPath: apiPathOf(path, 'merge_requests'),
        query: mergeRequestQuery(query),
      })
      // A branch of that name in a fork is another one.
      const isAsked = (one: schema.MergeRequest): boolean =>
        query.headBranch === undefined || one.source_project_id === one.target_project_id
      return listed(client, path, found.filter(isAsked))
    },
    async mergeRequest(path, number) {
      const found = await readMergeRequest(client, path, number)
      const headRepository = await headRepositories(client, path)(found)
      return mergeRequestOf(found, { headRepository, mergeable: mergeableOf(found) })
    },
    async mergeRequestCommits(path, number) {
      const found = await client.list('list commits of a merge request', schema.ListedCommit, {
        apiPath: apiPathOf(path, 'merge_requests', number, 'commits'),
      })
      return found.map(commitOf).toReversed()
    },
    async files(path, number) {
      const found = await client.list('list files', schema.FileDiff, {
        apiPath: apiPathOf(path, 'merge_requests', number, 'diffs'),
      })
      return found.map(fileOf)
    },
    diff: (path, number) =>
      client.text('read diff', { apiPath: apiPathOf(path, 'merge_requests', number, 'raw_diffs') }),
  }
}

function readMergeRequest(client: GitlabClient, path: string, number: number): Promise<schema.MergeRequest> {
  return client.read('read merge request', schema.MergeRequest, { apiPath: apiPathOf(path, 'merge_requests', number) })
}

/** What a list says of mergeability is as old as the last look at each. */
async function listed(
  client: GitlabClient,
  path: string,
  found: readonly schema.MergeRequest[],
): Promise<readonly ForgeMergeRequest[]> {
  const headRepository = headRepositories(client, path)
  const all: ForgeMergeRequest[] = []
  for (const one of found) all.push(mergeRequestOf(one, { headRepository: await headRepository(one), mergeable: null }))
  return all
}

/** GitLab names a fork by its id alone; of one that is gone or hidden nobody learns the path. */
function headRepositories(
  client: GitlabClient,
  path: string,
): (found: schema.MergeRequest) => Promise<string | undefined> {
  const known = new Map<number, Promise<string | undefined>>()
  const read = (id: number): Promise<string | undefined> =>
    client.read('read fork', schema.Project, { apiPath: apiPathOf(String(id)) }).then(
      (fork) => fork.path_with_namespace,
      (error: unknown) => {
        if (error instanceof NotFoundError) return undefined
        throw error
      },
    )
  return ({ source_project_id: source, target_project_id: target }) => {
    if (source === target) return Promise.resolve(path)
    if (typeof source !== 'number') return Promise.resolve(undefined)
    const fork = known.get(source) ?? read(source)
    known.set(source, fork)
    return fork
  }
}

function mergeRequestQuery({ since, state, headBranch }: MergeRequestQuery): Readonly<Record<string, string>> {
  return {
    ...HISTORY,
    ...(state === 'open' ? { state: 'opened' } : {}),
    ...(headBranch === undefined ? {} : { source_branch: headBranch }),
    ...(since === undefined ? {} : { updated_after: new Date(since).toISOString() }),
  }
}

function writing(client: GitlabClient): Pick<MergeRequestPart, 'createMergeRequest' | 'mergeMergeRequest'> {
  return {
    async createMergeRequest(path, { branch, base, title, body }) {
      const made = await client.read('create merge request', schema.MergeRequest, {
        method: 'POST',
        apiPath: apiPathOf(path, 'merge_requests'),
        body: { source_branch: branch, target_branch: base, title, description: body },
        failure: openFailureOf,
      })
      return mergeRequestOf(made, { headRepository: path, mergeable: mergeableOf(made) })
    },
    async mergeMergeRequest(path, number, { sha, method }) {
      const operation = 'merge merge request'
      const answer = await client
        .read(operation, schema.MergeRequest, {
          method: 'PUT',
          apiPath: apiPathOf(path, 'merge_requests', number, 'merge'),
          body: { sha, squash: method === 'squash' },
          failure: mergeFailureOf,
        })
        .catch((error: unknown) => withReason(client, path, number, error))
      const commit = mergeCommitOf(answer)
      if (answer.state === 'merged' && commit !== undefined) return commit
      throw new NotMergeableError(operation, `GitLab did not merge at once (${reasonOf(answer)})`)
    },
  }
}

/** GitLab's refusal is a status and no reason; what it misses stands in the merge request. */
async function withReason(client: GitlabClient, path: string, number: number, error: unknown): Promise<never> {
  if (!(error instanceof NotMergeableError)) throw error
  const found = await readMergeRequest(client, path, number).catch((other: unknown) => {
    // The refusal stands, also where nobody learns its reason.
    if (other instanceof NotFoundError || other instanceof ForgeUnavailableError) return undefined
    throw other
  })
  throw found === undefined
    ? error
    : new NotMergeableError('merge merge request', `${error.detail}: ${reasonOf(found)}`, error)
}

/** It passes by itself. */
const passing = new Set(['ci_still_running', 'security_policy_pipeline_check'])

/** Where the forge is still at work, the reason says so in words that ask for another try. */
function reasonOf(found: schema.MergeRequest): string {
  const status = found.detailed_merge_status ?? found.merge_status ?? found.state
  const words = [status, found.merge_error].filter((one) => typeof one === 'string').join(', ')
  const passes = found.state === 'locked' || passing.has(status) || isUndecided(found)
  return passes ? `${words}, try again` : words
}
