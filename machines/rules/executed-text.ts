/**
 * What a forge, or a bot on it, executes in a text (EXECUTED-1 to EXECUTED-7, docs/rules.md). The platform posts the words
 * of agents in its own name, so none of them may command: a reference behind a closing keyword becomes `no. 4`, a quick
 * action gets backticks, a mention that starts a bot gets a blank, `[skip ci]` gets round brackets. Readers see each change.
 *
 * Sources: GitHub, "Linking a pull request to an issue"; GitLab, "Default closing pattern" and "Quick actions" (a line's
 * start); Gitea, "Automatically linked references". GitHub, "Skipping workflow runs", and GitLab, "Skip a pipeline"; bors-ng,
 * "Reference" (a line's start).
 */
import { asDisplayed, asWritten, type Reading } from './readings.ts'

/** Those of GitHub, GitLab and Gitea together, in any case. */
const keyword = String.raw`(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?)`
/** What may stand between the two. Forges allow a colon and blanks; a bracket or quote more costs nothing. */
const gap = String.raw`[\s:(<[{"']{0,40}(?:(?:issues?|bugs?|tickets?)[\s:]{1,40})?`
const shortUrl = String.raw`https?:\/\/[^\s<>()[\]]{1,300}`
/** A folder of GitLab has up to 255 characters, and folders nest up to 20 deep. */
const longUrl = String.raw`https?:\/\/[^\s<>()[\]\/]{1,300}(?:\/[^\s<>()[\]{}"':\/]{1,255}){1,25}`
const url = String.raw`(?:${shortUrl}|${longUrl})\/(?:issues|pulls?|merge_requests|work_items)\/\d+`
/** Only behind a gap, so that no text is read again from each keyword within it. */
const path = String.raw`(?:(?<=[\s:(<[{"',;&])(?:[\p{L}\p{N}_.-]{0,255}\/){0,20}[\p{L}\p{N}_.-]{0,255})?`
const reference = String.raw`(?:${url}|${path}[#!]\d+|GH-\d+(?![\p{L}\p{N}]))`
const listed = String.raw`(?:(?:\s|[,;&]|\band\b|\bor\b){1,20}${reference}){0,50}`
const closing = new RegExp(String.raw`${keyword}${gap}${reference}${listed}`, 'giu')

const quickAction = /^([^\S\n\r]*)(\/[a-z][a-z0-9_-]*)(?=[\s:]|$)/gimu

/** Bots that begin to work where a comment mentions them, by their makers' manuals. Others go by their shape. */
const bots = new Set(
  'claude copilot codex coderabbitai cursor cursoragent dependabot devin-ai-integration ellipsis-dev gemini-code-assist greptile greptileai jules mergify mergifyio openhands-agent renovate sourcery-ai sweep-ai'.split(
    ' ',
  ),
)
const mention = /(?<![\p{L}\p{N}_/@.-])@([a-z0-9](?:[a-z0-9_-]*[a-z0-9])?)(\[bot\])?(?![\p{L}\p{N}_/-])/giu

/** In a message of a commit; a squash makes one of title and body. */
const skip = /\[((?:skip|no)[ _-]*(?:ci|actions)|(?:ci|actions)[ _-]*skip)\]/giu
const skipTrailer = /^([^\S\n\r]*)(skip-checks)(?=[^\S\n\r]*:[^\S\n\r]*true\b)/gimu

const borsCommand =
  /^([^\S\n\r]*)(bors)(?=:?[^\S\n\r]+(?:r[+=-]|d[+=-]|p=|merge|try|retry|delegate|single|cancel|ping))/gimu

/** The same words, none of which a forge or a bot executes. */
export function inert(text: string): string {
  return withoutMentions(withoutQuickActions(withoutClosing(withoutSkips(text))))
}

function withoutSkips(text: string): string {
  return text.replace(skip, '($1)').replace(skipTrailer, '$1`$2`')
}

/** The words of a commit's message by which the checks of its push or merge are left out, as they stand there. */
export function skipPhrases(message: string): readonly string[] {
  return [skip, skipTrailer].flatMap((words) => [...message.matchAll(words)].map(([phrase]) => phrase.trim()))
}

/** A line has a limit on each forge, and the change makes it longer. */
export function inertTitle(title: string): string {
  return [...inert(title)].slice(0, longestTitle).join('')
}

/** GitHub's limit and GitLab's is 255; the tools take 256 characters. */
const longestTitle = 255

