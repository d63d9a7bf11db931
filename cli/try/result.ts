/** What a try leaves its person with: the diff, and the command that brings the change home. */
import { git } from '../local/git-seed.ts'
import type { OwnCopy } from './own-copy.ts'

/** A terminal's memory is short; git shows the rest. */
const mostLines = 400

export async function changeLines(barePath: string, { branch, commit }: OwnCopy): Promise<readonly string[]> {
  const range = [commit, `refs/heads/${branch}`]
  const diff = (await git(barePath, 'diff', '--no-ext-diff', '--no-textconv', ...range)).split('\n')
  if (diff.length <= mostLines) return ['', ...diff]
  const stat = (await git(barePath, 'diff', '--stat', ...range)).split('\n')
  return [
    '',
    ...stat,
    `${diff.length} lines: git -C ${quoted(barePath)} diff ${commit.slice(0, 10)} ${quoted(branch)} shows them`,
  ]
}

export function takeOverLines(own: string, barePath: string, branch: string): readonly string[] {
  const there = `git -C ${quoted(own)}`
  return [`  ${there} fetch ${quoted(barePath)} ${quoted(branch)}`, `  ${there} merge FETCH_HEAD`]
}

/** As a shell takes it: one word. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
