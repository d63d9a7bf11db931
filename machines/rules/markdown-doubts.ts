/** Where it is uncertain what a forge makes of a comment, or what its author meant (decisions/0022). */
import type { Token } from 'markdown-it'

/** No interface: the parser wants an index. */
export type References = Record<string, { title: string; href: string }>

export interface Parsed {
  readonly lines: readonly string[]
  readonly tokens: readonly Token[]
  readonly references: Readonly<References>
}

const quoteMark = /^[ \t]*>/
/** GitLab's may have a title behind it. */
export const alertMarker = /^\[!(?:note|tip|important|warning|caution)\]/i
const typedAsCode = /\p{L}n`t(?!\p{L})/iu

/**
 * What stands in each alert: a forge displays it as its author's own word ("Alerts" of docs.github.com and
 * docs.gitlab.com). One in a quote is another's.
 */
export function alertsOf({ tokens }: Parsed): readonly (readonly Token[])[] {
  const alerts: (readonly Token[])[] = []
  let [from, depth] = [0, 0]
  for (const [at, { type }] of tokens.entries()) {
    if (type === 'blockquote_open') {
      if (depth === 0) from = at + 1
      depth += 1
    } else if (type === 'blockquote_close') {
      depth -= 1
      if (depth === 0 && isAlert(tokens, from)) alerts.push(tokens.slice(from, at))
    }
  }
  return alerts
}

function isAlert(tokens: readonly Token[], from: number): boolean {
  return tokens[from]?.type === 'paragraph_open' && alertMarker.test(tokens[from + 1]?.content ?? '')
}

/**
 * A quote takes in the line below it although nobody marked that with `>` (CommonMark, "Laziness"), and two apostrophes
 * that are typed as backticks make code.
 */
export function lazyLinesOf({ lines, tokens }: Parsed): readonly string[] {
  const lazy: string[] = lines.filter((line) => typedAsCode.test(line))
  let seen = 0
  for (const { map, type } of tokens) {
    if (type !== 'blockquote_open' || !map) continue
    // The first one has its `>`, perhaps behind the marker of a list. Nested quotes lie within what was seen.
    const unseen = lines.slice(Math.max(map[0] + 1, seen), map[1])
    lazy.push(...unseen.filter((line) => !quoteMark.test(line)))
    seen = Math.max(seen, map[1])
  }
  return lazy
}

/**
 * markdown-it takes each line below a quote into it at first, down to a blank one, and begins again where the quote cannot go
 * on: `>>`, `x` and so on took 64 KiB sixteen seconds. So many lines may be looked at again, about 70 ns each.
 */
const mostLinesAgain = 3_000_000

/** Whether to parse these lines would take too long. */
export function isReadTooOften(lines: readonly string[]): boolean {
  let again = 0
  let [from, stops] = [0, 0]
  for (const [at, line] of lines.entries()) {
    if (isBlank(line)) [from, stops] = [at, 0]
    else if (isQuote(lines[at - 1] ?? '') && !isQuote(line)) stops += 1
    if (isBlank(lines[at + 1] ?? '')) again += stops * (at + 1 - from)
  }
  return again > mostLinesAgain
}

/** Perhaps behind the markers of lists. */
function isQuote(line: string): boolean {
  return /^[\s\d.)*+-]*>/.test(line)
}

export function isReadOtherwise(parsed: Parsed, maxNesting: number): boolean {
  return (
    hasFootnote(parsed) ||
    hasOpenDefinition(parsed) ||
    parsed.tokens.some((token) => isTooDeep(token, maxNesting) || isBeyondGfm(token)) ||
    hasCodeBelowQuote(parsed)
  )
}

/** `[^a]: x` defines a link to CommonMark, and is a footnote to GitHub. */
function hasFootnote({ references }: Parsed): boolean {
  return Object.keys(references).some((label) => label.startsWith('^'))
}

/**
 * To cmark the definition of a link is part of the paragraph that goes on below it, so that the next line may be lazy,
 * indented or numbered; to this parser it is not. No token has the lines of a definition.
 */
function hasOpenDefinition({ lines, tokens, references }: Parsed): boolean {
  if (Object.keys(references).length === 0) return false
  const leaves = tokens.filter(({ type }) => !/^(?:blockquote|list_item|.*_list)_/.test(type))
  const covered = new Set(leaves.flatMap(({ map }) => numbersOf(map)))
  return lines.some((line, at) => {
    const next = lines[at + 1] ?? ''
    return !covered.has(at) && !isBlank(line) && !isBlank(next) && (covered.has(at + 1) || !/^\s*\[/.test(next))
  })
}

/** The parser takes it for code where it is a lazy line of a nested quote. */
function hasCodeBelowQuote({ tokens }: Parsed): boolean {
  const ends = new Set(tokens.filter(({ type }) => type === 'blockquote_open').map(({ map }) => map?.[1]))
  return tokens.some(({ type, map }) => type === 'code_block' && ends.has(map?.[0]))
}

/** Footnotes of several words, `~struck~` and `$$math$$` are GitHub's own. */
function isBeyondGfm({ type, content }: Token): boolean {
  return type === 'inline' && /^\[\^[^\]\s]+\]:|\$\$|(?<!~)~[^\s~](?:[^~]*[^\s~])?~(?!~)/m.test(content)
}

/** What is nested in brackets is one level each, within the line. */
function isTooDeep({ level, type, content }: Token, maxNesting: number): boolean {
  if (level >= maxNesting - 1) return true
  if (type !== 'inline') return false
  let [open, most] = [0, 0]
  for (const bracket of content.match(/[[\]]/g) ?? []) {
    open = bracket === '[' ? open + 1 : Math.max(0, open - 1)
    most = Math.max(most, open)
  }
  return most >= maxNesting
}

function numbersOf(map: Token['map']): readonly number[] {
  const [from, end] = map ?? [0, 0]
  return Array.from({ length: end - from }, (_, at) => from + at)
}

function isBlank(line: string): boolean {
  return line.trim() === ''
}
