import { describe, expect, test } from 'vitest'
import { judgeComment } from './approval-grammar.ts'
import { commandsIn } from './commands.ts'
import { doubtIn, withholdingIn } from './doubts.ts'

describe('a doubt (WORDS-7)', () => {
  test.each([
    '@statewright-bot /hold',
    'Please hold off, legal has to look at this first.',
    '🛑 /hold',
    ':stop_sign: /hold',
    '@bot /cancel',
    '/hold; see below',
    '/hold—wait',
    '/hold- wait',
    '/hold(legal)',
    'Hold off for now.',
    'Stop, this breaks billing',
    'dont implement',
    "don't implement it",
    'I revoke my approval',
    '/approve, but stop before the deploy step',
    '@bot hold',
    'Do not merge',
    'Revoked.',
    'Withdrawn.',
    'not approved',
    'I no longer approve this.',
    'I would not merge this',
    'hold this',
    'hold until Monday',
    'DNM',
    'please do-not-merge',
    "Please don't you merge this yet",
    "don't ship it",
    'This must not go in before Monday.',
    "I shouldn't have approved that",
    'Cannot be merged like this',
    'Not yet ready to merge.',
    "This isn't ready for merging",
    "No, let's not.",
    'Hold on a second',
    'On hold until Finance is back',
    'please hold this one',
    'hold the merge',
    'pls hodl off',
    'I have revoked my approval',
    'Approval withdrawn.',
    "I've withdrawn it",
    'taking my approval back',
    'I take back my go-ahead',
    'please ignore my LGTM',
    'wait',
    '@bot please wait!',
    'NACK 👎',
    '-1',
    '−1.',
    'This approval is void.',
    'my go-ahead no longer stands',
    'not yet',
    '🛑',
    '👎🏽',
    ':x: :no_entry:',
    '🛑 Wait.',
    '⛔ Not yet.',
    '❌ NACK',
    '👎 -1',
    'This must not go into main.',
    'not ready yet to merge',
    'please, hold',
    'do\u2010not\u2010merge',
    'Approval: withdrawn.',
    'revoke until the keys are rotated',
  ])('%j is quoted, and takes nothing away', (line) => {
    expect(doubtIn(`I read it.\n\n${line}\n\nMax`)).toBe(line.replace('…', '...'))
    expect(judgeComment(line)).not.toBe('withdraws')
    expect(commandsIn(line).filter(({ name }) => name !== 'approve')).toEqual([])
  })
  test.each(['/hold', '/hold until Monday', '/cancel', 'Stop.', '🛑 stop', '@bot hold off, thanks'])(
    '%j needs no question: it stops',
    (line) => {
      expect(doubtIn(line)).toBeUndefined()
    },
  )
  test.each([
    'non-stop',
    'stop-words',
    'stops',
    'unstoppable',
    'docs/hold',
    '`/hold` x',
    '> please stop',
    '```\nstop it\n```',
    'please wait for the second reviewer',
    'wait?',
    'NACKs are sent again',
    'it returns -1',
    '-1 for the name',
    'the client holds on average 3 locks',
    'we hold on to the connection',
    'it was on hold all summer',
    "I don't see merge conflicts",
    "Git doesn't merge binary files",
    'We decided not to implement the cache',
    "let's not bikeshed",
    'revoked tokens are listed',
    'revoke tokens on logout',
    'we revoke all old API keys first',
    "I can't wait to merge this",
    "don't forget to merge main into it",
    "don't hesitate to merge",
    'not yet known',
    '✅',
    'Cancel and OK buttons',
  ])('%j is none', (line) => {
    expect(doubtIn(line)).toBeUndefined()
  })
  test.each(["'", '\u2018', '\u2019', '\u02bc', '\u00b4', '`', '\uff07', '\u2032', '\u201b'])(
    'an apostrophe may be a %s',
    (sign) => {
      expect(doubtIn(`Don${sign}t merge it`)).toBe("Don't merge it")
      expect(judgeComment(`don${sign}t implement`)).toBe('withdraws')
    },
  )
  test('is heard beside an approval', () => {
    expect(doubtIn('lgtm\n\nnot yet')).toBe('not yet')
  })
  test.each([
    ['Please do not\nmerge this', 'Please do not merge this'],
    ['I take back\nmy approval.', 'I take back my approval.'],
    ['- Please do not\n  merge this', 'Please do not merge this'],
    ['1. x\n2. Do not\n   merge this\n3. y', 'Do not merge this'],
    ['# Please do not\nmerge this', 'Please do not merge this'],
    ['<details open>\n\nPlease do not\nmerge this\n\n</details>', 'Please do not merge this'],
    ['~~x~~ Please do not\nmerge this', 'x Please do not merge this'],
    ['> x\nPlease do not\nmerge this', 'Please do not merge this'],
    ['$$\nPlease do not\nmerge this\n$$', 'Please do not merge this'],
    ['>>>\nPlease do not\nmerge this\n>>>', 'Please do not merge this'],
    ['The <!-- of the page.\n\nPlease do not\nmerge this', 'Please do not merge this'],
  ])('is read across the end of a line: %j', (text, quoted) => {
    expect(doubtIn(text)).toBe(quoted)
  })
  test.each(['ok\n/hold', '/hold\nplease', 'ok\nstop', 'I do not.\nMerge it', '> do not\n> merge', '`do not`\nmerge'])(
    'begins at no end of a line: %j',
    (text) => {
      expect(doubtIn(text)).toBeUndefined()
    },
  )
  test('is heard where two apostrophes are typed as backticks', () => {
    expect(doubtIn('I don`t want to merge it, it`s broken')).toBe("I don't want to merge it, it's broken")
  })
  test.each(['CAUTION', 'warning'])('is heard in an alert of its author: %s', (kind) => {
    expect(doubtIn(`> [!${kind}]\n> Do not merge this.`)).toBe('Do not merge this.')
    expect(doubtIn(`> [!${kind}]\n> /hold`)).toBe('/hold')
    expect(judgeComment(`> [!${kind}]\n> /hold`)).toBe('none')
    expect(doubtIn(`> [x]\n> Do not merge this.`)).toBeUndefined()
  })
  test.each([
    ['emphasis', '> [!CAUTION]\n> Do **not** merge', 'Do not merge'],
    ['emphasis by lines', '> [!NOTE]\n> Do _not_ merge', 'Do not merge'],
    ['an entity', '> [!CAUTION]\n> Do&nbsp;not merge', 'Do not merge'],
    ['the end of a line', '> [!CAUTION]\n> Do not\n> merge this', 'Do not merge this'],
    ['a title', '> [!warning] Do not merge\n> x', 'Do not merge'],
    ['a title that is a sign', '> [!warning] 🛑\n> x', '🛑'],
    ['a list', '- x\n\n  > [!CAUTION]\n  > Do not merge', 'Do not merge'],
    ['a list within the alert', '> [!CAUTION]\n> - Do not merge', 'Do not merge'],
    ['an element', '> [!CAUTION]\n>\n> <div>Do <b>not</b> merge</div>', 'Do not merge'],
    ['closed details', '> [!CAUTION]\n>\n> <details>\n>\n> /hold\n>\n> </details>', '/hold'],
    ['a fence', '>>> [!caution]\nDo **not** merge\n>>>', 'Do not merge'],
    ['the title of a fence', '>>> [!caution] Do **not** merge\nx\n>>>', 'Do not merge'],
    ['a fence with blank lines', '> x\n\n>>>> [!tip] a\n\nDo _not_ merge\n\n>>>>', 'Do not merge'],
    ['a pasted page', `> [!CAUTION]\n> Do **not** merge\n\n<p>${'<b>'.repeat(1_001)}`, 'Do not merge'],
    ['an alert that a tag swallows', '<div title="\n\n> [!CAUTION]\n> Do **not** merge', 'Do not merge'],
  ])('is heard in an alert through %s', (_name, text, quoted) => {
    expect(doubtIn(text)).toBe(quoted)
  })
  test.each([
    'he wrote `/approve` above',
    '> ignore my `/approve`',
    '> Do not merge',
    '> Do **not** merge\n> [!CAUTION]',
    '> [!CAUTION] is what he wrote\n> > Do not merge',
    '> > [!CAUTION]\n> > Do not merge',
    '> # [!CAUTION]\n> Do not merge',
    '> [!CAUTION]\n> `Do not merge`',
    '>>> [!caution] x\na\n>>>\n\nb',
  ])('is not heard in what no author says himself: %j', (text) => {
    expect(doubtIn(text)).toBeUndefined()
  })
  test('of an alert between fences approves nothing', () => {
    expect(judgeComment('>>> [!tip]\n\n/approve\n\n>>>')).toBe('unclear')
    expect(judgeComment('>>> [!tip]\n\nx\n\n>>>\n\n/approve')).toBe('approves')
  })
  test('of a long line is the part around its words', () => {
    const quoted = doubtIn(`${'a '.repeat(500)}please stop${' b'.repeat(500)}`) ?? ''
    expect(quoted).toContain('please stop')
    expect(quoted.length).toBeLessThanOrEqual(202)
  })
})

