/**
 * A light stemmer for words of prose and parts of identifiers: plural, past, gerund and a few endings of nouns, so that
 * `retries`, `retried` and `retrying` meet. It errs towards leaving a word alone: two words that are wrongly one cost
 * more in code, where `process` and `processor` are different things.
 */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word
  return withoutVerbEnding(withoutPlural(word))
}

function withoutPlural(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`
  if (/(?:ss|x|ch|sh|z)es$/.test(word)) return word.slice(0, -2)
  if (word.endsWith('s') && !/(?:ss|us|is)$/.test(word)) return word.slice(0, -1)
  return word
}

function withoutVerbEnding(word: string): string {
  if (word.endsWith('ied') && word.length > 4) return `${word.slice(0, -3)}y`
  for (const ending of ['ing', 'ed']) {
    if (word.endsWith(ending)) return restored(word, word.slice(0, -ending.length))
  }
  return word.endsWith('e') && word.length > 4 ? word.slice(0, -1) : word
}

/** `stopped` lost its second p, `string` and `shed` never had a stem before the ending. */
function restored(word: string, base: string): string {
  if (base.length < 3 || !/[aeiouy]/.test(base)) return word
  const last = base.at(-1)!
  const isDoubled = last === base.at(-2) && !'lsz'.includes(last)
  return isDoubled ? base.slice(0, -1) : base.endsWith('e') && base.length > 4 ? base.slice(0, -1) : base
}
