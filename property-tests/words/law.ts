/** The law of words: what decides in a comment is what a second parser shows outside of code, quotes, comments and details. */
import type { CommentLines } from '../../machines/rules/comment-text.ts'
import type { Reading } from './oracle.ts'

type Deciding = Pick<CommentLines, 'said' | 'doubtful' | 'hidden'>

/** Names what differs; undefined where both read the same. */
export function differenceOf({ said, doubtful, hidden }: Deciding, shown: Reading): string | undefined {
  if (hidden.length > 0) return differenceInDoubt({ said, doubtful, hidden }, shown)
  const [here, there] = [
    { said, doubtful: words(doubtful) },
    { said: shown.said, doubtful: words(shown.doubtful) },
  ].map((each) => JSON.stringify(each))
  return here === there ? undefined : `${here} instead of ${there}`
}

/** A comment that forges may read in different ways grants nothing, and takes back whatever one of them shows. */
function differenceInDoubt({ said, doubtful, hidden }: Deciding, shown: Reading): string | undefined {
  if (said.length > 0) return `says ${said.join()} in doubt`
  const heard = [...doubtful, ...hidden]
  return [...shown.said, ...shown.doubtful].find((line) => withdrawals.includes(line) && !heard.some(isWithdrawal))
}

/** Where GitLab may display another text than CommonMark: no line more is said than CommonMark shows, and what takes back is heard. */
export function differenceByForge({ said, doubtful, hidden }: Deciding, shown: Reading): string | undefined {
  const more = said.filter((line) => !shown.said.includes(line))
  if (more.length > 0) return `says ${more.join()}, which CommonMark does not show`
  const heard = [...said, ...doubtful, ...hidden]
  return [...shown.said, ...shown.doubtful].find((line) => isWithdrawal(line) && !heard.includes(line))
}

const withdrawals = ['/hold', 'stop']

function isWithdrawal(line: string): boolean {
  return withdrawals.includes(line)
}

/** A definition in a lazy line is nobody's word, and cmark alone has it in the quote. */
function words(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => !line.startsWith('[x]: ')).toSorted()
}
