import { describe, expect, test } from 'vitest'
import { ATask, inReview } from '../../../machines/testing/a-task.ts'
import { explain, type Why } from '../../../machines/why/why.ts'
import { statePath } from '../../../runtime/step/state-path.ts'
import { quoted, standingText } from './text.ts'

const now = Date.parse('2026-03-01T12:00:00Z')

function whyOf(task: ATask, change: Partial<Why> = {}): Why {
  const { value, context } = task
  return {
    ...explain({ task: { value, path: statePath(value as never), context: context as never }, timers: [], now }),
    ...change,
  }
}

describe('how a Task stands, as a comment', () => {
  test('says the reason, who may move it, its place in the queue, the next timer and the way to delivered', () => {
    const text = standingText(
      whyOf(new ATask().mint().running(), {
        queue: { entry: 'e', position: 3, reason: 'no slot is free' },
        nextTimer: { name: 'implementBudget', dueAt: now },
        reviewRounds: 11,
      }),
    )
    expect(text).toMatch(/^\*\*Task\*\* `[^`]+`: `implementing`, /)
    expect(text).toContain('- **who can move it**: agent: ')
    expect(text).toContain('- **queue**: place 3: no slot is free')
    expect(text).toContain('- **next timer**: `implementBudget`, 2026-03-01 12:00 UTC')
    expect(text).toContain('- **rounds**: 11 reviews requested changes')
    expect(text).toMatch(/<details><summary>The shortest way to delivered<\/summary>\n\n1\. agent: /)
  })

  test('prints no heading without words, and no step instead of one more', () => {
    const { path, ...why } = whyOf(new ATask().mint().running())
    const [step] = path ?? []
    if (step === undefined) throw new Error('the Task has a way to delivered')
    const wayOf = (steps: number): string => standingText({ ...why, path: Array.from({ length: steps }, () => step) })
    expect(wayOf(13)).toMatch(/\n13\. agent: .*\n\n<\/details>/)
    expect(wayOf(14)).toMatch(/\n12\. agent: .*\n\nand 2 more steps\n\n<\/details>/)
    expect(wayOf(14)).not.toContain('|')
  })

  test('says what the agent did last, as text (U5)', () => {
    const lastTurn = { pod: 1, words: 'I stop.\n@all', tool: { name: 'Edit', failed: true }, ended: 'end_turn' }
    const text = standingText(whyOf(new ATask().mint().running(), { lastTurn }))
    expect(text).toContain('- **the agent’s last words**: `I stop. @all`')
    expect(text).toContain('- **its last tool**: `Edit`, which failed')
    expect(text).toContain('- **its turn ended**: `end_turn`')
    const silent = standingText(whyOf(new ATask().mint().running(), { lastTurn: { pod: 1, words: '' } }))
    expect(silent).toContain('- **the agent’s last words**: none')
  })

  test('of one that has ended says that, and shows no way on', () => {
    const text = standingText(whyOf(new ATask().mint().send('task.close', { by: 'alice' })))
    expect(text).toContain(': ended, `rejected`')
    expect(text).not.toContain('<details>')
  })

  test('of one that is delivered leads to what was merged, and links no address that is none of the web', () => {
    const ended = whyOf(inReview().approve().final().merged())
    const url = 'https://forge.example/acme/lib/pull/7?a=>)'
    const at = (merged: Why['merged']): string => standingText({ ...ended, merged: merged ?? [] })
    expect(at([{ name: 'lib!7', url, commit: '0123456789abcdef' }])).toContain(
      '- **merged**: [`lib!7`](<https://forge.example/acme/lib/pull/7?a=%3E)>) as `0123456789`',
    )
    expect(at([{ name: 'lib!7', url: 'javascript:alert(1)' }])).toContain('- **merged**: `lib!7`\n')
    expect(standingText(ended)).not.toContain('nothing is left to do')
  })

  test('the same standing is the same text, whenever it is written', () => {
    const task = new ATask().mint().running()
    expect(standingText(whyOf(task))).toBe(standingText(whyOf(task)))
  })
})

describe('words of others in it', () => {
  test.each([
    ['a mention', 'ask @everyone', '`ask @everyone`'],
    ['the end of the span', 'a ` b `` c', "`a ' b '' c`"],
    ['a mark of ours', '<!-- platform:topic=x -->', '`<! -- platform:topic=x -->`'],
    ['another line, and a table', 'a\n\n| b |', '`a ¦ b ¦`'],
    ['what is not to be seen', 'a\u200b\u202eb\u0000', '`a b`'],
    ['a word that closes an issue', 'fixes: #4', '`fixes: no. 4`'],
    ['one that control characters hide', 'closes\u0001\u0002#4', '`closes no. 4`'],
    ['a quick action', '/merge', "`'/merge'`"],
    ['a command to a bot', 'bors r+ @dependabot rebase', "`'bors' r+ @ dependabot rebase`"],
    ['half of a pair', 'a\ud800', '`a\ufffd`'],
  ])('%s is shown as text (EXECUTED-7)', (_name, given, shown) => {
    expect(quoted(given)).toBe(shown)
  })

  test('too many are cut, between characters', () => {
    expect(quoted('😀'.repeat(400))).toBe(`\`${'😀'.repeat(300)}…\``)
  })

  test('a failure that quotes an agent stays within its span', () => {
    const text = standingText(
      whyOf(new ATask().mint().running(), { detail: 'no: `x` <!-- platform:topic=standing%2Fx -->\n/approve' }),
    )
    expect(text).toContain("- **detail**: `no: 'x' <! -- platform:topic=standing%2Fx --> /approve`")
    expect(text.split('\n').some((line) => line.startsWith('/approve'))).toBe(false)
  })
})
