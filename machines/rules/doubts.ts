/**
 * A line of a comment that perhaps stops (WORDS-7, decisions/0033): it holds a withdrawing command or phrase among other
 * words. It grants nothing and takes no grant away. It holds the merge until a maintainer says which he meant.
 */
import { judgeComment, judgeLine } from './approval-grammar.ts'
import { commandOf, commandsIn, stoppingCommands } from './commands.ts'
import { linesOf } from './comment-text.ts'

/** Up to so many words between two that belong together: with a bound, so that the cost grows with the text alone. */
function words(most: number): string {
  return String.raw`(?: [\p{L}']+){0,${most}}`
}

const doNot = "do[ \u2010-]?n[o']?t"
const negation = String.raw`(?:${doNot}|let'?s not|never|(?:must|should)(?: not|n'?t)|(?:can|would)(?: ?not|n?'?t)|won'?t|no longer|not (?:to|be)|(?:not|isn'?t)(?: \p{L}+)? ready(?: yet)? (?:to|for))(?! (?:wait|forget|hesitate)(?!\p{L}))`
/** Between commas, brackets or dashes. */
const aside = String.raw`(?: ?[,(\u2013\u2014-] ?[\p{L}']+${words(5)} ?[,)\u2013\u2014-])?`
/** Who speaks of a merge conflict forbids no merge. */
const goingIn =
  '(?:merg(?:e|ed|ing)(?! (?:conflict|commit|request|queue|base|train))|go(?:ing)? (?:in(?:to (?:main|master|production|the release))?|ahead)|land(?:ed)?|ship(?:ped)?|proceed|approved?)'
/** "+1" and "ok" are so many things that they count as one's own alone. */
const goAhead = String.raw`(?:approvals?|/approve|lgtm|go[ -]ahead|sign[ -]?off|(?<=my (?:(?:earlier|previous|last) )?)(?:ok(?:ay)?|\+1|👍)|green light|thumbs[ -]up)`
const undone = '(?:revoked|withdrawn|withdrew|retracted|rescinded)'
/** What a program revokes. */
const credentials =
  '(?:(?:the|a|an|all|any|old|its|their|user|api|access|refresh|session|expired) ){0,4}(?:tokens?|sessions?|keys?|certificates?|credentials?|cookies?|secrets?|permissions?)'

