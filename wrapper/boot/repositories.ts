import type { PodRepositoryEntry } from '../../machines/turn/pod-environment.ts'
import type { EnvironmentReader } from './environment.ts'
import { variablesOf } from './variables.ts'

export interface RepositoryConfig {
  readonly name: string
  readonly url: string
  /** Empty: whatever the remote's HEAD names. */
  readonly base: string
  readonly branch: string
  readonly sha: string
}

/** `REPOS` wins over `REPO_URL` and `REPO_BRANCH`; both set and different is a fault (WRAPPER-RULE-2). */
export function readRepositories(read: EnvironmentReader): readonly RepositoryConfig[] {
  const listed = variablesOf(read)('REPOS').map(fill)
  const single = readSingle(read)
  if (single && listed.length > 0) refuseDifference(read, listed, single)
  const repositories = listed.length > 0 || !single ? listed : [single]
  for (const repository of repositories) checkUrl(read, repository)
  const names = repositories.map((repository) => repository.name)
  for (const name of new Set(names.filter((name, index) => names.indexOf(name) !== index)))
    read.fault(`REPOS names ${name} twice`)
  return repositories
}

function fill(entry: PodRepositoryEntry): RepositoryConfig {
  return { name: entry.name, url: entry.url, base: entry.base ?? '', branch: entry.branch ?? '', sha: entry.sha ?? '' }
}

function readSingle(read: EnvironmentReader): RepositoryConfig | undefined {
  const of = variablesOf(read)
  const url = of('REPO_URL')
  if (url === '') {
    if (read.has('REPO_BRANCH')) read.fault('REPO_BRANCH is set without REPO_URL')
    return undefined
  }
  const name = url
    .replace(/\/+$/, '')
    .replace(/^.*[/:]/s, '')
    .replace(/\.git$/, '')
  return { name, url, base: of('REPO_BRANCH'), branch: '', sha: '' }
}

function refuseDifference(
  read: EnvironmentReader,
  listed: readonly RepositoryConfig[],
  single: RepositoryConfig,
): void {
  const same =
    listed.length === 1 &&
    listed.every(({ url, base }) => url === single.url && (single.base === '' || base === single.base))
  if (!same) read.fault('REPOS and REPO_URL/REPO_BRANCH are both set and differ')
}

/** A URL with a password in it would put a credential into .git/config; options of git begin with a dash. */
function checkUrl(read: EnvironmentReader, repository: RepositoryConfig): void {
  if (repository.url.startsWith('-') || repository.url.includes('::'))
    read.fault(`the URL of repository ${repository.name} is not allowed`)
  if (URL.canParse(repository.url) && new URL(repository.url).password !== '')
    read.fault(`the URL of repository ${repository.name} contains a password`)
  for (const ref of [repository.base, repository.branch]) {
    if (ref.startsWith('-') || /[\s~^:?*[\\]|\.\.|@\{/.test(ref))
      read.fault(`repository ${repository.name} has an invalid branch name`)
  }
}