/** The lines of the platform's own by which a merge closes the issues of its Task. */
export function withClosing(body: string, issues: readonly number[]): string {
  return [body, ...(issues.length > 0 ? [issues.map((issue) => `Closes #${issue}`).join('\n')] : [])].join('\n\n')
}

/** Of a commit, a forge reads what is written; of the rest what is displayed, or both. */
const readings = [asWritten, asDisplayed] as const

/** The phrases of a text that close something at a merge, as they stand there. */
export function closingPhrases(text: string): readonly string[] {
  return readings.flatMap((read) => {
    const seen = read(text)
    return phrasesIn(seen, text).map(({ 0: phrase, index }) =>
      text.slice(seen.starts[index], seen.ends[index + phrase.length - 1]),
    )
  })
}

export interface NamedIssue {
  /** Of the repository as the text names it, in small letters; empty: the one in which the text stands. */
  readonly path: string
  readonly number: number
}

const oneReference = new RegExp(reference, 'giu')
const parts =
  /^(?:https?:\/\/[^/]+\/(?<whole>.+?)\/(?:-\/)?(?:issues|pulls?|merge_requests|work_items)\/|(?<short>.*)[#!]|GH-)(?<digits>\d+)$/iu

/** Every issue or merge request that a phrase of the text names, by any forge's reading, each once. */
export function closedIssues(text: string): readonly NamedIssue[] {
  const phrases = readings.flatMap((read) => phrasesIn(read(text), text).map(([phrase]) => phrase))
  const named = phrases.flatMap((phrase) => [...phrase.matchAll(oneReference)].map(([one]) => partsOf(one)))
  return [...new Map(named.map((one) => [`${one.path}#${one.number}`, one])).values()]
}

function partsOf(one: string): NamedIssue {
  const { whole, short = '', digits } = parts.exec(one)?.groups ?? {}
  return { path: (whole ?? short).toLowerCase(), number: Number(digits) }
}

/** What begins within a word is no keyword, and hides none that begins behind it. */
function phrasesIn(seen: Reading, text: string): readonly RegExpExecArray[] {
  const found: RegExpExecArray[] = []
  const search = new RegExp(closing)
  for (let phrase = search.exec(seen.text); phrase !== null; phrase = search.exec(seen.text)) {
    const isWithin = /[\p{L}\p{N}]/u.test(text[seen.starts[phrase.index]! - 1] ?? '')
    if (isWithin) search.lastIndex = phrase.index + 1
    else found.push(phrase)
  }
  return found
}

/** A phrase may uncover another, where two references touch; each pass leaves fewer digits behind marks. */
function withoutClosing(text: string): string {
  for (let now = text; ;) {
    const next = readings.reduce(onceWithoutClosing, now)
    if (next === now) return now
    now = next
  }
}

function onceWithoutClosing(text: string, read: (text: string) => Reading): string {
  const seen = read(text)
  const pieces: string[] = []
  let at = 0
  for (const { from, to, spaced } of phrasesIn(seen, text).flatMap(({ 0: phrase, index }) =>
    numbersIn(phrase, index),
  )) {
    pieces.push(text.slice(at, seen.starts[from]), spaced ? ' no. ' : 'no. ')
    at = seen.starts[to] ?? text.length
  }
  return [...pieces, text.slice(at)].join('')
}

interface Cut {
  /** Of the projection: where the mark of the reference begins, and where its digits do. */
  readonly from: number
  readonly to: number
  readonly spaced: boolean
}

const marked = /(^|[\s\S])(#|!|GH-|\/)(?=\d+(?![\p{L}\p{N}]))/giu

function numbersIn(phrase: string, at: number): readonly Cut[] {
  return [...phrase.matchAll(marked)].map((match) => {
    const [whole, before = '', mark = ''] = match
    const to = at + match.index + whole.length
    const isGh = mark.length > 1
    return { from: to - (isGh ? 1 : mark.length), to, spaced: isGh || /[^\s:([{"',;&]/u.test(before) }
  })
}

function withoutQuickActions(text: string): string {
  return text.replace(quickAction, '$1`$2`').replace(borsCommand, '$1`$2`')
}

function withoutMentions(text: string): string {
  return text.replace(mention, (whole, login: string, suffix: string | undefined) =>
    suffix !== undefined || bots.has(login.toLowerCase()) || /bot$/i.test(login) ? `@ ${whole.slice(1)}` : whole,
  )
}
