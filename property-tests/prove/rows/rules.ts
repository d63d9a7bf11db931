/** What the rules that all machines share come to, by the ids that they stand under: each row one case. */
import { isDeepStrictEqual } from 'node:util'
import { isBot } from '../../../machines/rules/accounts.ts'
import { judgeComment, judgeThread, type ThreadComment } from '../../../machines/rules/approval-grammar.ts'
import { commandsIn } from '../../../machines/rules/commands.ts'
import { doubtIn } from '../../../machines/rules/doubts.ts'
import { projectLabels } from '../../../machines/rules/labels.ts'
import { sameLogin } from '../../../machines/rules/logins.ts'
import { coversRepositories, nextToMerge } from '../../../machines/rules/merge-order.ts'
import { isWithin } from '../../../machines/rules/significance.ts'
import { amountOf } from '../../../machines/rules/spending.ts'

interface Row {
  readonly source: string
  readonly says: string
  readonly comes: () => unknown
  readonly to: unknown
}

function rowsOf(source: string, rows: readonly (readonly [string, () => unknown, unknown])[]): readonly Row[] {
  return rows.map(([says, comes, to]) => ({ source, says, comes, to }))
}

const names = { brainstorming: 'b', approved: 'a', implementation: 'i', declined: 'd', priority: 'p' }

/** LABELS-3, LABELS-5, LABELS-8, LAW-10; ISSUE-7. */
const labels = rowsOf('LABELS', [
  ['an Issue that nobody owns has none', () => projectLabels('observed', true, names, true), []],
  ['one that is refined has its phase', () => projectLabels('refined', false, names), ['b']],
  ['an agent that implements is shown', () => projectLabels('refined', true, names), ['b', 'i']],
  ['a person who speaks for it is shown', () => projectLabels('approved', false, names, true), ['a', 'p']],
  ['one that is declined is in no work', () => projectLabels('rejected', true, names, true), ['d']],
])

/** PEOPLE-1, PEOPLE-2. */
const people = rowsOf('PEOPLE-1, PEOPLE-2', [
  ['logins know no case', () => sameLogin('@Maya', 'maya'), true],
  ['others are others', () => sameLogin('maya', 'rita'), false],
  ['nobody is not even nobody', () => sameLogin('', '@'), false],
  ['a person is no bot', () => isBot({ login: 'maya' }, { botLogin: 'us' }), false],
  ['an account marked so is one', () => isBot({ login: 'x', type: 'Bot' }, { botLogin: 'us' }), true],
  ['unless people said otherwise', () => isBot({ login: 'x[bot]' }, { botLogin: 'us', humanBots: ['x[bot]'] }), false],
])

/** PROJECT-16, PROJECT-19: nothing ships by itself where it is off; an undeclared level is the worst. */
const significance = rowsOf('PROJECT-19', [
  ['what is small ships', () => isWithin('patch', 'minor'), true],
  ['what is larger does not', () => isWithin('major', 'minor'), false],
  ['silence is the worst', () => isWithin(null, 'minor'), false],
  ['off lets nothing through', () => isWithin('patch', 'off'), false],
])

/** LEDGER-3. */
const spending = rowsOf('LEDGER-3', [
  ['an amount', () => amountOf('+3k'), 3000],
  ['nothing is no amount', () => amountOf('+0'), undefined],
  ['neither is a slip of the finger', () => amountOf('+999999M'), undefined],
])

const both = ['lib', 'app']
const open = [
  { repository: 'app', number: 2 },
  { repository: 'lib', number: 1 },
]

/** OUTCOME-18, OUTCOME-19: `merge_order`. */
const order = rowsOf('OUTCOME-18', [
  ['one repository needs none', () => coversRepositories(null, ['lib', 'lib']), true],
  ['several need one', () => coversRepositories(both, both), true],
  ['and cannot do without', () => coversRepositories(null, both), false],
  ['each is named', () => coversRepositories(['lib'], both), false],
  ['none twice', () => coversRepositories(['lib', 'app', 'lib'], both), false],
  ['the first that it names is merged first', () => nextToMerge(both, open)?.repository, 'lib'],
])

let reading = 0

/** What was read before is remembered by its text (`comment-text.ts`), under whatever mutant it was read. */
function unread(text: string): string {
  return text + '\n'.repeat(reading)
}

function judge(text: string): unknown {
  return judgeComment(unread(text))
}

