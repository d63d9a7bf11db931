/**
 * The approval grammar (WORDS-1 to WORDS-4):
 *
 * | a deciding line | verdict |
 * |---|---|
 * | `/approve` | approves |
 * | `/approve` with more behind it than agreement or a name of the plan | unclear |
 * | `/unapprove`, `/hold` | withdraws |
 * | wholly an approving phrase | approves |
 * | wholly a withdrawing phrase | withdraws |
 * | an approving phrase with more words, or with `?` | unclear: the bot asks once for `/approve` |
 * | anything else | none |
 *
 * Wholly: mentions, emoji, thanks and final `.` or `!` aside. A comment that both approves and withdraws withdraws:
 * what is done in doubt cannot be undone. So does a line of which it is uncertain whether it was said, and it never
 * approves (decisions/0022). Of the thread, the newest maintainer comment that decides wins; an edit can
 * make a withdrawal newer, never an approval.
 */
import { commandOf } from './commands.ts'
import { linesOf } from './comment-text.ts'

export const approvingPhrases = [
  'approve',
  'approved',
  'lgtm',
  'go ahead',
  'ship it',
  'please proceed',
  'please implement',
  'sounds good',
  '+1',
] as const
export const withdrawingPhrases = [
  'hold off',
  'stop',
  'do not implement',
  "don't implement",
  'revoke',
  'withdraw',
] as const

type Judgement = 'approves' | 'withdraws' | 'unclear' | 'none'

export function judgeComment(text: string): Judgement {
  const { said, doubtful, hidden } = linesOf(text)
  const verdicts = [...said.map(judgeLine), ...doubtful.map(judgeDoubtfulLine), ...hidden.map(judgeHiddenLine)]
  return (['withdraws', 'approves', 'unclear'] as const).find((verdict) => verdicts.includes(verdict)) ?? 'none'
}

/** It may withdraw: what is done in doubt cannot be undone. Who seems to approve by it is asked. */
function judgeDoubtfulLine(line: string): Judgement {
  const judgement = judgeLine(line)
  return judgement === 'approves' ? 'unclear' : judgement
}

function judgeHiddenLine(line: string): Judgement {
  return judgeLine(line) === 'withdraws' ? 'withdraws' : 'none'
}

export function judgeLine(line: string): Judgement {
  const command = commandOf(line)
  if (command?.name === 'approve') return agreesOrNames(command.argument) ? 'approves' : 'unclear'
  if (command?.name === 'unapprove' || command?.name === 'hold') return 'withdraws'
  if (line.length > longestDecision) return approvingWords.test(line) ? 'unclear' : 'none'
  const core = coreOf(line, agreeing)
  if (isOneOf(core, approvingPhrases)) return 'approves'
  if (isOneOf(coreOf(line, anyEmoji), withdrawingPhrases)) return 'withdraws'
  return approvingWords.test(core) ? 'unclear' : 'none'
}

/**
 * What people write behind `/approve` and mean nothing else by it. "First" and "only" name another plan or a part, and "change"
 * and "new" ask for another one.
 */
const plainWords: ReadonlySet<string> = new Set(
  (
    'the this that it its my your our a plan one second third newest latest current version proposal approach is as proposed ' +
    'planned described looks look reads seems sounds good great fine nice excellent perfect right well done to me very really ' +
    'and yes yep yeah ok okay sure agreed lgtm go ahead please proceed implement ship approve approved +1'
  ).split(' '),
)

/** A no has more words than anybody can list, and so has an "if": what is neither courtesy nor plain is asked about. */
function agreesOrNames(argument: string): boolean {
  if (argument === '') return true
  const words = coreOf(argument, agreeing).split(/[ ,.!;:]+/)
  return words.every((word) => word === '' || plainWords.has(word))
}

/** The longest phrase with a few mentions around it. Of a longer line no phrase is the whole. */
const longestDecision = 500

function isOneOf(core: string, phrases: readonly string[]): boolean {
  return phrases.includes(core)
}

/** An approval goes with plain agreement alone: of `lgtm ❌` nobody knows what it means. */
const agreeing =
  /:(?:\+1|thumbsup|ok_hand|ok|raised_hands|clap|pray|muscle|handshake|tada|rocket|ship|shipit|sparkles|star2?|heart|green_heart|100|white_check_mark|heavy_check_mark|smile|smiley|grin|grinning|blush|slightly_smiling_face):|[👍👌🙌👏🙏💪🤝🎉🥳🎊🚀🚢✨⭐🌟❤💚💯✅✔☑🆗🙂😀😃😄😁😊\p{Emoji_Modifier}\uFE0F\u200D]/giu
/** A withdrawal counts whatever goes with it. */
const anyEmoji = /:(?:\+1|[a-z_]+):|[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\uFE0F\u200D]/giu

/** What is left of a line when courtesy is taken away. `?` stays: a question decides nothing. */
function coreOf(line: string, courtesy: RegExp): string {
  const core = line
    .replace(courtesy, ' ')
    .replace(/(?<![\p{L}\p{N}_])@[\p{L}\p{N}][\p{L}\p{N}_.[\]-]*/gu, ' ')
    .replace(
      /(?<![\p{L}\p{N}])(?:many\s+)?(?:thanks(?:\s+a\s+lot)?|thank\s+you(?:\s+(?:so|very)\s+much)?|thx|cheers)(?![\p{L}\p{N}])/giu,
      ' ',
    )
    .toLowerCase()
    .replace(/\s+/g, ' ')
  return trimmed(core)
}

