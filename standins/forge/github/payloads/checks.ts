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
    app: appPayload(repository, run.suite.app),
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
    app: appPayload(repository, suite.app),
    created_at: suite.createdAt,
    updated_at: suite.updatedAt,
    latest_check_runs_count: suite.runs.length,
    check_runs_url: `${links.repository(repository)}/check-suites/${suite.id}/check-runs`,
  }
}

function appPayload(repository: Repository, slug: string): Json {
  return {
    id: 1,
    slug,
    node_id: nodeId('App', 1),
    name: slug,
    description: '',
    external_url: '',
    html_url: '',
    owner: { login: repository.owner.login },
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

export function statusPayload(links: Links, repository: Repository, status: CommitStatus): Json {
  return {
    url: `${links.repository(repository)}/statuses/${status.sha}`,
    id: status.id,
    node_id: nodeId('StatusContext', status.id),
    state: status.state,
    description: status.description,
    target_url: status.targetUrl,
    context: status.context,
    created_at: status.createdAt,
    updated_at: status.createdAt,
    creator: userPayload(links, status.creator),
  }
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
    statuses: shown.map((status) => statusPayload(links, repository, status)),
    sha,
    total_count: statuses.length,
    repository: repositoryPayload(links, repository),
    commit_url: `${links.repository(repository)}/commits/${sha}`,
    url: `${links.repository(repository)}/commits/${sha}/status`,
  }
}
