import { describe, expect, test } from 'vitest'
import { holds } from './condition.ts'
import { fill, MissingValue } from './template.ts'

const facts = {
  issue: { number: 7, comments: [{ body: 'first' }, { body: 'last' }] },
  events: ['approval'],
  mr: 'none',
  plan: true,
  changeRequests: 2,
  result: { line: { json: 12 } },
  stage: 'reviewing',
}

describe('templates', () => {
  test('a template alone keeps its type, one inside a text is printed', () => {
    expect(
      fill({ number: '{{issue.number}}', title: 'Fixes #{{ issue.number }}', list: ['{{result.line.json}}'] }, facts),
    ).toEqual({ number: 7, title: 'Fixes #7', list: [12] })
  })

  test('the first term that is there counts, a quoted one always is', () => {
    expect(fill('{{result.none.id || issue.comments[-1].body}}', facts)).toBe('last')
    expect(fill("{{result.none.id || 'nothing'}}", facts)).toBe('nothing')
  })

  test('a missing value is an error that names it', () => {
    expect(() => fill({ a: ['x {{result.plan.id}}'] }, facts)).toThrow(new MissingValue('result.plan.id'))
  })

  test('a backslash keeps braces as they are', () => {
    expect(fill('style=\\{{color: 1}} {{stage}}', facts)).toBe('style={{color: 1}} reviewing')
  })

  test('inherited members are no values', () => {
    expect(() => fill('{{constructor.name}}', facts)).toThrow(MissingValue)
  })
})

describe('conditions', () => {
  test.each([
    [{ stage: 'reviewing', plan: true }, true],
    [{ stage: 'reviewing', plan: false }, false],
    [{ events: 'approval' }, true],
    [{ events: { includes: 'push' } }, false],
    [{ stage: ['merging', 'reviewing'] }, true],
    [{ mr: false }, true],
    [{ 'result.plan.id': { missing: true } }, true],
    [{ changeRequests: { atLeast: 3 } }, false],
    [{ any: [{ plan: false }, { changeRequests: { atMost: 2 } }] }, true],
    [{ not: { 'issue.comments': { matches: 'LAST' } } }, false],
    [{ 'issue.number': { not: 8 } }, true],
    [{}, true],
  ])('%j is %s', (condition, expected) => {
    expect(holds(condition, facts)).toBe(expected)
  })
})
