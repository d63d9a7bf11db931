/** Where the Project of a scene lives: addresses, names and words that differ with the dialect of the local forge. */
import { asWrittenOn } from '../../cli/demo/people.ts'
import { ownerIn, providers, type ForgeChoice } from '../../cli/local/forge-choice.ts'
import type { Forge } from '../../standins/forge/forge.ts'

export const repositoryName = 'library'

/** What an agent that holds a token would ask the forge for itself: method, path below the API, body. */
export type AskForge = readonly [method: string, path: string, body: object]

export interface Home {
  readonly dialect: ForgeChoice
  readonly provider: (typeof providers)[ForgeChoice]
  readonly owner: string
  /** `owner/name`. */
  readonly repository: string
  /** The bot may write there, and the Project does not know it. */
  readonly foreignRepository: string
  /** Base of the REST API. */
  apiOf(forge: Forge): string
  /** The path of a repository's API. */
  placeOf(repository: string): string
  /** Which repository a request of the orchestrator is about; undefined: none. */
  placeIn(url: string): string | undefined
  /** What people write so that this is read on an issue. */
  written(text: string): string
  readonly ways: Ways
}

interface Ways {
  merge(place: string, number: number): AskForge
  approve(place: string, number: number): AskForge
  label(place: string, number: number, label: string): AskForge
  closeIssue(place: string, number: number): AskForge
  openMergeRequest(place: string, branch: string): AskForge
  openIssue(place: string): AskForge
  /** CI's word on a commit. */
  status(place: string, sha: string, state: 'pending' | 'success'): AskForge
}

const title = 'As I was told'

const github: Pick<Home, 'apiOf' | 'placeOf' | 'placeIn' | 'written' | 'ways'> = {
  apiOf: ({ apiUrl }) => apiUrl,
  placeOf: (repository) => `/repos/${repository}`,
  placeIn: (url) => /\/repos\/([^/]+\/[^/]+)/.exec(url)?.[1],
  written: (text) => text,
  ways: {
    merge: (place, number) => ['PUT', `${place}/pulls/${number}/merge`, {}],
    approve: (place, number) => ['POST', `${place}/pulls/${number}/reviews`, { event: 'APPROVE' }],
    label: (place, number, label) => ['POST', `${place}/issues/${number}/labels`, { labels: [label] }],
    closeIssue: (place, number) => ['PATCH', `${place}/issues/${number}`, { state: 'closed' }],
    openMergeRequest: (place, head) => ['POST', `${place}/pulls`, { title, head, base: 'main' }],
    openIssue: (place) => ['POST', `${place}/issues`, { title }],
    status: (place, sha, state) => ['POST', `${place}/statuses/${sha}`, { state, context: 'test' }],
  },
}

const gitlab: typeof github = {
  apiOf: ({ gitlabApiUrl }) => gitlabApiUrl,
  placeOf: (repository) => `/projects/${encodeURIComponent(repository)}`,
  placeIn: (url) => {
    const path = /\/projects\/([^/?]+)/.exec(url)?.[1]
    return path === undefined ? undefined : decodeURIComponent(path)
  },
  written: (text) => asWrittenOn('gitlab', 'issue', text),
  ways: {
    merge: (place, number) => ['PUT', `${place}/merge_requests/${number}/merge`, {}],
    approve: (place, number) => ['POST', `${place}/merge_requests/${number}/approve`, {}],
    label: (place, number, label) => ['PUT', `${place}/issues/${number}`, { add_labels: label }],
    closeIssue: (place, number) => ['PUT', `${place}/issues/${number}`, { state_event: 'close' }],
    openMergeRequest: (place, branch) => [
      'POST',
      `${place}/merge_requests`,
      { title, source_branch: branch, target_branch: 'main' },
    ],
    openIssue: (place) => ['POST', `${place}/issues`, { title }],
    status: (place, sha, state) => ['POST', `${place}/statuses/${sha}`, { state, name: 'test' }],
  },
}

export function homeIn(dialect: ForgeChoice): Home {
  const owner = ownerIn(dialect)
  return {
    ...(dialect === 'gitlab' ? gitlab : github),
    dialect,
    provider: providers[dialect],
    owner,
    repository: `${owner}/${repositoryName}`,
    foreignRepository: `${owner}/vault`,
  }
}
