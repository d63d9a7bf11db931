import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chunksOf } from './chunk.ts'
import { entityKey, findEntities, linkTargets } from './entities.ts'
import { sentencesOf } from './sentences.ts'
import { stem } from './stem.ts'
import { summarize } from './summarize.ts'
import { termsOf } from './tokenize.ts'

describe('terms', () => {
  const terms = (text: string): string[] => [...termsOf(text).keys()].toSorted()

  it.each([
    ['getUserName', ['get', 'getusername', 'name', 'user']],
    ['get_user_name', ['get', 'getusername', 'name', 'user']],
    ['HTTPServer2', ['http', 'httpserver2', 'server']],
    ['src/http/user-store.ts', ['http', 'src', 'stor', 'ts', 'user']],
  ])('of %s are the whole and its parts', (text, expected) => {
    expect(terms(text)).toEqual(expected)
  })

  it('meet whatever form a word has', () => {
    for (const word of ['retries', 'retried', 'retry']) expect(terms(word)).toEqual(['retry'])
    for (const word of ['stop', 'stopped', 'stopping', 'stops']) expect(terms(word)).toEqual(['stop'])
  })

  it('leave words apart that are different things', () => {
    expect(stem('processor')).not.toBe(stem('process'))
    for (const word of ['string', 'shed', 'class', 'status', 'this', 'bring']) expect(stem(word)).toBe(word)
  })

  it('count how often each is there, and leave out what every text has', () => {
    expect(termsOf('the cat and the cats')).toEqual(new Map([['cat', 2]]))
  })

  it('of any text are short and never empty', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        for (const [term, count] of termsOf(text)) expect(term.length > 0 && term.length <= 64 && count > 0).toBe(true)
      }),
    )
  })
})

describe('chunks', () => {
  it('lose nothing but white space at their ends, and none is long', () => {
    const text = fc
      .array(fc.string({ unit: 'grapheme', maxLength: 900 }), { maxLength: 12 })
      .map((parts) => parts.join('\n\n'))
    const bare = (given: string): string => given.replaceAll(/\s+/g, '')
    fc.assert(
      fc.property(text, (given) => {
        const chunks = chunksOf(given)
        expect(bare(chunks.join(''))).toBe(bare(given))
        for (const chunk of chunks) expect(chunk.length).toBeLessThanOrEqual(1_600)
      }),
      { numRuns: 200 },
    )
  })

  it('end between paragraphs where they can', () => {
    const paragraph = `${'word '.repeat(150)}end.`
    expect(chunksOf([paragraph, paragraph, paragraph].join('\n\n'))).toEqual([
      `${paragraph}\n\n${paragraph}`,
      paragraph,
    ])
  })

  it('never part the halves of a character', () => {
    for (const chunk of chunksOf(`x${'\u{1f680}'.repeat(1_500)}`)) expect(chunk.isWellFormed()).toBe(true)
  })
})

describe('entities', () => {
  const found = (text: string): string[] =>
    findEntities(text)
      .mentions.map(({ type, name }) => `${type} ${name}`)
      .toSorted()

  it.each([
    [
      'The SessionStore calls fetch_token in runtime/commit/worker.ts.',
      ['identifier SessionStore', 'identifier fetch_token', 'path runtime/commit/worker.ts'],
    ],
    [
      'See https://example.org/a/b?c=1, and #123 by @ann-lee.',
      ['issue #123', 'person @ann-lee', 'url https://example.org/a/b?c=1'],
    ],
    ['JIRA-42 was found by Grace Hopper at Yale.', ['issue JIRA-42', 'name Grace Hopper', 'name Yale']],
    ['this is plain text about nothing in particular', []],
    ['If we do this, Then it works. When not, no.', []],
  ])('of %j are what is a name by its spelling', (text, expected) => {
    expect(found(text)).toEqual(expected.toSorted())
  })

  it('are one whatever their case, and counted', () => {
    expect(findEntities('SessionStore and SESSIONSTORE_X and SessionStore').mentions[0]).toEqual({
      name: 'SessionStore',
      type: 'identifier',
      count: 2,
    })
    expect(entityKey(' SessionStore ')).toBe('sessionstore')
  })

  it('that stand in one line are tied to their neighbours, not to everybody', () => {
    const { ties } = findEntities('AlphaOne BetaTwo GammaThree DeltaFour\nEpsilonFive')
    expect(ties.map(({ from, to }) => `${from} ${to}`)).toEqual([
      'AlphaOne BetaTwo',
      'AlphaOne GammaThree',
      'BetaTwo GammaThree',
      'BetaTwo DeltaFour',
      'DeltaFour GammaThree',
    ])
  })

  it('of a listing are bounded', () => {
    const text = Array.from({ length: 300 }, (_, at) => `nameNumber${at}X`).join('\n')
    expect(findEntities(text).mentions).toHaveLength(24)
  })

  it('come soon, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 2_000 }),
        (text) => findEntities(text).mentions.length <= 24,
      ),
    )
    expect(
      findEntities(`${'a/'.repeat(5_000)} ${'A '.repeat(5_000)} ${'a.'.repeat(5_000)}`).mentions.length,
    ).toBeLessThanOrEqual(24)
  })

  it('that are linked are told by the targets of the links', () => {
    expect(linkTargets('[one](docs/a.md#part), [two](https://example.org) and [again](docs/a.md)')).toEqual([
      'docs/a.md',
      'https://example.org',
    ])
  })
})

