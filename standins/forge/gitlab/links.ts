import { fullName, type Issue, type Repository, type User } from '../store/records.ts'

/** Every address that an answer shows. */
export interface Links {
  readonly web: string
  readonly api: string
  user(user: User): string
  project(repository: Repository): string
  webProject(repository: Repository): string
  git(repository: Repository): string
  /** Of an issue or a merge request. */
  webThread(repository: Repository, thread: Issue): string
  /** Of a page below the project's. */
  webPage(repository: Repository, kind: 'commit' | 'tree' | 'pipelines' | 'jobs', id: string | number): string
}

export function createLinks(web: string): Links {
  const api = `${web}/api/v4`
  const webProject = (repository: Repository): string => `${web}/${fullName(repository)}`
  return {
    web,
    api,
    webProject,
    user: (user) => `${web}/${user.login}`,
    project: (repository) => `${api}/projects/${repository.id}`,
    git: (repository) => `${webProject(repository)}.git`,
    webThread: (repository, thread) =>
      `${webProject(repository)}/-/${thread.kind === 'pull' ? 'merge_requests' : 'issues'}/${thread.number}`,
    webPage: (repository, kind, id) => `${webProject(repository)}/-/${kind}/${id}`,
  }
}
