import { permissionOf } from '../../store/permissions.ts'
import { fullName, type Actor, type Permission, type Repository, type User } from '../../store/records.ts'
import type { Links } from '../links.ts'
import { userPayload, type Json } from './common.ts'

const LEVELS: Readonly<Record<Permission, number>> = {
  none: 0,
  read: 10,
  triage: 20,
  write: 30,
  maintain: 40,
  admin: 50,
}

/** The number of a role; 0 for who has none. Being public gives nobody a role. */
export function accessLevel(repository: Repository, user: User): number {
  const isMember = user.login === repository.owner.login || repository.permissions.has(user.login.toLowerCase())
  return isMember ? LEVELS[permissionOf(repository, user)] : 0
}

export function memberPayload(links: Links, repository: Repository, user: User): Json {
  return {
    ...userPayload(links, user),
    access_level: accessLevel(repository, user),
    created_at: repository.createdAt,
    expires_at: null,
    membership_state: 'active',
  }
}

export function projectPayload(links: Links, repository: Repository, actor: Actor | undefined): Json {
  const level = actor ? accessLevel(repository, actor.user) : 0
  return {
    ...identity(links, repository),
    created_at: repository.createdAt,
    topics: [],
    tag_list: [],
    forks_count: 0,
    star_count: 0,
    last_activity_at: repository.updatedAt,
    visibility: repository.private ? 'private' : 'public',
    namespace: namespacePayload(links, repository.owner),
    empty_repo: false,
    archived: false,
    issues_enabled: true,
    merge_requests_enabled: true,
    jobs_enabled: true,
    issues_access_level: 'enabled',
    merge_requests_access_level: 'enabled',
    builds_access_level: 'enabled',
    repository_access_level: 'enabled',
    creator_id: repository.owner.id,
    import_status: 'none',
    ...mergeSettings(repository),
    permissions: {
      project_access: level > 0 ? { access_level: level, notification_level: 3 } : null,
      group_access: null,
    },
  }
}

function identity(links: Links, repository: Repository): Json {
  return {
    id: repository.id,
    description: repository.description,
    name: repository.name,
    name_with_namespace: fullName(repository).replaceAll('/', ' / '),
    path: repository.name,
    path_with_namespace: fullName(repository),
    default_branch: repository.defaultBranch,
    ssh_url_to_repo: `git@localhost:${fullName(repository)}.git`,
    http_url_to_repo: links.git(repository),
    web_url: links.webProject(repository),
    readme_url: null,
    avatar_url: null,
  }
}

/** A slash is only in the names of groups. */
function namespacePayload(links: Links, owner: User): Json {
  const path = owner.login.split('/').at(-1) ?? owner.login
  return {
    id: owner.id,
    name: path,
    path,
    kind: owner.login.includes('/') ? 'group' : 'user',
    full_path: owner.login,
    parent_id: null,
    avatar_url: null,
    web_url: links.user(owner),
  }
}

/** The store's set of methods in GitLab's two settings. Without merge commits only a fast forward is left. */
function mergeSettings(repository: Repository): Json {
  const { mergeMethods } = repository
  const plain = mergeMethods.has('merge') || mergeMethods.has('rebase')
  const rules = repository.protection.get(repository.defaultBranch)
  return {
    merge_method: mergeMethods.has('merge') || !mergeMethods.has('rebase') ? 'merge' : 'ff',
    squash_option: mergeMethods.has('squash') ? (plain ? 'default_off' : 'always') : 'never',
    only_allow_merge_if_pipeline_succeeds: (rules?.requiredChecks.length ?? 0) > 0,
    allow_merge_on_skipped_pipeline: null,
    only_allow_merge_if_all_discussions_are_resolved: false,
    remove_source_branch_after_merge: repository.deleteBranchOnMerge,
    printing_merge_request_link_enabled: true,
    autoclose_referenced_issues: true,
  }
}