const trimmable = ' ,.!:;-'

/** By index: an expression that is anchored at the end looks for it from every sign, so 64 KiB of dots took seconds. */
function trimmed(text: string): string {
  let [from, end] = [0, text.length]
  while (from < end && trimmable.includes(text.charAt(from))) from += 1
  while (end > from && trimmable.includes(text.charAt(end - 1))) end -= 1
  return text.slice(from, end)
}

const approvingWords = new RegExp(
  `(?<![\\p{L}\\p{N}_+@])(?:${approvingPhrases.map((phrase) => phrase.replace('+', '\\+').replace(' ', '\\s+')).join('|')})(?![\\p{L}\\p{N}_])`,
  'iu',
)

/**
 * Whose hands made a text, as far as the forge says: the author's own, or nobody knows whose. `gone`: it stands on the
 * forge no more, and its author did not take it away.
 */
export type Hands = 'own' | 'unknown' | 'gone'

export interface ThreadComment {
  readonly commentId: string
  readonly author: string
  readonly text: string
  /** Only an author's own text approves; any of the three withdraws (decisions/0023). */
  readonly hands: Hands
  readonly bodyHash: string
  /** Written at, epoch ms. */
  readonly at: number
  /** Last changed at, epoch ms; absent when never. */
  readonly editedAt?: number
}

interface ThreadAuthority {
  readonly isMaintainer: (comment: ThreadComment) => boolean
  /** Our bot and every other one: a bot never decides (LAW-4). */
  readonly isBot: (comment: ThreadComment) => boolean
}

interface ThreadWithdrawal {
  readonly commentId: string
  readonly author: string
  /** Written or last edited at, epoch ms. */
  readonly at: number
}

interface ThreadJudgement {
  /** Approvals that stand, oldest first. */
  readonly approvals: readonly {
    readonly commentId: string
    readonly author: string
    readonly bodyHash: string
    readonly at: number
  }[]
  /** Author of the newest deciding comment, when it withdraws. */
  readonly withdrawnBy?: string
  /** All that withdraw, answered by a newer approval or not, oldest first. */
  readonly withdrawals: readonly ThreadWithdrawal[]
  /** Comments that sound like approval and decide nothing, newer than every decision. */
  readonly unclear: readonly string[]
}

/** What maintainers said in the other threads of the same Task. */
export interface Elsewhere {
  readonly withdrawals: readonly ThreadWithdrawal[]
  /** Times of words that take older withdrawals back and approve nothing here, epoch ms. */
  readonly lifts: readonly number[]
}

const nothingElsewhere: Elsewhere = { withdrawals: [], lifts: [] }

/** `index`: the forge's order of what it dates alike. */
interface Moment {
  readonly at: number
  readonly index: number
}

interface Judged extends Moment {
  readonly comment: ThreadComment
  readonly judgement: Judgement
}

/** Judges a whole thread anew; comments of one moment count in the order given, which is the forge's. */
export function judgeThread(
  comments: readonly ThreadComment[],
  { isMaintainer, isBot }: ThreadAuthority,
  elsewhere: Elsewhere = nothingElsewhere,
): ThreadJudgement {
  const judged = comments
    .filter((comment) => !isBot(comment) && isMaintainer(comment))
    .map((comment, index): Judged => judgedAt(comment, index))
    .toSorted(byTime)
  const withdrawals = [
    ...judged.filter(({ judgement }) => judgement === 'withdraws').map(withdrawalOf),
    ...elsewhere.withdrawals.map((one) => ({ ...one, index: Infinity })),
  ].toSorted(byTime)
  const lastWithdrawal = withdrawals.findLast(({ at }) => elsewhere.lifts.every((lift) => lift <= at))
  const approvals = judged.filter(
    (one) => one.judgement === 'approves' && (!lastWithdrawal || byTime(one, lastWithdrawal) > 0),
  )
  const lastDecision = approvals.at(-1) ?? lastWithdrawal
  const unclear = judged.filter(
    (one) => one.judgement === 'unclear' && (!lastDecision || byTime(one, lastDecision) > 0),
  )
  return {
    approvals: approvals.map(({ comment: { commentId, author, bodyHash, at } }) => ({
      commentId,
      author,
      bodyHash,
      at,
    })),
    ...(approvals.length === 0 && lastWithdrawal ? { withdrawnBy: lastWithdrawal.author } : {}),
    withdrawals: withdrawals.map(({ commentId, author, at }) => ({ commentId, author, at })),
    unclear: unclear.map(({ comment }) => comment.commentId),
  }
}

function withdrawalOf({ comment, at, index }: Judged): ThreadWithdrawal & Moment {
  return { commentId: comment.commentId, author: comment.author, at, index }
}

function judgedAt(comment: ThreadComment, index: number): Judged {
  const judgement = judgedOf(comment)
  const at = judgement === 'withdraws' ? Math.max(comment.at, comment.editedAt ?? 0) : comment.at
  // The forge's order is of what was written, not of edits: within one moment an edit counts as the later one.
  return { comment, judgement, at, index: at > comment.at ? Infinity : index }
}

function judgedOf({ text, hands }: ThreadComment): Judgement {
  const judgement = judgeComment(text)
  if (hands === 'own' || judgement === 'withdraws' || judgement === 'none') return judgement
  return hands === 'unknown' ? 'unclear' : 'none'
}

/** Of another thread nobody knows the order within one moment: it counts as the later one. */
function byTime(a: Moment, b: Moment): number {
  return a.at - b.at || (a.index === b.index ? 0 : a.index - b.index)
}
