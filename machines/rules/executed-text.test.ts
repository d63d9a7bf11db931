import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closedIssues, closingPhrases, inert, inertTitle, skipPhrases, withClosing } from './executed-text.ts'

describe('a reference behind a closing keyword', () => {
  it.each([
    ['Closes #1.', 'Closes no. 1.'],
    ['fixes acme/lib#4', 'fixes acme/lib no. 4'],
    ['Closed: group/sub/lib#3', 'Closed: group/sub/lib no. 3'],
    ['RESOLVES GH-12', 'RESOLVES GH no. 12'],
    ['resolve https://forge.test/acme/lib/issues/12 now', 'resolve https://forge.test/acme/lib/issues no. 12 now'],
    ['closing https://lab.test/a/b/-/issues/3', 'closing https://lab.test/a/b/-/issues no. 3'],
    ['Closes <https://forge.test/acme/lib/issues/12>', 'Closes <https://forge.test/acme/lib/issues no. 12>'],
    ['Implements issue #8', 'Implements issue no. 8'],
    ['Closes #1, #2 and acme/lib#3; #4', 'Closes no. 1, no. 2 and acme/lib no. 3; no. 4'],
    ['Closes\n#9', 'Closes\nno. 9'],
    ['fixes !4', 'fixes no. 4'],
    ['- fix #1\n- fix #2', '- fix no. 1\n- fix no. 2'],
    ['`Closes #1`', '`Closes no. 1`'],
    ['**Closes** (#5)', '**Closes** (no. 5)'],
    ['Clo&#115;es &num;4', 'Clo&#115;es no. 4'],
    ['Clo\u200bses \\#7', 'Clo\u200bses no. 7'],
    ['Close<!-- x -->s #8', 'Close<!-- x -->s no. 8'],
    ['Closes <b></b>#6', 'Closes <b></b>no. 6'],
    ['<!-- closes #6 -->', '<!-- closes no. 6 -->'],
    ['<a title="closes #6">', '<a title="closes no. 6">'],
    ['x</b>Closes</b> #6', 'x</b>Closes</b> no. 6'],
    ['Clo\u017fes #6', 'Clo\u017fes no. 6'],
  ])('%j becomes %j (EXECUTED-1)', (text, made) => {
    expect(inert(text)).toBe(made)
    expect(closingPhrases(text)).not.toEqual([])
    expect(closingPhrases(made)).toEqual([])
  })

  it.each([
    'See #1 and acme/lib#2.',
    'This fixes the bug of #12.',
    'hotfix#1',
    'Discloses #3',
    'fix UTF-8',
    'Fixed in https://forge.test/acme/lib/issues',
    'Release 2 closes 3 gaps.',
  ])('%j stays: it closes nothing (EXECUTED-1)', (text) => {
    expect(inert(text)).toBe(text)
    expect(closingPhrases(text)).toEqual([])
  })
})

describe('a quick action', () => {
  it.each([
    ['/close', '`/close`'],
    ['Done.\n/merge now\n/label ~bug', 'Done.\n`/merge` now\n`/label` ~bug'],
    ['  /approve', '  `/approve`'],
    ['a\r\n/assign @maria\r\n', 'a\r\n`/assign` @maria\r\n'],
    ['/Close', '`/Close`'],
    ['/target_branch: x', '`/target_branch`: x'],
  ])('%j becomes %j (EXECUTED-2)', (text, made) => {
    expect(inert(text)).toBe(made)
  })

  it.each(['/etc/passwd is read', 'say /close there', '`/close`', 'https://forge.test/close', '/'])(
    '%j stays (EXECUTED-2)',
    (text) => expect(inert(text)).toBe(text),
  )
})

describe('a mention', () => {
  it.each([
    ['@dependabot rebase', '@ dependabot rebase'],
    ['(@CodeRabbitAI review)', '(@ CodeRabbitAI review)'],
    ['@some-bot, @x[bot]', '@ some-bot, @ x[bot]'],
    ['`@claude fix this`', '`@ claude fix this`'],
  ])('%j of a bot becomes %j (EXECUTED-3)', (text, made) => {
    expect(inert(text)).toBe(made)
  })

  it.each(['@maria please look', '@types/node', 'a@dependabot.test', '@dependabot/npm', '@bottle'])(
    '%j stays (EXECUTED-3)',
    (text) => expect(inert(text)).toBe(text),
  )
})

const longFolder = 'f'.repeat(255)
const nested = Array.from({ length: 20 }, () => longFolder).join('/')

it.each([
  [`Closes ${longFolder}/b#4`, `${longFolder}/b`],
  [`fixes: acme/${longFolder}!4`, `acme/${longFolder}`],
  [`Resolves (${nested}/lib#4)`, `${nested}/lib`],
  [`Closes #1, ${nested}/lib#4`, `${nested}/lib`],
  [`Closes https://lab.test:8443/git/${nested}/lib/-/work_items/4`, `git/${nested}/lib`],
])('a long path behind a keyword names its issue as a short one does (EXECUTED-1, MERGE-14)', (text, path) => {
  expect(closedIssues(text)).toContainEqual({ path, number: 4 })
  expect(closingPhrases(inert(text))).toEqual([])
})

