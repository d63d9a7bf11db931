import type { Commit } from '../../git/commits.ts'
import { combinedState, suiteConclusion, suiteStatus } from '../../store/checks.ts'
import { pullsOf } from '../../store/pulls.ts'
import type { CheckRun, CheckSuite, CommitStatus, Repository } from '../../store/records.ts'
import type { Links } from '../links.ts'
import { nodeId, repositoryPayload, userPayload, type Json } from './common.ts'

export function checkRunPayload(links: Links, repository: Repository, run: CheckRun): Json {
  const url = `${links.repository(repository)}/check-runs/${run.id}`
  const html = `${links.webRepository(repository)}/runs/${run.id}`
  return {
    id: run.id,
    name: run.name,
    node_id: nodeId('CheckRun', run.id),
    head_sha: run.suite.sha,
    external_id: run.externalId,
    url,
    html_url: html,
    details_url: run.detailsUrl ?? html,
    status: run.status,
    conclusion: run.conclusion,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    output: { ...run.output, annotations_count: 0, annotations_url: `${url}/annotations` },
    check_suite: { id: run.suite.id },
    app: appPayload(links, repository, run.suite.app),
    pull_requests: pullRefs(links, repository, run.suite.sha),
  }
}

export function checkSuitePayload(links: Links, repository: Repository, suite: CheckSuite): Json {
  return {
    id: suite.id,
    node_id: nodeId('CheckSuite', suite.id),
    head_branch: suite.branch,
    head_sha: suite.sha,
    status: suiteStatus(suite),
    conclusion: suiteConclusion(suite),
    url: `${links.repository(repository)}/check-suites/${suite.id}`,
    before: null,
    after: suite.sha,
    pull_requests: pullRefs(links, repository, suite.sha),
    app: appPayload(links, repository, suite.app),
    created_at: suite.createdAt,
    updated_at: suite.updatedAt,
    latest_check_runs_count: suite.runs.length,
    check_runs_url: `${links.repository(repository)}/check-suites/${suite.id}/check-runs`,
  }
}

/** With what GitHub shows of a suite in the API. */
export function fullCheckSuitePayload(links: Links, repository: Repository, suite: CheckSuite, head: Commit): Json {
  return {
    ...checkSuitePayload(links, repository, suite),
    head_commit: simpleCommitPayload(head),
    repository: repositoryPayload(links, repository),
  }
}

function simpleCommitPayload({ sha, tree, message, author, committer }: Commit): Json {
  const { date, ...by } = committer
  return {
    id: sha,
    tree_id: tree,
    message,
    timestamp: date,
    author: { name: author.name, email: author.email },
    committer: by,
  }
}

function appPayload(links: Links, repository: Repository, slug: string): Json {
  return {
    id: 1,
    slug,
    node_id: nodeId('App', 1),
    name: slug,
    description: '',
    external_url: `${links.web}/apps/${slug}`,
    html_url: `${links.web}/apps/${slug}`,
    owner: userPayload(links, repository.owner),
    created_at: repository.createdAt,
    updated_at: repository.createdAt,
    permissions: {},
    events: [],
  }
}

function pullRefs(links: Links, repository: Repository, sha: string): Json[] {
  const short = { id: repository.id, url: links.repository(repository), name: repository.name }
  return pullsOf(repository)
    .filter((pull) => pull.state === 'open' && pull.headSha === sha)
    .map((pull) => ({
      url: links.pull(repository, pull.number),
      id: pull.pullId,
      number: pull.number,
      head: { ref: pull.head, sha: pull.headSha, repo: short },
      base: { ref: pull.base, sha: pull.baseSha, repo: short },
    }))
}

/** As a webhook shows it. */
export function statusPayload(links: Links, _repository: Repository, status: CommitStatus): Json {
  return {
    id: status.id,
    avatar_url: links.avatar(status.creator),
    state: status.state,
    description: status.description,
    target_url: status.targetUrl,
    context: status.context,
    created_at: status.createdAt,
    updated_at: status.createdAt,
  }
}

function combinedItemPayload(links: Links, repository: Repository, status: CommitStatus): Json {
  return {
    url: `${links.repository(repository)}/statuses/${status.sha}`,
    node_id: nodeId('StatusContext', status.id),
    ...statusPayload(links, repository, status),
  }
}

/** As the API shows it where it is not combined: with its creator. */
export function fullStatusPayload(links: Links, repository: Repository, status: CommitStatus): Json {
  return { ...combinedItemPayload(links, repository, status), creator: userPayload(links, status.creator) }
}

export function combinedStatusPayload(
  links: Links,
  repository: Repository,
  sha: string,
  statuses: readonly CommitStatus[],
  shown: readonly CommitStatus[],
): Json {
  return {
    state: combinedState(statuses),
    statuses: shown.map((status) => combinedItemPayload(links, repository, status)),
    sha,
    total_count: statuses.length,
    repository: repositoryPayload(links, repository),
    commit_url: `${links.repository(repository)}/commits/${sha}`,
    url: `${links.repository(repository)}/commits/${sha}/status`,
  }
}