describe('details (WORDS-2)', () => {
  test.each([
    '<details open><summary>Why</summary>\n\n/hold\n\n</details>',
    '<details><summary>/hold</summary>\n\nlog\n\n</details>',
    '<details open><summary>/hold</summary>x</details>',
  ])('%j withdraws: a browser displays it', (text) => {
    expect(judgeComment(text)).toBe('withdraws')
  })
  test('that are open approve nothing, and are asked about', () => {
    expect(judgeComment('<details open>\n\n/approve\n\n</details>')).toBe('unclear')
  })
  test.each(['/hold', '/cancel', 'stop'])('%s in closed ones is a doubt (WORDS-7)', (line) => {
    const text = `<details>\n<summary>x</summary>\n\n${line}\n\n</details>`
    expect(judgeComment(text)).toBe('none')
    expect(commandsIn(text)).toEqual([])
    expect(doubtIn(text)).toBe(line)
  })
  test('in closed ones within a line nothing counts but as a doubt (WORDS-7)', () => {
    expect(judgeComment('x <details>/hold</details> y')).toBe('none')
    expect(doubtIn('x <details>/hold</details> y')).toBe('/hold')
  })
  test('a second summary is folded too (WORDS-7)', () => {
    const text = '<details><summary>x</summary><summary>/hold</summary></details>'
    expect(judgeComment(text)).toBe('none')
    expect(doubtIn(text)).toBe('/hold')
  })
})

