/**
 * Takes out of an exported journal what people wrote and who they are, and leaves how it was decided (decisions/0010).
 * A word becomes another of the same length and case, the same one wherever it stands in the bundle, so that whatever
 * compares, counts or searches texts decides as before. Which word it was, only the key could tell; it is not kept.
 */
import { createHmac } from 'node:crypto'
import type { Json } from '../../../machines/definition.ts'
import { approvingPhrases, withdrawingPhrases } from '../../../machines/rules/approval-grammar.ts'
import { hideSecrets } from '../../secrets-in-text.ts'
import { isOpenName, isOpenTree } from './fields.ts'

export type Mask = (value: unknown) => Json

/** One name, number, path or url; a sentence has blanks and is masked under every name. */
const term = /^[\p{L}\p{N}\p{M}_.:/@#+*=~%?&,[\]-]{0,512}$/u
const word = /[\p{L}\p{N}\p{M}_]+/gu
/** Numbers of issues, lines and versions; longer ones may call somebody. */
const shortNumber = /^\d{1,4}$/

/** The words by which people decide tell nothing about who said them, and show why it was decided so. */
const grammar: ReadonlySet<string> = new Set(
  [...approvingPhrases, ...withdrawingPhrases].flatMap((phrase) => phrase.match(word) ?? []),
)

/** `key`: fresh for every export, at least 16 random bytes. */
export function maskWith(key: Uint8Array): Mask {
  const known = new Map<string, string>()
  const maskWord = (given: string): string => {
    if (shortNumber.test(given) || grammar.has(given.toLowerCase())) return given
    const folded = given.toLowerCase()
    const mask = known.get(folded) ?? otherWord(key, folded)
    known.set(folded, mask)
    return likeCase(given, mask)
  }
  const maskText = (text: string): string => text.replace(word, maskWord)
  const hide = (value: unknown, isOpen: boolean, isTree: boolean): Json => {
    if (typeof value === 'string') return isOpen && term.test(value) ? hideSecrets(value) : maskText(value)
    if (Array.isArray(value)) return value.map((item) => hide(item, isOpen, isTree))
    if (typeof value !== 'object' || value === null) return value as Json
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        term.test(name) ? name : maskText(name),
        hide(inner, isTree || isOpenName(name) || isOpenTree(name), isTree || isOpenTree(name)),
      ]),
    )
  }
  return (value) => hide(value, false, false)
}

const letters = 'abcdefghijklmnopqrstuvwxyz'

function otherWord(key: Uint8Array, folded: string): string {
  const alphabet = /^\d+$/.test(folded) ? '0123456789' : letters
  let mask = ''
  for (let part = 0; mask.length < folded.length; part += 1) {
    const digest = createHmac('sha256', key).update(`${part}/${folded}`).digest()
    for (const byte of digest) mask += alphabet[byte % alphabet.length]
  }
  return mask.slice(0, folded.length)
}

function likeCase(given: string, mask: string): string {
  if (given === given.toLowerCase()) return mask
  if (given === given.toUpperCase()) return mask.toUpperCase()
  return given[0] === given[0]?.toUpperCase() ? `${mask[0]?.toUpperCase()}${mask.slice(1)}` : mask
}