/** By kinds, with the forms in which people write them among words. Letters around it make it another word. */
const stoppingWords = new RegExp(
  `(?<![\\p{L}\\p{N}_])(?<![\\p{L}\\p{N}]-)(?:${[
    'stop',
    // To hold it. What was on hold is so no more.
    `ho(?:ld|dl)${words(2)} off`,
    'holding off',
    'hold on(?! to )',
    '(?<!(?:was|were|been|longer) )on hold',
    "(?:please|pls|let'?s),? hold",
    'hold(?: the| this| that)? (?:merge|merging|pr|mr|pull request)',
    'hold (?:this|that|it)(?: one)? (?:until|till|for now|please|back)',
    'hold (?:until|till|for now)',
    // That it shall not go in.
    `${negation}${words(2)}${aside}${words(2)}[ \u2010-]${goingIn}`,
    `${doNot}${words(2)} implement`,
    "let'?s not(?= ?(?:[.,!;:]|$))",
    // To take back what lets it go in.
    `revok(?:e|ing)(?! ${credentials}(?!\\p{L}))`,
    'withdraw(?:ing)?',
    `I(?:'ve| have)?${words(1)} (?:${undone}|unapproved)`,
    `${undone}${words(3)} ${goAhead}`,
    `${goAhead}:?${words(3)} (?:${undone}|void(?:ed)?|invalid|no longer (?:stands?|holds?|valid))`,
    `(?:retract|rescind|disregard|ignor|scratch|forget|undo|cancel)(?:e|t?ing)?${words(2)} ${goAhead}`,
    `(?:cancell?|remov|delet|dismiss|dropp?)(?:e?d|e|ing)? my${words(1)} ${goAhead}`,
    `(?:tak(?:e|ing)|took|pull(?:ing|ed)?)(?: back${words(2)} ${goAhead}|${words(2)} ${goAhead} back| my ${goAhead})`,
    'un-?approv(?:e|ing)',
    '(?<!if )not approv(?:ed|ing)',
  ].join('|')})(?![\\p{L}\\p{N}_]|-\\p{L})`,
  'iu',
)
const stoppingCommand = new RegExp(
  `(?<![\\p{L}\\p{N}_/~-])/(?:${stoppingCommands.join('|')})(?![\\p{L}\\p{N}_/]|-\\p{L})`,
  'iu',
)
const noName = ':(?:stop_sign|octagonal_sign|no_entry|no_entry_sign|x|-1|thumbsdown|no_good|raised_hand):'
/** No sign of a name may also stand for itself, or each name doubled what is tried. */
const login = String.raw`[\p{L}\p{N}_./-]`
/** As a whole line alone: `@bot hold` has no slash, and among words the others are said of many things. */
const wholeLine = new RegExp(
  `^(?:[\\p{Extended_Pictographic}\uFE0F ]{0,8})(?:@\\S{1,60} )?(?:please )?(?:${[...stoppingCommands, 'wait(?: a (?:sec|second|minute|moment|bit))?', 'not yet', 'nack', 'nak', 'dnm', 'halt', 'hold (?:it|this|that)', 'revoked', 'withdrawn', 'unapproved', '[-\u2212\u2013]1', '[🛑⛔🚫❌👎🙅✋]', noName].join('|')})(?:[^\\p{L}\\p{N}?@]|@(?!${login})|@${login}{1,60}(?!${login})|${noName}|please|pls)*$`,
  'iu',
)

/**
 * How a text withholds, by the sternest of its words. `/cancel` ends the Task where it is told (PEOPLE-6), and holds no merge
 * by itself.
 */
export function withholdingIn(body: string): 'withdraws' | 'doubts' | 'cancels' | undefined {
  if (judgeComment(body) === 'withdraws') return 'withdraws'
  if (doubtIn(body) !== undefined) return 'doubts'
  return commandsIn(body).some(({ name }) => name === 'cancel') ? 'cancels' : undefined
}

/** The first such line, as it is to be quoted; undefined where nothing is in doubt. */
export function doubtIn(body: string): string | undefined {
  const { passages, alerts, folded } = linesOf(body)
  const line =
    passages.flat().find(isDoubt) ??
    alerts.flat().find((each) => isDoubt(each) || withdraws(each)) ??
    doubtAcross([...passages, ...alerts]) ??
    folded.find(withdraws)
  return line === undefined ? undefined : excerpt(line)
}

/** Who wraps his lines by hand ends one anywhere. */
function doubtAcross(passages: readonly (readonly string[])[]): string | undefined {
  const pairs = passages.flatMap((lines) => lines.slice(1).map((line, at) => [lines[at] ?? '', line]))
  return pairs.find((pair) => stoppingWords.test(pair.join(' ')) && !pair.some(withdraws))?.join(' ')
}

function isDoubt(line: string): boolean {
  return placeOf(line) >= 0 && !withdraws(line)
}

/** By itself: it needs no question. */
function withdraws(line: string): boolean {
  const command = commandOf(line)?.name
  return (command !== undefined && stoppingCommands.includes(command)) || judgeLine(line) === 'withdraws'
}

function placeOf(line: string): number {
  const [command, among] = [line.search(stoppingCommand), line.search(stoppingWords)]
  if (command >= 0) return command
  return among >= 0 || line.length > longestQuote ? among : line.search(wholeLine)
}

const longestQuote = 200
const before = 60

function excerpt(line: string): string {
  if (line.length <= longestQuote) return line
  const from = Math.max(0, placeOf(line) - before)
  const end = from + longestQuote
  return `${from > 0 ? '…' : ''}${line.slice(from, end).trim()}${end < line.length ? '…' : ''}`
}