describe('an approval (WORDS-1)', () => {
  test.each(['lgtm ❌', 'lgtm :x:', '🛑 lgtm', 'lgtm 👎', 'lgtm :-1:'])('%j is unclear', (text) => {
    expect(judgeComment(text)).toBe('unclear')
  })
  test.each(['lgtm 👍🏽', '🚀 lgtm', 'lgtm ✔️', 'lgtm :+1:'])('%j approves', (text) => {
    expect(judgeComment(text)).toBe('approves')
  })
  test.each([
    'x&#10;/approve',
    'x&#x0A;/approve',
    'x&NewLine;/approve',
    '<div>x&#10/approve</div>',
    'x <b>y</b>&#10;/approve',
  ])('%j does not begin a line', (text) => {
    expect(judgeComment(text)).not.toBe('approves')
  })
})

test.each([
  ['/hold', 'withdraws'],
  ['Hold on, legal has to look.\n/unapprove', 'withdraws'],
  ['Hold on, legal has to look.', 'doubts'],
  ['/cancel\nHold on, legal has to look.', 'doubts'],
  ['@bot /cancel', 'doubts'],
  ['/cancel', 'cancels'],
  ['/approve\n/cancel', 'cancels'],
  ['/approve', undefined],
  ['/retry', undefined],
])('a comment withholds by the sternest of its words (WORDS-7): %j %s', (text, how) => {
  expect(withholdingIn(text)).toBe(how)
})
