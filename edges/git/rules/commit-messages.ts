/** What a forge would execute in the messages of the commits that a push adds (EXECUTED-5, EXECUTED-6). */
import { closingPhrases, skipPhrases } from '../../../machines/rules/executed-text.ts'
import type { Quarantine } from '../store/cache.ts'

/** Why the messages are refused, with the command that mends them; undefined: they close and skip nothing. `there`: commits that the forge has. */
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
    const fault = faultIn(text.slice(end + 1))
    if (fault !== undefined) return refusal(text.slice(0, Math.min(end, 12)), fault, commits.length)
  }
  return undefined
}

interface Fault {
  readonly phrase: string
  readonly does: string
}

function faultIn(message: string): Fault | undefined {
  const [closing] = closingPhrases(message)
  if (closing !== undefined)
    return {
      phrase: closing,
      does: 'would close an issue at the merge; the platform closes the issues of the Task itself',
    }
  const [skipping] = skipPhrases(message)
  return skipping === undefined ? undefined : { phrase: skipping, does: 'would leave the checks out' }
}

async function* lines(texts: readonly string[]): AsyncIterable<Buffer> {
  yield Buffer.from(`${texts.join('\n')}\n`)
}

/** Letters of what is quoted: a phrase may list 50 addresses. */
const mostQuoted = 100

/** Every mark before a number, every word that skips: so one run mends all forms. */
const script = [
  String.raw`s,(#|!|GH-|/)([0-9]+),\1 \2,gI`,
  String.raw`s,\[((skip|no)[ _-]*(ci|actions)|(ci|actions)[ _-]*skip)\],(\1),gI`,
  String.raw`s,^([[:blank:]]*skip-checks)[[:blank:]]*:,\1,gI`,
].join(';')

function refusal(commit: string, { phrase, does }: Fault, count: number): string {
  const quoted = phrase.replaceAll(/[^!-~]+/g, ' ').slice(0, mostQuoted)
  return [
    `the message of commit ${commit} says "${quoted}", which ${does}`,
    `mend the messages and commit again: git filter-branch -f --msg-filter 'sed -E "${script}"' HEAD --not --remotes`,
    `(${count} new commits)`,
  ].join('; ')
}
