/** What a search finds: each of its words, in any order and case. One rule for store, board, page and file. Pure, for the browser too. */

/** Texts under this name are found by their beginning alone: any two letters are in half of all hashes. */
export const commitText = 'commit'

/** From as many as Git itself shortens a hash to. */
const hash = /^[0-9a-f]{7,64}$/

/** So many letters of a hash are listed: a text has 200, and a Task has many commits. */
export const listedHash = 12

interface Searched {
  /** In lower case. */
  readonly words: string
  /** With `namedLine` of each commit. */
  readonly named?: string
}

export function searchWords(search: string): readonly string[] {
  return [...new Set(search.toLowerCase().split(/\s+/).filter(Boolean))]
}

/** Undefined: the word is no beginning of a hash. */
export function commitBegin(word: string): string | undefined {
  return hash.test(word) ? `\n${commitText}=${word.slice(0, listedHash)}` : undefined
}

export function isFoundBy(search: string, { words, named = '' }: Searched): boolean {
  return searchWords(search).every((word) => {
    const begin = commitBegin(word)
    return words.includes(word) || (begin !== undefined && named.includes(begin))
  })
}

/** A word of a text that is listed under the name, as a whole line of `named`. */
export function namedLine(name: string, word: string): string {
  return `\n${name}=${word.toLowerCase()}\n`
}
