/** GitHub names an address for everything that hangs on an object, also for what nobody has asked it for yet. */
type Addresses = Readonly<Record<string, string>>

const OF_USER: Addresses = {
  followers_url: '/followers',
  following_url: '/following{/other_user}',
  gists_url: '/gists{/gist_id}',
  starred_url: '/starred{/owner}{/repo}',
  subscriptions_url: '/subscriptions',
  organizations_url: '/orgs',
  repos_url: '/repos',
  events_url: '/events{/privacy}',
  received_events_url: '/received_events',
}

const OF_REPOSITORY: Addresses = {
  archive_url: '/{archive_format}{/ref}',
  assignees_url: '/assignees{/user}',
  blobs_url: '/git/blobs{/sha}',
  branches_url: '/branches{/branch}',
  collaborators_url: '/collaborators{/collaborator}',
  comments_url: '/comments{/number}',
  commits_url: '/commits{/sha}',
  compare_url: '/compare/{base}...{head}',
  contents_url: '/contents/{+path}',
  contributors_url: '/contributors',
  deployments_url: '/deployments',
  downloads_url: '/downloads',
  events_url: '/events',
  forks_url: '/forks',
  git_commits_url: '/git/commits{/sha}',
  git_refs_url: '/git/refs{/sha}',
  git_tags_url: '/git/tags{/sha}',
  hooks_url: '/hooks',
  issue_comment_url: '/issues/comments{/number}',
  issue_events_url: '/issues/events{/number}',
  issues_url: '/issues{/number}',
  keys_url: '/keys{/key_id}',
  labels_url: '/labels{/name}',
  languages_url: '/languages',
  merges_url: '/merges',
  milestones_url: '/milestones{/number}',
  notifications_url: '/notifications{?since,all,participating}',
  pulls_url: '/pulls{/number}',
  releases_url: '/releases{/id}',
  stargazers_url: '/stargazers',
  statuses_url: '/statuses/{sha}',
  subscribers_url: '/subscribers',
  subscription_url: '/subscription',
  tags_url: '/tags',
  teams_url: '/teams',
  trees_url: '/git/trees{/sha}',
}

const OF_ROOT: Addresses = {
  current_user_url: '/user',
  authorizations_url: '/authorizations',
  code_search_url: '/search/code?q={query}{&page,per_page,sort,order}',
  commit_search_url: '/search/commits?q={query}{&page,per_page,sort,order}',
  emails_url: '/user/emails',
  emojis_url: '/emojis',
  events_url: '/events',
  feeds_url: '/feeds',
  followers_url: '/user/followers',
  following_url: '/user/following{/target}',
  gists_url: '/gists{/gist_id}',
  issue_search_url: '/search/issues?q={query}{&page,per_page,sort,order}',
  issues_url: '/issues',
  keys_url: '/user/keys',
  label_search_url: '/search/labels?q={query}&repository_id={repository_id}{&page,per_page}',
  notifications_url: '/notifications',
  organization_url: '/orgs/{org}',
  organization_repositories_url: '/orgs/{org}/repos{?type,page,per_page,sort}',
  organization_teams_url: '/orgs/{org}/teams',
  public_gists_url: '/gists/public',
  rate_limit_url: '/rate_limit',
  repository_url: '/repos/{owner}/{repo}',
  repository_search_url: '/search/repositories?q={query}{&page,per_page,sort,order}',
  current_user_repositories_url: '/user/repos{?type,page,per_page,sort}',
  starred_url: '/user/starred{/owner}{/repo}',
  starred_gists_url: '/gists/starred',
  user_url: '/users/{user}',
  user_organizations_url: '/user/orgs',
  user_repositories_url: '/users/{user}/repos{?type,page,per_page,sort}',
  user_search_url: '/search/users?q={query}{&page,per_page,sort,order}',
}

function under(base: string, addresses: Addresses): Addresses {
  return Object.fromEntries(Object.entries(addresses).map(([name, path]) => [name, `${base}${path}`]))
}

/** @param user The user's own address in the API; so the others of here. */
export function userAddresses(user: string): Addresses {
  return under(user, OF_USER)
}

export function repositoryAddresses(repository: string): Addresses {
  return under(repository, OF_REPOSITORY)
}

/** What the root of the API answers. Clients ask it only to see whether their token is good. */
export function rootPayload(api: string, web: string): Addresses {
  return {
    ...under(api, OF_ROOT),
    current_user_authorizations_html_url: `${web}/settings/connections/applications{/client_id}`,
  }
}

/** Addresses once more, in the form of HAL. */
export function linkObjects(addresses: Addresses): Readonly<Record<string, { readonly href: string }>> {
  return Object.fromEntries(Object.entries(addresses).map(([name, href]) => [name, { href }]))
}
