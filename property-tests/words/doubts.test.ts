import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { judgeComment } from '../../machines/rules/approval-grammar.ts'
import { commandsIn, stoppingCommands } from '../../machines/rules/commands.ts'
import { doubtIn } from '../../machines/rules/doubts.ts'
import { linesOf } from '../../machines/rules/comment-text.ts'

type Group = 'ordinary' | 'stopping' | 'otherSense'
const corpus = JSON.parse(readFileSync(new URL('doubts.json', import.meta.url), 'utf8')) as Record<Group, string[]>

/** The merge waits: in doubt, or because it is withdrawn or cancelled. */
function stops(text: string): boolean {
  const commands = commandsIn(text).some(({ name }) => stoppingCommands.includes(name))
  return doubtIn(text) !== undefined || commands || judgeComment(text) === 'withdraws'
}

/** Which sentences of a group stop, by one way to judge them. */
function stopped(group: Group, judge: (text: string) => boolean = stops): readonly string[] {
  return corpus[group].filter(judge)
}

describe('the 500 comments (WORDS-7)', () => {
  test('are 400 ordinary ones, 50 that stop and 50 that use the words in another sense', () => {
    expect(corpus.ordinary).toHaveLength(400)
    expect(corpus.stopping).toHaveLength(50)
    expect(corpus.otherSense).toHaveLength(50)
  })
  test('none that stops is missed', () => {
    expect(corpus.stopping.filter((text) => !stops(text))).toEqual([])
  })
  test('at most 2 % of the ordinary ones stop', () => {
    expect(stopped('ordinary').length).toBeLessThanOrEqual(corpus.ordinary.length * 0.02)
  })
  test('of those in another sense the number is known', () => {
    console.log(
      `in another sense: ${stopped('otherSense').length} of 50 stop; ordinary: ${stopped('ordinary').length} of 400`,
    )
    expect(stopped('otherSense').length).toBeLessThanOrEqual(corpus.otherSense.length)
  })
})

describe('the corpus finds a judge that', () => {
  const withdrawals = (text: string): boolean => judgeComment(text) === 'withdraws'
  test.each([
    ['hears whole lines alone', withdrawals],
    [
      'hears commands among words alone',
      (text: string) => withdrawals(text) || /\/(?:hold|unapprove|cancel)/.test(text),
    ],
    [
      'hears phrases among words alone',
      (text: string) => withdrawals(text) || /stop|hold off|revoke|withdraw|implement/i.test(text),
    ],
  ])('%s', (_name, judge) => {
    expect(stopped('stopping', judge).length).toBeLessThan(50)
  })
  test('hears any part of a word', () => {
    const judge = (text: string): boolean =>
      /hold|stop|cancel|revoke|withdraw|implement/i.test(linesOf(text).said.join(' '))
    expect(stopped('ordinary', judge).length).toBeGreaterThan(8)
  })
})
