import { linesOf } from './comment-text.ts'
import { foldLogin } from './logins.ts'

const mention = /(?<![\p{L}\p{N}_/@.-])@([\p{L}\p{N}](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}_])?(?:\[bot\])?)/gu

/** Logins a text addresses, folded; what is quoted, code or hidden addresses nobody. */
export function mentionsIn(text: string): readonly string[] {
  const { said, doubtful } = linesOf(text)
  const found = [...said, ...doubtful].flatMap((line) =>
    [...line.matchAll(mention)].map((match) => foldLogin(match[1] ?? '')),
  )
  return [...new Set(found)]
}

export function isMentioned(text: string, login: string): boolean {
  return mentionsIn(text).includes(foldLogin(login))
}

interface ReactionFacts {
  readonly scope: string
  readonly labels: readonly string[]
  readonly triggerLabel: string
  /** Title, body and comments of the merge request. */
  readonly texts: readonly string[]
  readonly botLogin: string
}

/** `prReactionScope` (PROJECT-SCM-12, PROJECT-SCM-13): `labeledOrMentioned` wants the trigger label or an @-mention of the bot; `all` or empty wants every one. */
export function isInReactionScope({ scope, labels, triggerLabel, texts, botLogin }: ReactionFacts): boolean {
  if (scope !== 'labeledOrMentioned') return true
  const labelled = labels.some((label) => label.toLowerCase() === triggerLabel.toLowerCase())
  return labelled || texts.some((text) => isMentioned(text, botLogin))
}
