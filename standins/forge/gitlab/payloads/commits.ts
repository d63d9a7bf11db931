import type { Commit } from '../../git/commits.ts'
import type { FileDiff } from '../../git/diff.ts'
import { may } from '../../store/permissions.ts'
import type { Actor, Repository } from '../../store/records.ts'
import type { Links } from '../links.ts'
import type { Json } from './common.ts'

export function commitPayload(links: Links, repository: Repository, commit: Commit): Json {
  return {
    id: commit.sha,
    short_id: commit.sha.slice(0, 8),
    created_at: commit.committer.date,
    parent_ids: commit.parents,
    title: commit.message.split('\n')[0],
    message: `${commit.message}\n`,
    author_name: commit.author.name,
    author_email: commit.author.email,
    authored_date: commit.author.date,
    committer_name: commit.committer.name,
    committer_email: commit.committer.email,
    committed_date: commit.committer.date,
    trailers: {},
    extended_trailers: {},
    web_url: links.webPage(repository, 'commit', commit.sha),
  }
}

export function branchPayload(
  links: Links,
  repository: Repository,
  actor: Actor | undefined,
  name: string,
  commit: Commit,
): Json {
  const isProtected = repository.protection.has(name)
  const mayPush = may(repository, actor, isProtected ? 'maintain' : 'write')
  return {
    name,
    merged: false,
    protected: isProtected,
    default: name === repository.defaultBranch,
    developers_can_push: !isProtected,
    developers_can_merge: true,
    can_push: mayPush,
    web_url: links.webPage(repository, 'tree', name),
    commit: commitPayload(links, repository, commit),
  }
}

/** One file of a diff. What the store leaves out of its patch, as of a binary file, is empty here. */
export function diffPayload(file: FileDiff): Json {
  return {
    diff: file.patch === undefined ? '' : `${file.patch}\n`,
    new_path: file.path,
    old_path: file.previousPath ?? file.path,
    a_mode: file.status === 'added' ? '0' : '100644',
    b_mode: file.status === 'removed' ? '0' : '100644',
    new_file: file.status === 'added',
    renamed_file: file.status === 'renamed',
    deleted_file: file.status === 'removed',
    generated_file: false,
    collapsed: false,
    too_large: false,
  }
}
