/** A text as a forge may come to read it. Each character knows where it stands in the source, so that it can be changed there. */
import MarkdownIt from 'markdown-it'

export interface Reading {
  readonly text: string
  /** For each UTF-16 unit of `text`, where it starts and ends in the source. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

const { unescapeAll } = new MarkdownIt().utils

/** An entity or an escape; a comment, a tag, a mark of emphasis or code, and characters without a shape. */
const spelled = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});|\\[!-/:-@[-`{-~]/iy
const unseen = /<!--[\s\S]{0,2000}?-->|<\/?[a-z](?![a-z+.-]*:\/\/)[^<>]{0,500}>|[*_~`]|\p{Cf}/iuy

export function asWritten(source: string): Reading {
  const starts = Array.from({ length: source.length }, (_none, at) => at)
  return { text: source, starts, ends: starts.map((at) => at + 1) }
}

/** Entities decoded, escapes undone, and what is not displayed left out. */
export function asDisplayed(source: string): Reading {
  const pieces: string[] = []
  const starts: number[] = []
  const ends: number[] = []
  for (let at = 0; at < source.length;) {
    const hidden = matchAt(unseen, source, at)
    const decoded = hidden === '' ? matchAt(spelled, source, at) : ''
    const end = at + (hidden.length || decoded.length || 1)
    const shown = hidden === '' ? (decoded === '' ? source[at]! : unescapeAll(decoded)) : ''
    pieces.push(shown)
    for (let unit = 0; unit < shown.length; unit += 1) {
      starts.push(at)
      ends.push(end)
    }
    at = end
  }
  return { text: pieces.join(''), starts, ends }
}

const special = new Set('&\\<*_~`')

function matchAt(pattern: RegExp, source: string, at: number): string {
  if (!special.has(source[at]!) && source.charCodeAt(at) < 0x80) return ''
  pattern.lastIndex = at
  return pattern.exec(source)?.[0] ?? ''
}
