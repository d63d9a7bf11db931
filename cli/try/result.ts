/** What a try leaves its person with: the diff, and the command that brings the change home. */
import { git } from '../local/git-seed.ts'
import { people } from '../../standins/people.ts'
import type { OwnCopy } from './own-copy.ts'
import type { End } from './play.ts'
import { program } from '../program.ts'

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

/** Nothing serves a page once the command has ended: another call goes on. `call`: its words. */
export function goOnLines(end: End, call: readonly string[], keep: boolean): readonly string[] {
  const again = [`  ${program}`, 'try', ...call.map(quoted)].join(' ')
  if (end === 'waits')
    return [
      ...['', `the plan waits for a person. On a terminal this goes on, and asks ${people.maintainer}:`, again],
      ...['elsewhere this prints the link of a page, and waits for a word there:', `${again} --keep`],
    ]
  if (end === 'parked')
    return ['', 'the Task waits for a word. This prints the link of its page, and waits there:', `${again} --keep`]
  if (end === 'interrupted') return ['', 'interrupted. This goes on where it ended:', keep ? `${again} --keep` : again]
  return []
}

/** As a shell takes it: one word. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
