import { describe, expect, test } from 'vitest'
import { findSecrets, secretRules } from './find-secrets.ts'
import { innocents, ownSamples, presetSamples } from './testing/samples.ts'

const samples = [...ownSamples, ...presetSamples]

test('each rule has a made-up secret, and each made-up secret a rule', () => {
  expect([...new Set(samples.map(({ rule }) => rule))].toSorted()).toEqual(
    secretRules.map(({ what }) => what).toSorted(),
  )
})

describe.each(samples)('a secret of the rule $rule', ({ rule, text }) => {
  test('is found by its line, and by no rule besides (REPO-INGEST-3)', () => {
    expect(findSecrets(`one\n${text}\n`)).toEqual([{ what: rule, line: 2 }])
  })

  test('passes without the rule', () => {
    const others = secretRules.filter(({ what }) => what !== rule)
    expect(others).toHaveLength(secretRules.length - 1)
    expect(findSecrets(`one\n${text}\n`, others)).toEqual([])
  })
})

test.each(innocents)('%j holds none', (text) => {
  expect(findSecrets(text)).toEqual([])
})

test('a comment that switches secretlint off hides no secret', () => {
  for (const { rule, text } of presetSamples)
    expect(findSecrets(`// secretlint-disable\n${text}`)).toEqual([{ what: rule, line: 2 }])
})

describe('a text of a stranger', () => {
  const [short, long] = [2 ** 13, 2 ** 17]
  const times = long / short
  /** How often the work of short texts a long one of as many characters needs: 1, and for a square 16. */
  const most = times / 3

  function workFor(text: string, count: number): number {
    const before = process.hrtime.bigint()
    for (let at = 0; at < count; at += 1) findSecrets(text)
    return Number(process.hrtime.bigint() - before)
  }

  /** Each almost a secret, so that much is read before it is none. */
  const almost = samples.map(({ text }) => text.slice(0, text.length / 2))
  const words = [
    'a',
    'a1B/',
    ' ',
    '-',
    'secret',
    'a.',
    'a-',
    '-eyJ',
    '-eyJaaaaaaaaaa.',
    'token=',
    'a://b:cccccc@',
    '-----BEGIN A ',
  ]
  test.each([...words, ...almost])('that repeats %j costs as it grows', (word) => {
    // What else runs here may slow down one of the two. A square is never seen as less.
    const isLinear = [1, 2, 3, 4, 5].some(
      () => workFor(word.repeat(long / word.length), 1) < most * workFor(word.repeat(short / word.length), times),
    )
    expect(isLinear).toBe(true)
  })

  test('with a token that may begin at many places costs as one that begins at one', () => {
    const [many, one] = [200, 1].map((heads) => `${'-eyJ'.repeat(heads)}aaaaaaaaaa.eyJ${'a'.repeat(long)}`)
    expect([1, 2, 3, 4, 5].some(() => workFor(many ?? '', 1) < 4 * workFor(one ?? '', 1))).toBe(true)
  })
})
