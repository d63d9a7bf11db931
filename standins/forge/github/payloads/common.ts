import type { Commit } from '../../git/commits.ts'
import type { Label, Repository, User } from '../../store/records.ts'
import { fullName } from '../../store/records.ts'
import { atLeast, type effectivePermission } from '../../store/permissions.ts'
import type { Links } from '../links.ts'
import { repositoryAddresses, userAddresses } from './addresses.ts'

export type Json = Record<string, unknown>

export function nodeId(type: string, id: number): string {
  return Buffer.from(`${type}:${id}`).toString('base64')
}

export function userPayload(links: Links, user: User): Json {
  return {
    login: user.login,
    id: user.id,
    node_id: nodeId('User', user.id),
    avatar_url: links.avatar(user),
    gravatar_id: '',
    url: links.user(user),
    html_url: `${links.web}/${user.login}`,
    ...userAddresses(links.user(user)),
    type: user.type,
    user_view_type: 'public',
    site_admin: false,
  }
}

export function fullUserPayload(links: Links, user: User): Json {
  return {
    ...userPayload(links, user),
    name: user.name,
    email: user.email,
    company: null,
    blog: '',
    location: null,
    hireable: null,
    bio: null,
    public_repos: 0,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: user.createdAt,
    updated_at: user.createdAt,
  }
}

/** Nobody reacts here. */
export function reactionsPayload(subject: string): Json {
  const none = { '+1': 0, '-1': 0, laugh: 0, hooray: 0, confused: 0, heart: 0, rocket: 0, eyes: 0 }
  return { url: `${subject}/reactions`, total_count: 0, ...none }
}

export function labelPayload(links: Links, repository: Repository, label: Label): Json {
  return {
    id: label.id,
    node_id: nodeId('Label', label.id),
    url: `${links.repository(repository)}/labels/${encodeURIComponent(label.name)}`,
    name: label.name,
    description: label.description,
    color: label.color.toLowerCase(),
    default: false,
  }
}

export function repositoryPayload(links: Links, repository: Repository): Json {
  const url = links.repository(repository)
  const open = [...repository.issues.values()].filter((issue) => issue.state === 'open').length
  return {
    id: repository.id,
    node_id: nodeId('Repository', repository.id),
    name: repository.name,
    full_name: fullName(repository),
    private: repository.private,
    owner: userPayload(links, repository.owner),
    html_url: links.webRepository(repository),
    description: repository.description,
    fork: false,
    url,
    ...repositoryAddresses(url),
    clone_url: links.git(repository.owner.login, repository.name),
    git_url: links.git(repository.owner.login, repository.name),
    ssh_url: links.ssh(repository),
    svn_url: links.webRepository(repository),
    mirror_url: null,
    created_at: repository.createdAt,
    updated_at: repository.updatedAt,
    pushed_at: repository.pushedAt,
    homepage: null,
    size: 0,
    stargazers_count: 0,
    watchers_count: 0,
    language: null,
    has_issues: true,
    has_projects: false,
    has_wiki: false,
    has_pages: false,
    has_downloads: false,
    has_discussions: false,
    forks_count: 0,
    archived: false,
    disabled: false,
    open_issues_count: open,
    license: null,
    allow_forking: false,
    is_template: false,
    topics: [],
    visibility: repository.private ? 'private' : 'public',
    forks: 0,
    open_issues: open,
    watchers: 0,
    default_branch: repository.defaultBranch,
  }
}

/** As the repository's own page shows it. */
export function fullRepositoryPayload(
  links: Links,
  repository: Repository,
  permission: ReturnType<typeof effectivePermission>,
): Json {
  return {
    ...listedRepositoryPayload(links, repository, permission),
    network_count: 0,
    subscribers_count: 0,
  }
}

/** As a list of the viewer's own repositories shows it: with their permissions, and with settings where they may push. */
export function listedRepositoryPayload(
  links: Links,
  repository: Repository,
  permission: ReturnType<typeof effectivePermission>,
): Json {
  const has = (wanted: typeof permission): boolean => atLeast(permission, wanted)
  const settings = {
    allow_merge_commit: repository.mergeMethods.has('merge'),
    allow_squash_merge: repository.mergeMethods.has('squash'),
    allow_rebase_merge: repository.mergeMethods.has('rebase'),
    allow_auto_merge: false,
    delete_branch_on_merge: repository.deleteBranchOnMerge,
    allow_update_branch: false,
    web_commit_signoff_required: false,
  }
  return {
    ...repositoryPayload(links, repository),
    permissions: {
      admin: has('admin'),
      maintain: has('maintain'),
      push: has('write'),
      triage: has('triage'),
      pull: has('read'),
    },
    ...(has('write') ? settings : {}),
  }
}

export function commitPayload(links: Links, repository: Repository, commit: Commit): Json {
  const url = links.repository(repository)
  return {
    sha: commit.sha,
    node_id: Buffer.from(`Commit:${commit.sha}`).toString('base64'),
    commit: {
      author: commit.author,
      committer: commit.committer,
      message: commit.message,
      tree: { sha: commit.tree, url: `${url}/git/trees/${commit.tree}` },
      url: `${url}/git/commits/${commit.sha}`,
      comment_count: 0,
      verification: { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null },
    },
    url: `${url}/commits/${commit.sha}`,
    html_url: `${links.webRepository(repository)}/commit/${commit.sha}`,
    comments_url: `${url}/commits/${commit.sha}/comments`,
    author: null,
    committer: null,
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${url}/commits/${sha}`,
      html_url: `${links.webRepository(repository)}/commit/${sha}`,
    })),
  }
}
