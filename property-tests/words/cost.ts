/** What reading a text costs, in CPU time of this process: the least of several runs, compared within one run of the tests. */
import MarkdownIt from 'markdown-it'

export type Pattern = (length: number) => string

export interface Costs {
  readonly name: string
  readonly pattern: Pattern
  /** What is measured. */
  readonly read: (text: string) => unknown
}

const kib = 1024
/** The bounds: linear within a factor, and no dearer than a known linear parser within another. */
const mostGrowth = 3
const mostTimesParser = 20
/** Another process may disturb a run, never speed it up. */
const runs = { baseline: 2, most: 24 }
/** The parser's first runs are compiled on the way, ten times as dear: a cheap text is parsed until it is seen warm. */
const warmMicros = 20_000
const hopeless = 8
/** So many cost what one linear parse of the whole costs. */
const shortTexts = 8

const parser = new MarkdownIt('commonmark', { maxNesting: 100 }).enable(['table', 'strikethrough'])

/** Names the bound that is broken; undefined where all hold. */
export function costFault({ name, pattern, read }: Costs): string | undefined {
  const [whole, twice] = [pattern(64 * kib), pattern(128 * kib)]
  const parse = (): void => parseShortTexts(pattern)
  const cold = least(parse, runs.baseline)
  const parsing = least(parse, Math.min(runs.most, Math.floor(warmMicros / cold)), 0, cold)
  const reading = least(() => read(fresh(whole)), runs.baseline)
  const bounds = [
    { text: whole, known: reading, most: mostTimesParser * parsing, what: `${mostTimesParser} times the parser's` },
    { text: twice, known: Infinity, most: mostGrowth * reading, what: `${mostGrowth} times that of half of it` },
  ]
  for (const { text, known, most, what } of bounds) {
    const cost = least(() => read(fresh(text)), runs.most, most, known)
    if (cost > most) return `${name}: ${text.length} characters cost ${cost} µs, more than ${what}, ${most} µs`
  }
  return undefined
}

/** The parser's own cost grows with the square of some patterns, to many seconds: short texts cost what a linear parser takes. */
function parseShortTexts(pattern: Pattern): void {
  const text = pattern((64 * kib) / shortTexts)
  for (let done = 0; done < shortTexts; done += 1) parser.render(fresh(text))
}

/** In microseconds. Ends once it is good enough, or so bad that no disturbance explains it. */
function least(act: () => unknown, most: number, enough = 0, known = Infinity): number {
  let best = known
  for (let run = 0; run < most && best > enough && !isHopeless(best, enough); run += 1) {
    const before = process.cpuUsage()
    act()
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, user + system)
  }
  return best
}

function isHopeless(cost: number, enough: number): boolean {
  return enough > 0 && cost < Infinity && cost > hopeless * enough
}

let texts = 0

/** What was read before is read from memory, so each run gets a text of its own. */
function fresh(text: string): string {
  texts += 1
  const mark = `q${texts.toString(36).padStart(7, 'q')}`
  return text.slice(0, text.length - mark.length - 1) + mark + text.slice(-1)
}

export function of(unit: string, before = ''): Pattern {
  return (length) => before + unit.repeat(Math.ceil(length / unit.length)).slice(0, length - before.length)
}

/** Something between a start and an end that matters. */
function between(start: string, unit: string, end: string): Pattern {
  return (length) => of(unit, start)(length - end.length) + end
}

function numbered(each: (number: number) => string, until: number, rest: string): Pattern {
  return (length) => {
    const parts: string[] = []
    for (let size = 0; size < length * until; size += parts.at(-1)?.length ?? 1) parts.push(each(parts.length))
    return of(rest, parts.join(''))(length).slice(0, length)
  }
}

