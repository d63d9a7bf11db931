import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { gitText, type Git } from '../git.ts'
import { remoteRef, repositoryDir } from '../repository.ts'
import type { AnswerOf, CloneOperations, RequestOf } from '../requests.ts'
import { mergeOrAbort, returnToBranch } from './checkout.ts'
import { begin, enter, leaveOut } from './enter.ts'
import { gather, salvage } from './gather.ts'
import { workspacePathsOf } from './places.ts'
import { RepositoryReader } from './reader.ts'
import { commitAll } from './repair.ts'
import { sweepRoot } from './sweep.ts'

/** All that the wrapper may ask for, on the clones below `workspaceDir`. */
export function createCloneOperations(git: Git, workspaceDir: string): CloneOperations {
  const placed = (name: string): ReturnType<typeof workspacePathsOf> => workspacePathsOf(workspaceDir, name)
  const dirOf = (name: string): string => repositoryDir(workspaceDir, { name })
  return {
    gather: ({ name, stamp }) => gather(git, placed(name), stamp),
    begin: async ({ name, as }) => (await begin(git, placed(name), placed(name)[as]), {}),
    salvage: ({ name, stamp }) => salvage(git, placed(name), stamp),
    enter: (entry) => enter(git, placed(entry.name), entry),
    sweep: (request) => sweepRoot(workspaceDir, request),
    look: ({ name, branch }) => look(git, dirOf(name), branch),
    head: async ({ name, branch }) =>
      optional(await new RepositoryReader(git, dirOf(name)).sha(`refs/heads/${branch}`)),
    settle: (request) => settle(git, dirOf(request.name), request),
    merge: ({ name, sha }) => merge(git, dirOf(name), sha),
    note: async ({ name, branch, sha }) => (
      await gitText(git, ['update-ref', remoteRef(branch), sha], { cwd: dirOf(name) }),
      {}
    ),
  }
}

async function look(git: Git, dir: string, branch: string): Promise<AnswerOf<'look'>> {
  const { branch: current, isDirty, head } = await new RepositoryReader(git, dir).checkout()
  const isAtHome = current === branch
  return { isAtHome, isDirty, ...(isAtHome ? optional(head) : {}) }
}

async function settle(git: Git, dir: string, { branch, stamp }: RequestOf<'settle'>): Promise<AnswerOf<'settle'>> {
  await commitAll(git, dir, 'Commit the work left at the end of a turn')
  return { isSettled: await returnToBranch(git, dir, branch, stamp) }
}

async function merge(git: Git, dir: string, sha: string): Promise<AnswerOf<'merge'>> {
  // A merge of the agent's own that is under way is not ours to abort.
  if (existsSync(join(dir, '.git', 'MERGE_HEAD'))) return { isMerged: false }
  const isMerged = await mergeOrAbort(git, dir, sha)
  if (isMerged) await leaveOut(git, dir)
  return { isMerged }
}

function optional(head: string | undefined): { head?: string } {
  return head === undefined ? {} : { head }
}
