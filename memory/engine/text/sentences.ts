import { blocksOf, type Block } from './markup.ts'

/** Shorter says nothing alone, longer is no sentence but data. */
const shortest = 25
const longest = 400
/** An item or a comment may go without its full stop if it has so many words, and gets one. */
const fewestWords = 4
/** With fewer words outside of its code a line is code. */
const fewestPlainWords = 3

const sentenceEnd = /[.!?…][)"'”’\]`]*$/
const betweenSentences =
  /(?<=[.!?…][)"'”’\]]*)(?<!\b(?:e\.g|i\.e|cf|vs|etc|resp|approx|Mr|Dr)\.)\s+(?=[\p{Lu}"'“`(\d])/u
const span = /`[^`]*`|"[^"]*"|[\w$.]+\([^()]*\)/g
const operators = /\s[-+*/|&]?=\s|:=|=>|[=!]==?|&&|\|\||[{}]|;$|->|<<|>>|^[$@>]|^\.\w|::$/
/** Who owns what and under which terms says nothing of what was asked. */
const legal = /\bcopyright\b|all rights reserved|\blicen[cs]ed? (?:under|that can be found)|SPDX-/i

/** The whole sentences of a text, in its order, without markup; code, tables and headings don't read as sentences. */
export function sentencesOf(text: string): string[] {
  return blocksOf(text).flatMap(sentencesOfBlock)
}

function sentencesOfBlock({ text, isIndented }: Block): string[] {
  return text.split(betweenSentences).flatMap((piece) => {
    const isWhole = sentenceEnd.test(piece)
    if (!isWhole && (isIndented || !isCutShort(piece))) return []
    const sentence = isWhole ? piece : `${piece}.`
    const fits = sentence.length >= shortest && sentence.length <= longest
    return fits && isProse(sentence) ? [sentence] : []
  })
}

/** Whether only the full stop is missing. */
function isCutShort(piece: string): boolean {
  return /[\p{L}\d)"'`]$/u.test(piece) && piece.split(' ').length >= fewestWords
}

function isProse(sentence: string): boolean {
  const plain = sentence.replaceAll(span, 'x')
  // An odd one of a pair comes from a line that was cut, and from code.
  if (/[`"]/.test(plain)) return false
  if (operators.test(plain) || legal.test(plain) || /^\p{P}*$/u.test(plain.slice(0, 2))) return false
  const words = plain.split(' ').filter((word) => /^[("'“]*\p{L}[\p{L}'’-]+[)"'”,.;:!?…]*$/u.test(word))
  const letters = plain.match(/[\p{L}\s]/gu)?.length ?? 0
  return words.length >= fewestPlainWords && letters / plain.length > 0.7
}
