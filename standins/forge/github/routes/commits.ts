import { Refusal } from '../../store/refusal.ts'
import type { Call, Route } from '../call.ts'
import { HttpRefusal } from '../../rest.ts'
import { listAnswer } from '../paging.ts'
import { commitPayload, type Json } from '../payloads/common.ts'
import { filePayload } from '../payloads/pulls.ts'

const REPO = '/repos/:owner/:repo'

/** Git's own name for a tree with nothing in it: what the first commit is compared with. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

export const commitRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: `${REPO}/commits`,
    async run(call) {
      const sha = await call.repository.git.resolveCommit(call.query.sha ?? call.repository.defaultBranch)
      if (!sha) throw new HttpRefusal(409, 'Git Repository is empty.')
      const commits = await call.repository.git.listCommits(
        [sha, ...(call.query.path ? ['--', call.query.path] : [])],
        1_000,
      )
      return listAnswer(call, commits, (commit) => commitPayload(call.links, call.repository, commit))
    },
  },
  {
    method: 'GET',
    path: `${REPO}/compare/*`,
    async run(call) {
      const [base = '', head = ''] = (call.params['*'] ?? '').split('...')
      const compared = await comparePayload(call, await shaOf(call, base), await shaOf(call, head))
      return { body: { ...compareAddresses(call, base, head), ...compared } }
    },
  },
]

export async function shaOf(call: Call, name: string): Promise<string> {
  const sha = await call.repository.git.resolveCommit(name)
  if (!sha) throw new Refusal('not-found')
  return sha
}

/** One commit: with its files, or as a diff, by the asked media type. */
export async function showCommit(
  call: Call,
  sha: string,
): Promise<{ body?: Json; text?: { type: string; content: string } }> {
  const { repository, links } = call
  const commit = await repository.git.readCommit(sha)
  const parent = commit.parents[0] ?? EMPTY_TREE
  if (call.accept.includes('sha')) return { text: { type: 'application/vnd.github.sha; charset=utf-8', content: sha } }
  if (call.accept.includes('diff'))
    return {
      text: {
        type: 'application/vnd.github.diff; charset=utf-8',
        content: await repository.git.diffText(parent, sha),
      },
    }
  const files = await repository.git.diffFiles(parent, sha)
  const additions = files.reduce((total, file) => total + file.additions, 0)
  const deletions = files.reduce((total, file) => total + file.deletions, 0)
  return {
    body: {
      ...commitPayload(links, repository, commit),
      stats: { additions, deletions, total: additions + deletions },
      files: files.map((file) => filePayload(links, repository, sha, file)),
    },
  }
}

function compareAddresses({ links, repository }: Call, base: string, head: string): Json {
  const html = `${links.webRepository(repository)}/compare/${base}...${head}`
  return {
    url: `${links.repository(repository)}/compare/${base}...${head}`,
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
  }
}

async function comparePayload(call: Call, base: string, head: string): Promise<Json> {
  const { repository, links } = call
  const common = await repository.git.mergeBase(base, head)
  if (!common) throw new Refusal('not-found')
  const [ahead, behind, commits, files] = await Promise.all([
    repository.git.countCommits(base, head),
    repository.git.countCommits(head, base),
    repository.git.commitsBetween(base, head),
    repository.git.diffFiles(common, head),
  ])
  const owner = repository.owner.login
  return {
    permalink_url: `${links.webRepository(repository)}/compare/${owner}:${base}...${owner}:${head}`,
    status: ahead > 0 && behind > 0 ? 'diverged' : ahead > 0 ? 'ahead' : behind > 0 ? 'behind' : 'identical',
    ahead_by: ahead,
    behind_by: behind,
    total_commits: ahead,
    base_commit: commitPayload(links, repository, await repository.git.readCommit(base)),
    merge_base_commit: commitPayload(links, repository, await repository.git.readCommit(common)),
    commits: commits.map((commit) => commitPayload(links, repository, commit)),
    files: files.map((file) => filePayload(links, repository, head, file)),
  }
}