export const patterns: Readonly<Record<string, Pattern>> = {
  'dots behind a phrase': between('lgtm', '.', 'x'),
  'dashes behind a phrase': between('lgtm ', '-', ' x'),
  'dots behind a command': between('/approve', '.', 'x'),
  'dots before a phrase': between('x', '.', 'stop'),
  'words of thanks': of('many thanks thank you so '),
  'a word of thanks that goes on': of('many '),
  'halves of a phrase': of('go '),
  'phrases in one line': of('lgtm x '),
  'words that withdraw, in one line': of('please stop '),
  'words that nearly withdraw': of('do not '),
  'words that nearly forbid a merge': of('must not ever be '),
  'words that nearly take an approval back': of('take back pull the '),
  'a word behind a negation': of('a', 'do not '),
  'a whole line that goes on': of('wait !!!!!!!!!!!!!!!! x\n'),
  apostrophes: of('n´t '),
  'commands in one line': of('x /hold- '),
  'commands, each in its line': of('/hold\n'),
  'phrases, each in its line': of('lgtm x\n'),
  'lists of phrases': of('- please hold off\n'),
  mentions: of('@a '),
  'signs of mentions': of('@'),
  'one mention': of('a', '@'),
  'mentions that end in dots': of('@a...'),
  shortcodes: of(':a'),
  emoji: of('👍'),
  'thumbs that are joined': of('👩‍🚀'),
  blanks: between('lgtm', ' ', 'x'),
  'blanks that are not the usual one': between('lgtm', '\u00a0', 'x'),
  'characters that grow when normalised': of('\ufdfa'),
  accents: of('\u0301\u0323', 'a'),
  'invisible characters': of('\u200b'),
  paragraphs: of('some words of a log\n\n'),
  lines: of('some words of a log\n'),
  'line feeds': of('\n'),
  'line feeds that are entities': of('x&#10;'),
  'code in one line': of('`a` ', 'x'),
  'approvals in code': of('`lgtm` '),
  'names behind a word that stops': of('@a.@b ', 'wait '),
  'names behind words that stop': of(`wait ${'@a.-/_'.repeat(25)} x\n`),
  'signs of names behind words that stop': of(`wait ${'@'.repeat(150)} x\n`),
  'asides behind a negation': of(', a b c d e, ', 'do not'),
  'negations with asides': of('do not a b, a b c d e, a b '),
  links: of('[a](b) '),
  'fenced quotes': of('>>>\nx\n'),
  'empty quotes in quotes': of('>>\nx\n'),
  'headings in quotes': of('> #\nx\n'),
  'empty points in quotes': of('> -\nx\n'),
  'rules in quotes of lists': of('- > ***\nx\n'),
  'short quotes with long rests': numbered((number) => (number < 90 ? '>>\nx\n' : 'x\n'), 1, 'x'),
  'fences in one line': between('', '>', 'x'),
  'fences that nobody closes': numbered((number) => `${'>'.repeat(Math.max(3, 300 - number))}\n`, 0, 'x'),
  'fences in a list': of('- >>>\n'),
  alerts: of('> [!tip]\n> **a**\n\n'),
  'an alert': of('> **a**\n', '> [!tip]\n'),
  'cells in an alert': of('<table><tr><td>', '> [!tip]\n>\n> '),
  'alerts in alerts': of('>>> [!tip] x\n'),
  'alerts in one line': between('', '>>> ', '[!tip]'),
  'front matter': of('---x\n', '---\n'),
  'blank lines before front matter': between('', '\n', '---'),
  'definitions of links': numbered((number) => `[a${number}]: b\n`, 1, ' '),
  'quotes with lazy lines': of('b\n', '> a\n'),
  'many quotes': of('> a\nb\n\n'),
  tables: of('c|d\n', 'a|b\n-|-\n'),
  tildes: of('~a '),
  emphasis: of('**a** '),
  'text in an element': of('a b c ', '<div>'),
  'phrases in an element': of('stop ', '<div>'),
  'elements in elements': of('<div>'),
  'elements within a line': of('<b>x</b> '),
  cells: of('<table><tr><td>'),
  details: of('<details>'),
  'details that open': of('<details open><summary>stop it</summary>a</details>'),
  'details in markdown': of('<details>\n\nplease stop\n\n</details>\n\n'),
  comments: of('<!-- a -->'),
  'formatting that nobody closes, and paragraphs': numbered((number) => `<b a=${number}>`, 0.5, '\n\nx'),
  'formatting that nobody closes, and elements': numbered((number) => `<b a=${number}>`, 0.5, '<p>x'),
  'formatting closed across blocks': of('<b><p></b>'),
  'paragraphs in a table': of('a\n\n', '<table>\n\n'),
  'ends of nothing': (length) => of('<i>')(length / 2) + of('</b>')(length / 2),
}
