import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { judgeComment } from '../../machines/rules/approval-grammar.ts'
import { commandsIn, stoppingCommands } from '../../machines/rules/commands.ts'
import { doubtIn } from '../../machines/rules/doubts.ts'
import { linesOf } from '../../machines/rules/comment-text.ts'

type Group = 'ordinary' | 'stopping' | 'otherSense'
type Corpus = Record<Group, string[]>

function read(name: string): Corpus {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as Corpus
}

const first = read('doubts.json')
/** By somebody who read docs/maintainers.md alone, before the rule knew more than the page's own words. */
const forms = read('forms.json')
/** What an adversary found unheard, forms near to it, and ordinary sentences beside them. */
const adversary = read('adversary.json')
const corpus: Corpus = {
  ordinary: [...first.ordinary, ...forms.ordinary],
  stopping: [...first.stopping, ...forms.stopping],
  otherSense: [...first.otherSense, ...forms.otherSense],
}

/** The merge waits: in doubt, or because it is withdrawn or cancelled. */
function stops(text: string): boolean {
  const commands = commandsIn(text).some(({ name }) => stoppingCommands.includes(name))
  return doubtIn(text) !== undefined || commands || judgeComment(text) === 'withdraws'
}

/** Which sentences of a group stop, by one way to judge them. */
function stopped(group: Group, judge: (text: string) => boolean = stops): readonly string[] {
  return corpus[group].filter(judge)
}

describe('the 650 comments (WORDS-7)', () => {
  test('are 500 ordinary ones, 75 that stop and 75 that use the words in another sense', () => {
    expect(corpus.ordinary).toHaveLength(500)
    expect(corpus.stopping).toHaveLength(75)
    expect(corpus.otherSense).toHaveLength(75)
  })
  test('none that stops is missed', () => {
    expect(corpus.stopping.filter((text) => !stops(text))).toEqual([])
  })
  test.each([
    ['first', first],
    ['added', forms],
  ])('at most 2 %% of the ordinary ones stop: the %s', (_name, { ordinary }) => {
    expect(ordinary.filter(stops).length).toBeLessThanOrEqual(ordinary.length * 0.02)
  })
  test('of those in another sense the number is known', () => {
    console.log(
      `in another sense: ${stopped('otherSense').length} of 75 stop; ordinary: ${stopped('ordinary').length} of 500`,
    )
    expect(stopped('otherSense').length).toBeLessThanOrEqual(corpus.otherSense.length)
  })
})

describe('the 45 comments beside what an adversary found (WORDS-7)', () => {
  test.each(adversary.stopping)('%j stops', (text) => {
    expect(stops(text)).toBe(true)
  })
  test.each(adversary.ordinary)('%j does not stop', (text) => {
    expect(stops(text)).toBe(false)
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
      "hears the page's own phrases among words alone",
      (text: string) => withdrawals(text) || /stop|hold off|revoke|withdraw|implement/i.test(text),
    ],
  ])('%s', (_name, judge) => {
    expect(stopped('stopping', judge).length).toBeLessThan(75)
  })
  test('hears any part of a word', () => {
    const judge = (text: string): boolean =>
      /hold|stop|cancel|revoke|withdraw|implement/i.test(linesOf(text).said.join(' '))
    expect(stopped('ordinary', judge).length).toBeGreaterThan(10)
  })
})
