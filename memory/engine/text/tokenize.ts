import { stem } from './stem.ts'

/** Raised when the same text gives other terms than before: what was indexed under another version is fed anew. */
export const tokenizerVersion = 1

/** Words that nearly every English text has; they tell nothing and have the longest posting lists. */
const stopWords = new Set(
  `a an and are as at be been but by can could did do does for from had has have how i if in into is it its may more not of on
  or our should so such than that the their them then there these they this those to was we were what when where which who why
  will with would you your`.split(/\s+/),
)

/** Beyond this it is a key, a hash or data: no query holds it, and it would be a term of its own for ever. */
const longestTerm = 64

/** A word of letters, digits and what ties the parts of an identifier or a path together. */
const words = /[\p{L}\p{N}_$][\p{L}\p{N}_$]*/gu

/**
 * The terms of a text with their counts. An identifier gives itself and its parts, so that `getUserName`,
 * `get_user_name` and "user name" meet; parts are stemmed.
 */
export function termsOf(text: string): Map<string, number> {
  const terms = new Map<string, number>()
  for (const [word] of text.normalize('NFKC').matchAll(words)) {
    for (const term of termsOfWord(word)) terms.set(term, (terms.get(term) ?? 0) + 1)
  }
  return terms
}

function termsOfWord(word: string): string[] {
  const parts = partsOf(word).map((part) => part.toLowerCase())
  const whole = parts.join('')
  const terms = parts.filter((part) => part.length > 1 && !stopWords.has(part)).map(stem)
  if (parts.length > 1 && whole.length <= longestTerm) terms.push(whole)
  return terms.filter((term) => term.length <= longestTerm)
}

/** `HTTPServer2Go` -> HTTP, Server, 2, Go; `snake_case$x` -> snake, case, x. */
function partsOf(word: string): string[] {
  return word
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replaceAll(/(\p{L})(\p{N})/gu, '$1 $2')
    .replaceAll(/(\p{N})(\p{L})/gu, '$1 $2')
    .split(/[\s_$]+/)
    .filter((part) => part !== '')
}
