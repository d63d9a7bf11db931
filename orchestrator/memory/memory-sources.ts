/** What the memory of a Project is filled from: the default branches, and the issues that an agent may read. */
import type { GitCache } from '../../edges/git/store/cache.ts'
import { enrolledAt, remoteOf, type RemoteDeps } from '../../edges/git/store/enrolled.ts'
import type { IssueText, MemorySource } from '../../edges/ports/memory-intake.ts'
import type { MirroredIssue, ThreadQuery, ThreadReader } from '../../edges/ports/threads.ts'
import { TerminalError } from '../../runtime/errors.ts'

interface MemorySourceDeps extends RemoteDeps {
  readonly cache: Pick<GitCache, 'update'>
  readonly defaultBranch: (project: string, repository: string) => Promise<string>
  /** What the reporter gate lets through, and nothing confidential that the Project does not want (INTAKE-9). */
  readonly gatedThreads: ThreadReader
}

/** The newest ones: a longer history is found on the forge. */
const mostIssues = 500
const pageIssues = 100

export function memorySources(
  deps: MemorySourceDeps,
): (project: string, name: string) => Promise<Omit<MemorySource, 'known'>> {
  const { directory, cache, defaultBranch, gatedThreads } = deps
  return async (project, repository) => {
    const enrolled = await enrolledAt(directory, { project, repository })
    const copy = await cache.update(await remoteOf(deps, enrolled))
    const branch = await defaultBranch(project, repository)
    const commit = (await copy.heads()).get(`refs/heads/${branch}`)
    if (commit === undefined) throw new TerminalError('no-default-branch', `it has no branch ${branch}`)
    return { project, repository, gitDir: copy.dir, commit, issues: await issuesOf(gatedThreads, project, repository) }
  }
}

/** One thread after the other: it is read beside the normal work, and from the same store. */
async function issuesOf(
  gatedThreads: ThreadReader,
  project: string,
  repository: string,
): Promise<readonly IssueText[]> {
  const found: IssueText[] = []
  for (let after: ThreadQuery = {}; ;) {
    const { items, next } = await gatedThreads.issues(project, repository, { limit: pageIssues, ...after })
    for (const issue of items) found.push(await textOf(gatedThreads, project, issue))
    if (next === undefined || found.length >= mostIssues) return found
    after = { after: next }
  }
}

async function textOf(threads: ThreadReader, project: string, issue: MirroredIssue): Promise<IssueText> {
  const { repository, number, title, author, state, body, url } = issue
  const comments = await threads.comments(project, repository, number, 'issue')
  const thread = comments.map((comment) => ({
    author: comment.author,
    ...(comment.editedBy === undefined ? {} : { edited_by: comment.editedBy }),
    body: comment.body,
  }))
  return { number, title, user: { login: author }, body, thread, state, html_url: url }
}