it.each([
  'fix',
  `${'fix'.repeat(33)}/`,
  'close:http://',
  `fix ${'f'.repeat(254)}/`,
  'fixes/',
  'closes http://a/',
  'closes #1,',
])('twice as many %j cost about twice as much (EXECUTED-1)', (unit) => {
  const [half, whole] = [leastCost(unit.repeat(30_000 / unit.length)), leastCost(unit.repeat(60_000 / unit.length))]
  expect(whole).toBeLessThan(4 * half + 20_000)
})

/** In microseconds of this process. */
function leastCost(text: string): number {
  const costs = [1, 2, 3].map(() => {
    const before = process.cpuUsage()
    closingPhrases(text)
    const { user, system } = process.cpuUsage(before)
    return user + system
  })
  return Math.min(...costs)
}

it('what begins within a word hides no phrase behind it (EXECUTED-1)', () => {
  expect(inert('/closeCloses: Closes#1')).toBe('`/closeCloses`: Closes no. 1')
  expect(closingPhrases('disclosed: fixes#4')).toContain('fixes#4')
})

const words = fc.constantFrom(
  ...'Closes|fix|RESOLVED|issue|#1|acme/lib#2|GH-3|https://f.test/a/b/issues/4|/close|/merge|@dependabot|@maria'.split(
    '|',
  ),
  ...' |\n|: |, | and |**|`|(|<b>|</b>|<!--|-->|&#35;5|\\|\u200b|[|]|text|\ud83d\ude00'.split('|'),
)

/** As GitHub and GitLab state their own patterns, the wider of each; and GitLab's start of a quick action. */
const executed =
  /\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):? +(?:issues? +)?(?:[\w./-]*#|GH-|https?:\S+\/issues\/)\d+\b|^\/[a-z]+(?=\s|$)/im

it('no text holds anything that a forge executes, and a second time changes nothing (EXECUTED-1, EXECUTED-2)', () => {
  fc.assert(
    fc.property(fc.array(words, { maxLength: 30 }), (pieces) => {
      const made = inert(pieces.join(''))
      expect(made).not.toMatch(executed)
      expect(closingPhrases(made)).toEqual([])
      expect(inert(made)).toBe(made)
    }),
    { numRuns: 3000 },
  )
})

it.each([
  ['Closes #4, acme/Lib#5 and GH-6', ['#4', 'acme/lib#5', '#6']],
  ['fixes: https://forge.test/git/acme/lib/issues/7', ['git/acme/lib#7']],
  ['Resolves https://lab.test/a/b/lib/-/work_items/8. Fix a/b!9', ['a/b/lib#8', 'a/b#9']],
  ['**Closes** [#4](x), closes #4', ['#4']],
  ['See #4; disclosed #5', []],
])('%j names %j behind closing keywords (MERGE-14)', (text, named) => {
  expect(closedIssues(text).map(({ path, number }) => `${path}#${number}`)).toEqual(named)
})

it.each([
  ['Add mul [skip ci]', 'Add mul (skip ci)'],
  ['[CI-Skip] x [no ci]', '(CI-Skip) x (no ci)'],
  ['[skip actions][actions skip]', '(skip actions)(actions skip)'],
  ['x\n\n\nskip-checks: true', 'x\n\n\n`skip-checks`: true'],
  ['[skip] [ci] skip-checks: false', '[skip] [ci] skip-checks: false'],
])('%j leaves out no check as %j (EXECUTED-6)', (text, said) => {
  expect(inert(text)).toBe(said)
  expect(inert(said)).toBe(said)
  expect(skipPhrases(said)).toEqual([])
  expect(inertTitle(text)).toBe(said)
})

it.each([
  ['bors r+', '`bors` r+'],
  ['x\n  Bors: merge', 'x\n  `Bors`: merge'],
  ['bors is a bot; tell it bors r+', 'bors is a bot; tell it bors r+'],
])('%j starts no bot as %j (EXECUTED-7)', (text, said) => {
  expect(inert(text)).toBe(said)
  expect(inert(said)).toBe(said)
})

it('the lines of the platform itself close the issues of the Task (EXECUTED-4)', () => {
  expect(withClosing(inert('Closes #2'), [7, 8])).toBe('Closes no. 2\n\nCloses #7\nCloses #8')
  expect(withClosing('x', [])).toBe('x')
})

it('a title keeps the length that forges take (EXECUTED-1)', () => {
  expect(inertTitle('fix #1 '.repeat(36))).toHaveLength(255)
  expect(inertTitle('Fix #1')).toBe('Fix no. 1')
})