describe('a summary', () => {
  const prose =
    'The store keeps each token for one hour. A second store holds the users. Colours of the page are set elsewhere.'

  it('is made of sentences of the passages, those that answer the query', () => {
    const { summary } = summarize('How long is a token kept?', [{ content: prose, score: 0.9 }])
    expect(summary).toContain('keeps each token for one hour')
    for (const sentence of sentencesOf(summary)) expect(prose).toContain(sentence)
  })

  it('does not say the same twice', () => {
    const { summary } = summarize(
      'token',
      [
        { content: prose, score: 0.9 },
        { content: prose, score: 0.8 },
      ].map((one, at) => ({ ...one, content: `${one.content} Passage ${at}.` })),
    )
    expect(summary.length).toBeLessThanOrEqual(1_200)
  })

  it('of code is what its comments say and what it declares, led by its file', () => {
    const content = '/** Runs what was asked for, once. */\nexport function run(): void {\n  go(here, there)\n}'
    expect(summarize('run', [{ content, score: 1, file: 'src/run.ts' }])).toEqual({
      summary: 'src/run.ts: Runs what was asked for, once. It has `export function run(): void`.',
      generatedBy: 'extractive',
      uses: [0],
    })
  })

  it('names the signatures of a passage in one sentence', () => {
    const content = 'def run(self):\n    pass\n\ndef run_all(self):\n    pass\n\ndef run_one(self):\n    pass'
    expect(summarize('run', [{ content, score: 1, file: 'run.py' }]).summary).toBe(
      'run.py: It has `def run(self)`, `def run_all(self)` and `def run_one(self)`.',
    )
  })

  it('tells of tests last, and names no signature that has no word of the question', () => {
    const code = (name: string): string => `def ${name}(self):\n    pass\n\ndef other(self):\n    pass`
    const { summary, uses } = summarize('how does run work', [
      { content: code('test_run'), score: 1, file: 'tests/test_run.py' },
      { content: `# It runs one thing at a time.\n${code('run')}`, score: 0.9, file: 'src/run.py' },
      { content: 'def unrelated(self):\n    pass', score: 0.9, file: 'src/others.py' },
    ])
    expect(summary).toBe(
      'src/run.py: It runs one thing at a time. It has `def run(self)`.\n\ntests/test_run.py: It has `def test_run(self)`.',
    )
    expect(uses).toEqual([1, 0])
  })

  it('of a change is what its author wrote, and nothing of its diff (QUERIES-12)', () => {
    const subject = 'fix: close idle sockets'
    const change = `${subject}\n\nThey were kept open for ever by the old server.\n\nsrc/a.ts\n\ndiff --git a/src/a.ts b/src/a.ts\n@@ -1,2 +1,2 @@\n-close the socket now and then\n+close every idle socket at once`
    const middle = ' the server keeps each socket\n+close every idle socket at once\n@@ -9,2 +9,2 @@ class Server {'
    const passages = [change, middle].map((content) => ({ content, score: 1, file: '@commit/1', subject }))
    const { summary, uses } = summarize('idle sockets', passages)
    expect(summary).toContain('fix: close idle sockets. They were kept open for ever by the old server.')
    expect(summary).not.toMatch(/@@|diff|at once|now and then|keeps each/)
    expect(uses[0]).toBe(0)
  })

  it('names only the passages that a sentence came from (QUERIES-13)', () => {
    const passages = ['{"a": 1}', 'The vault keeps each token for one hour.'].map((content) => ({ content, score: 1 }))
    expect(summarize('token', passages).uses).toEqual([1])
  })

  it('of nothing is nothing', () => {
    expect(summarize('token', [])).toEqual({ summary: '', generatedBy: 'extractive', uses: [] })
  })
})
