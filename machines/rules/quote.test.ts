import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchQuote, normaliseQuote, showInvisible, unescapeXml } from './quote.ts'

describe('matchQuote (WORDS-5)', () => {
  test.each([
    ['raw', 'please /approve this', '/approve', '/approve'],
    ['XML escapes undone', 'it\'s a < b && "c"', 'it&#39;s a &lt; b &amp;&amp; &quot;c&quot;', 'it\'s a < b && "c"'],
    ['an escape that stands in the body itself is raw first', 'write &amp; here', '&amp; here', '&amp; here'],
    ['CRLF', 'go\r\nahead', 'go\nahead', 'go\r\nahead'],
    ['TAB as four blanks', 'go\tahead', 'go    ahead', 'go\tahead'],
    ['runs of blanks', 'go   ahead  now', 'go ahead now', 'go   ahead  now'],
    ['a format character left out', 'go\u200Bahead', 'goahead', 'go\u200Bahead'],
    ['a format character made visible', 'go\u200Bahead', 'go[U+200B]ahead', 'go\u200Bahead'],
    ['escaped and normalised', 'a\t<\tb', 'a &lt; b', 'a\t<\tb'],
    ['beyond the basic plane', 'ship 🚀\tit', '🚀 it', '🚀\tit'],
  ])('%s: the raw span is kept (CLAIM-8)', (_name, body, quote, span) => {
    expect(matchQuote(body, quote)).toBe(span)
  })
  test.each([
    ['not in it', 'please wait', '/approve'],
    ['case differs', '/approve', '/Approve'],
    ['too short', '+1', '1'],
    ['blanks', 'a b', '  \t '],
    ['nothing', 'abc', ''],
    ['only invisible', 'abc', '\u200B\u200B\u200B'],
  ])('%s: no match (CLAIM-9)', (_name, body, quote) => {
    expect(matchQuote(body, quote)).toBeUndefined()
  })
  test('what an agent copies of a body as shown is found in it, and the span is verbatim', () => {
    const alphabet = fc.constantFrom('a', 'b', ' ', '\t', '\r\n', '\n', '&', '<', '\u200B', '\u00AD', '🚀', '"', "'")
    fc.assert(
      fc.property(
        fc.array(alphabet, { minLength: 4, maxLength: 40 }).map((parts) => `x${parts.join('')}y`),
        (body) => {
          const shown = showInvisible(body.replace(/\r\n/g, '\n').replace(/\t/g, '    '))
            .replace(/&/g, '&amp;')
            .replace(/</g, '&lt;')
            .replace(/"/g, '&quot;')
            .replace(/'/g, '&#39;')
          const span = matchQuote(body, shown)
          expect(span).toBeDefined()
          expect(body).toContain(span)
        },
      ),
    )
  })
  test('normalising twice is normalising once', () => {
    const alphabet = fc.constantFrom('a', ' ', '\t', '\r\n', '\u200B', '[U+200B]', '\u00A0', '🚀')
    fc.assert(
      fc.property(
        fc.array(alphabet).map((parts) => parts.join('')),
        (text) => {
          expect(normaliseQuote(normaliseQuote(text))).toBe(normaliseQuote(text))
        },
      ),
    )
  })
  test('the escapes of the bundle are undone, once', () => {
    expect(unescapeXml('&amp;lt; &lt; &gt; &quot; &#39;')).toBe('&lt; < > " \'')
  })
})