/** WORDS-1. */
const grammar = rowsOf('WORDS-1', [
  ['a command', () => judge('/approve'), 'approves'],
  ['words alone', () => judge('I will look tomorrow'), 'none'],
  ['a phrase', () => judge('lgtm'), 'approves'],
  ['both', () => judge('lgtm\n\nhold off'), 'withdraws'],
  ['a fence', () => judge('```\n/approve\n```'), 'none'],
  ['after a fence', () => judge('```\nx\n```\n/approve'), 'approves'],
  ['indented code', () => judge('So:\n\n    /approve'), 'none'],
  ['a line that goes on indented', () => judge('So:\n    /approve'), 'approves'],
  ['emphasis', () => judge('**lgtm**'), 'approves'],
  ['the point of a list', () => judge('- /hold'), 'withdraws'],
  ['another point, which grants nothing', () => judge('- /approve'), 'unclear'],
  ['details', () => judge('<details>\n\n/hold\n\n</details>'), 'none'],
  ['details that nobody closed', () => judge('The <details> are wrong.\n\n/hold'), 'withdraws'],
  ['a comment that nobody closed', () => judge('<!--\n/hold'), 'withdraws'],
  ['below a quote', () => judge('> x\n/approve'), 'unclear'],
  ['a formula', () => judge('$$\n/approve\n$$'), 'unclear'],
  ['one in a fence', () => judge('```\n$$\n```\n\n/approve'), 'approves'],
  ['a definition', () => judge('[a]: /u\n\nx\n/approve'), 'approves'],
  ['definitions', () => judge('[a]: /u\n[b]: /u\n\n/approve'), 'approves'],
  ['a definition that goes on', () => judge('[a]: /u\n/approve'), 'unclear'],
  ['a quote that ends', () => judge('> # x\ny\n\n/approve'), 'approves'],
  ['code below a heading', () => judge('# x\n    y\n\n/approve'), 'approves'],
  ['what stops is heard in doubt', () => commandsIn(unread('- /cancel\n- /retry')), [{ name: 'cancel', argument: '' }]],
  ['commands, and nothing else', () => commandsIn(unread('hello\n/retry now')), [{ name: 'retry', argument: 'now' }]],
])

/** WORDS-7. */
const doubts = rowsOf('WORDS-7', [
  ['a sentence over two lines', () => doubtIn(unread('Please do not\nmerge this')), 'Please do not merge this'],
  ['lines that stop nothing', () => doubtIn(unread('Well done\nand tested')), undefined],
  ['what withdraws is in no doubt', () => doubtIn(unread('stop\nthe press')), undefined],
  ['an alert', () => doubtIn(unread('> [!CAUTION]\n> do not merge')), 'do not merge'],
  ['one in code', () => doubtIn(unread('    > [!CAUTION]\n    > do not merge')), undefined],
  ['a quote is another’s', () => doubtIn(unread('> so\n> do not merge')), undefined],
  ['so is a heading of one', () => doubtIn(unread('> # [!caution]\n>\n> do not merge')), undefined],
  ['a title of GitLab’s', () => doubtIn(unread('>>> [!caution] do not merge\nso\n>>>')), 'do not merge'],
  ['a quote that no fence begins', () => doubtIn(unread('>>> so\n\ndo not merge')), 'do not merge'],
])

function said(
  commentId: string,
  text: string,
  at: number,
  author = 'maya',
  hands: ThreadComment['hands'] = 'own',
): ThreadComment {
  return { commentId, author, text: unread(text), bodyHash: commentId, at, hands }
}

const authority = {
  isBot: ({ author }: ThreadComment): boolean => author === 'bot',
  isMaintainer: ({ author }: ThreadComment): boolean => author !== 'rita',
}

function judged(...comments: readonly ThreadComment[]): unknown {
  const { approvals, withdrawnBy, unclear } = judgeThread(comments, authority)
  return [approvals.map(({ commentId }) => commentId), withdrawnBy, unclear]
}

const thread = rowsOf('WORDS-4', [
  ['a maintainer approves', () => judged(said('1', 'lgtm', 1), said('2', 'well', 2)), [['1'], undefined, []]],
  ['others do not', () => judged(said('1', 'lgtm', 1, 'rita'), said('2', 'stop', 2, 'rita')), [[], undefined, []]],
  ['bots do not (LAW-4)', () => judged(said('1', 'lgtm', 1, 'bot')), [[], undefined, []]],
  ['the newest word wins', () => judged(said('1', 'lgtm', 1), said('2', 'stop', 2)), [[], 'maya', []]],
  ['also when it approves', () => judged(said('1', 'stop', 1), said('2', 'lgtm', 2)), [['2'], undefined, []]],
  [
    'no edit of nobody knows whom approves: it is asked about',
    () => judged(said('1', 'lgtm', 1, 'maya', 'unknown')),
    [[], undefined, ['1']],
  ],
  ['what is gone approves nothing', () => judged(said('1', 'lgtm', 1, 'maya', 'gone')), [[], undefined, []]],
  ['what is gone asks nothing', () => judged(said('1', 'lgtm, but', 1, 'maya', 'gone')), [[], undefined, []]],
  [
    'what was withdrawn outlives other hands (decisions/0023)',
    () => judged(said('1', 'lgtm', 1), said('2', 'stop', 2, 'maya', 'gone')),
    [[], 'maya', []],
  ],
  ['also an edit of nobody knows whom', () => judged(said('1', 'stop', 1, 'maya', 'unknown')), [[], 'maya', []]],
  ['who is unclear is asked', () => judged(said('1', 'lgtm, but', 1)), [[], undefined, ['1']]],
  [
    'unless it was decided since',
    () => judged(said('1', 'lgtm, but', 1), said('2', 'lgtm', 2)),
    [['2'], undefined, []],
  ],
])

const rows: readonly Row[] = [labels, people, significance, spending, order, grammar, doubts, thread].flat()

/** Of each row that is not as it says. */
export function againstTheirRows(): readonly string[] {
  reading += 1
  return rows.flatMap(({ source, says, comes, to }) => {
    const there = comes()
    return isDeepStrictEqual(there, to)
      ? []
      : [`${source}, ${says}: its row says ${JSON.stringify(to)}, the rule ${JSON.stringify(there)}`]
  })
}
