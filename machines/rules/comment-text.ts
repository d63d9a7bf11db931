/**
 * The lines of a comment that can decide something, read as the forge displays them (WORDS-2,
 * decisions/0022). Quotes, code, HTML comments and closed details blocks say nothing. Characters are
 * normalised in what was parsed, never before: a forge makes no quote of a fullwidth `＞`.
 */
import { isReadByGitlab } from './gitlab-markdown.ts'
import { renderGitlabMarkdown, renderMarkdown, type Rendered } from './markdown.ts'
import { alertMarker } from './markdown-doubts.ts'
import { shownLines, type Shown } from './shown-lines.ts'

export interface CommentLines {
  /** Count for everything. */
  readonly said: readonly string[]
  /** Are displayed, and perhaps not as their author's word: they may take back, never grant. */
  readonly doubtful: readonly string[]
  /** Perhaps not displayed at all: they may take back, and nobody is asked what they mean. */
  readonly hidden: readonly string[]
  /** All of these in the order of the comment, by each way to read it, so that a sentence may go on in the next line. */
  readonly passages: readonly (readonly string[])[]
  /** The lines of each. They hold a merge until somebody answers, and decide nothing. */
  readonly alerts: readonly (readonly string[])[]
  /** Shown to who opens the details: they hold a merge until somebody answers, and decide nothing. */
  readonly folded: readonly string[]
}

/** GitHub takes no longer comment. What is longer is not parsed. */
export const longestComment = 65_536

export function linesOf(text: string): CommentLines {
  const known = readBefore.get(text)
  if (known) return known
  const lines =
    text.length > longestComment ? { said: [], doubtful: [], ...unread(text), alerts: [], folded: [] } : read(text)
  remember(text, lines)
  return lines
}

/** The same words are judged for each forge: what one of them displays as a quote or as code is in doubt for all. */
function read(text: string): CommentLines {
  const lines = readAs(renderMarkdown(text), text)
  return isReadByGitlab(text) ? shownByBoth(lines, readAs(renderGitlabMarkdown(text), text)) : lines
}

function shownByBoth(one: CommentLines, other: CommentLines): CommentLines {
  const [first, second] = [new Set(one.said), new Set(other.said)]
  const inOne = [...one.said, ...other.said].filter((line) => !first.has(line) || !second.has(line))
  return {
    said: one.said.filter((line) => second.has(line)),
    doubtful: [...one.doubtful, ...other.doubtful, ...inOne],
    hidden: [...one.hidden, ...other.hidden],
    passages: [...one.passages, ...other.passages],
    alerts: [...one.alerts, ...other.alerts],
    folded: [...one.folded, ...other.folded],
  }
}

function readAs({ html, lazyLines, alerts, isUncertain }: Rendered, text: string): CommentLines {
  const { lines, folded, isSwallowed } = shownLines(html)
  const inAlerts = alerts.map(shownLines)
  const isInDoubt = isUncertain || isSwallowed
  const [certain, doubtful] = [false, true].map((wanted) =>
    lines.filter((line) => (isInDoubt || line.isDoubtful) === wanted).map((line) => line.text),
  ) as [string[], string[]]
  const { hidden, passages } = isInDoubt ? unread(text) : { hidden: [], passages: [] }
  return {
    said: plain(certain),
    doubtful: plain([...doubtful, ...lazyLines]),
    hidden,
    passages: [plain(linesWithApprovals(html, lines)), plain(lazyLines), ...passages],
    alerts: inAlerts.map((each) => plain(each.lines.map((line) => line.text.replace(alertMarker, '')))),
    folded: plain([...folded, ...inAlerts.flatMap((each) => each.folded)]),
  }
}

/** People name an approval by its code, and take it back: `ignore my lgtm`. */
const approvalInCode = /<code>(\/approve|lgtm|\+1)<\/code>/gi

function linesWithApprovals(html: string, lines: Shown['lines']): readonly string[] {
  const named = html.replace(approvalInCode, '$1')
  return (named === html ? lines : shownLines(named).lines).map((line) => line.text)
}

/** A quote of somebody else stops nothing. */
function unread(text: string): Pick<CommentLines, 'hidden' | 'passages'> {
  const hidden = sourceLines(text)
  return { hidden, passages: [hidden.filter((line) => !line.startsWith('>'))] }
}

/** As they were typed, without the marker of a list or heading. */
function sourceLines(text: string): readonly string[] {
  const lines = text.split(/\r\n?|\n/).filter((line) => line.trim() !== '')
  return plain(lines.map((line) => line.replace(/^\s*(?:[-*+]|\d{1,9}[.)]|#{1,6})\s/, '')))
}

/** Of `Don´t` and its like. Before it is normalised: an accent comes apart into a blank and a mark. */
const apostrophes = /[\u2018\u2019\u201B\u2032\u02B9\u02BC\u00B4\u0060\uA78C\uFF07](?<=\p{L}.)(?=\p{L})/gu

function plain(lines: readonly string[]): readonly string[] {
  return lines
    .map((line) =>
      shortened(line)
        .replace(apostrophes, "'")
        .normalize('NFKC')
        .replace(/\p{Cf}/gu, '')
        .replace(/[\s\p{Cc}]+/gu, ' ')
        .trim(),
    )
    .filter((line) => line !== '')
}

/**
 * Normalising sorts the accents of a letter, and 64 KiB of them took 1.4 s: 30 are more than any script needs (UAX #15,
 * "Stream-Safe Text Format"). Two Arabic ligatures stand for 18 and 8 letters.
 */
function shortened(line: string): string {
  return line.replace(/(\p{M}{30})\p{M}+/gu, '$1').replace(/[\uFDFA\uFDFB]/g, ' ')
}

/** An issue's facts are judged anew over its whole thread at each change. Pure, so it matters to nobody what is in it. */
const readBefore = new Map<string, CommentLines>()
const mostCharacters = 4_000_000
let characters = 0

function remember(text: string, lines: CommentLines): void {
  readBefore.set(text, lines)
  characters += text.length
  for (const [oldest] of readBefore) {
    if (characters <= mostCharacters) return
    readBefore.delete(oldest)
    characters -= oldest.length
  }
}
