import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gitText, type Git } from '../git.ts'
import { keepState } from './keep.ts'

const markOf = (gitDir: string): string => join(gitDir, 'statewright-moving')

/**
 * Runs git commands that rewrite a clean work tree (checkout, merge). Git moves the files first and HEAD last, so a
 * process killed in between leaves files of the target that look like work on top of HEAD: committed, they would undo
 * what HEAD holds. The mark tells the next repair that they are git's.
 */
export async function whileMoving<T>(dir: string, move: () => Promise<T>): Promise<T> {
  await markMoving(join(dir, '.git'))
  const result = await move()
  await unmarkMoving(join(dir, '.git'))
  return result
}

export function markMoving(gitDir: string): Promise<void> {
  return writeFile(markOf(gitDir), '')
}

export function unmarkMoving(gitDir: string): Promise<void> {
  return rm(markOf(gitDir), { force: true })
}

export function wasMoving(gitDir: string): boolean {
  return existsSync(markOf(gitDir))
}

/** Back to HEAD; what lies in the tree is kept all the same, should something else have written there. */
export async function undoMove(git: Git, dir: string, stamp: string): Promise<void> {
  await keepState(git, dir, `${stamp}-half-moved`)
  await gitText(git, ['reset', '--hard', '--quiet'], { cwd: dir })
  await unmarkMoving(join(dir, '.git'))
}
