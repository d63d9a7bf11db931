import { fullName, type Issue, type Repository, type User } from '../store/records.ts'

/** Every address that an answer shows. */
export interface Links {
  readonly web: string
  readonly api: string
  user(user: User): string
  repository(repository: Repository): string
  webRepository(repository: Repository): string
  git(owner: string, name: string): string
  /** GitHub always names one. The forge has no SSH server. */
  ssh(repository: Repository): string
  avatar(user: User): string
  issue(repository: Repository, issue: Issue): string
  webIssue(repository: Repository, issue: Issue): string
  pull(repository: Repository, number: number): string
}

export function createLinks(web: string): Links {
  const api = `${web}/api/v3`
  const repository = (one: Repository): string => `${api}/repos/${fullName(one)}`
  const webRepository = (one: Repository): string => `${web}/${fullName(one)}`
  return {
    web,
    api,
    repository,
    webRepository,
    user: (user) => `${api}/users/${user.login}`,
    ssh: (one) => `git@${new URL(web).hostname}:${fullName(one)}.git`,
    avatar: (user) => `${web}/avatars/u/${user.id}`,
    git: (owner, name) => `${web}/${owner}/${name}.git`,
    issue: (repo, issue) => `${repository(repo)}/issues/${issue.number}`,
    webIssue: (repo, issue) => `${webRepository(repo)}/${issue.kind === 'pull' ? 'pull' : 'issues'}/${issue.number}`,
    pull: (repo, number) => `${repository(repo)}/pulls/${number}`,
  }
}
