/**
 * Finds what an agent quotes in what a person wrote (WORDS-5). The bundle shows text sanitised and escaped, so
 * a verbatim copy of what the agent saw need not be a substring of the raw body. Tried in this order: raw; the quote
 * with XML escapes undone; both sides normalised. What is kept is the raw span.
 */

/** Fewer characters than this quote nothing. */
const minQuoteCharacters = 2

/** How the bundle shows a character that people cannot see. */
export function showInvisible(text: string): string {
  return text.replace(
    /\p{Cf}/gu,
    (character) => `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
  )
}

const invisibleMark = /^\[U\+[0-9A-F]{4,6}\]/

interface Normalised {
  readonly text: string
  /** For each UTF-16 unit of `text`, where it starts and ends in the raw text. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** CRLF, TAB, format characters, their visible marks and runs of blanks count for nothing. */
export function normaliseQuote(raw: string): string {
  return normalised(raw).text.trim()
}

function normalised(raw: string): Normalised {
  const characters: string[] = []
  const starts: number[] = []
  const ends: number[] = []
  for (let at = 0; at < raw.length;) {
    const character = String.fromCodePoint(raw.codePointAt(at) ?? 0)
    const skipped =
      invisibleMark.exec(raw.slice(at, at + 10))?.[0].length ?? (/\p{Cf}/u.test(character) ? character.length : 0)
    const end = at + (skipped || character.length)
    const blank = /\s/u.test(character)
    if (!skipped && !(blank && characters.at(-1) === ' ')) {
      for (const unit of blank ? ' ' : character) {
        for (let i = 0; i < unit.length; i += 1) {
          characters.push(unit[i] ?? '')
          starts.push(at)
          ends.push(end)
        }
      }
    }
    at = end
  }
  return { text: characters.join(''), starts, ends }
}

export function unescapeXml(text: string): string {
  return text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&(?:#39|#x27|apos);/g, "'")
    .replace(/&amp;/g, '&')
}

/** The raw span of `body` that `quote` names; undefined when there is none. */
export function matchQuote(body: string, quote: string): string | undefined {
  if ([...quote.replace(/\s/gu, '')].length < minQuoteCharacters) return undefined
  const exact = [quote, unescapeXml(quote)].find((candidate) => body.includes(candidate))
  return exact ?? matchNormalised(body, quote) ?? matchNormalised(body, unescapeXml(quote))
}

function matchNormalised(body: string, quote: string): string | undefined {
  const wanted = normaliseQuote(quote)
  if ([...wanted.replace(/\s/gu, '')].length < minQuoteCharacters) return undefined
  const { text, starts, ends } = normalised(body)
  const at = text.indexOf(wanted)
  return at < 0 ? undefined : body.slice(starts[at], ends[at + wanted.length - 1])
}
