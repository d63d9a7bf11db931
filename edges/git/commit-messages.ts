/** What a forge would execute in the messages of the commits that a push adds (EXECUTED-5). */
import { closingPhrases } from '../../machines/rules/executed-text.ts'
import type { Quarantine } from './cache.ts'

/** Why the messages are refused, with the command that mends them; undefined: they close nothing. `there`: commits that the forge has. */
export async function messageFault(
  git: Quarantine['git'],
  after: string,
  there: readonly string[],
): Promise<string | undefined> {
  const args = ['log', '--stdin', '-z', '--no-show-signature', '--encoding=UTF-8', '--format=%H%n%B']
  const { code, out } = await git(args, lines([after, ...there.map((sha) => `^${sha}`)]))
  if (code !== 0) return 'the git gateway cannot read the messages of these commits'
  const commits = out.split('\0').filter((text) => text !== '')
  for (const text of commits) {
    const end = text.indexOf('\n')
    const [phrase] = closingPhrases(text.slice(end + 1))
    if (phrase !== undefined) return refusal(text.slice(0, Math.min(end, 12)), phrase, commits.length)
  }
  return undefined
}

async function* lines(texts: readonly string[]): AsyncIterable<Buffer> {
  yield Buffer.from(`${texts.join('\n')}\n`)
}

/** Letters of what is quoted: a phrase may list 50 addresses. */
const mostQuoted = 100

/** Every mark before a number, so that one run mends all forms of a reference. */
const script = String.raw`s,(#|!|GH-|/)([0-9]+),\1 \2,gI`

function refusal(commit: string, phrase: string, count: number): string {
  const quoted = phrase.replaceAll(/[^!-~]+/g, ' ').slice(0, mostQuoted)
  return [
    `the message of commit ${commit} says "${quoted}", which would close an issue at the merge`,
    'the platform closes the issues of the Task itself',
    `mend the messages and commit again: git filter-branch -f --msg-filter 'sed -E "${script}"' HEAD --not --remotes`,
    `(${count} new commits)`,
  ].join('; ')
}
