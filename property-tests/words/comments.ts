/** Comments as people write them and as they go wrong: every construct of CommonMark that hides words, and its look-alikes. */
import fc from 'fast-check'

const word = fc.constantFrom('/hold', '/approve', 'lgtm', 'stop', '/cancel now', 'fine work', 'see #3', 'a')
const newline = fc.constantFrom('\n', '\n', '\n\n')

function around(before: string, after = before): fc.Arbitrary<string> {
  return fc
    .tuple(word, fc.constantFrom('', '\n', ' '), word)
    .map(([a, gap, b]) => `${before}${a}${gap}${gap && b}${after}`)
}

/** What stands within a line, or goes over two of them. */
const inline = fc.oneof(
  { weight: 6, arbitrary: word },
  { weight: 2, arbitrary: fc.constant('\n') },
  around('`'),
  around('``', '` x``'),
  around('**'),
  around('_'),
  around('[', '](/url)'),
  around('[x](/url "', '")'),
  around('![', '](/url)'),
  around('<!-- ', ' -->'),
  around('<b>', '</b>'),
  around('<code>', '</code>'),
  around('<kbd>', '</kbd>'),
  around('<details>', '</details>'),
  fc.constantFrom('｀/approve｀', '＞ /hold', '＜details＞', '／approve', '/app\u200Brove', '&#47;hold', '\u200B/hold'),
  fc.constantFrom(
    '`<details>`',
    '`<!--`',
    '\\<details>',
    '\\`',
    '&lt;details>',
    '&lt;!--',
    '`',
    '``',
    '```x```',
    '<br>',
    '  \n',
    '\\\n',
  ),
  // Ends of formatting that another block opened are left out: there browsers copy elements about.
  fc.constantFrom('<code>', '<details>', '</details>', '<T>', '<http://x.org/a>', '[x]', '<b>', '*', '[', ']('),
)
const line = fc.array(inline, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' '))
const lines = fc.array(line, { minLength: 1, maxLength: 3 }).map((all) => all.join('\n'))

const fence = fc
  .tuple(
    fc.constantFrom('```', '````', '~~~', '~~~~'),
    fc.constantFrom('', 'js', ' /approve', 'js `'),
    lines,
    fc.constantFrom('```', '~~~', '', '```js'),
    fc.boolean(),
  )
  .map(([mark, info, body, inner, closes]) => `${mark}${info}\n${body}\n${inner}\n${closes ? mark : ''}`)
const indented = lines.map((text) => prefixed(text, '    '))
const heading = fc.oneof(
  line.map((text) => `## ${text}`),
  fc.tuple(line, fc.constantFrom('---', '=', '--')).map(([text, rule]) => `${text}\n${rule}`),
)
const definition = fc.tuple(word, word).map(([a, b]) => `[x]: ${a.split(' ')[0]} "${b}"`)
const rawComment = fc
  .tuple(lines, newline, lines, fc.constantFrom('-->', '-->', ''))
  .map(([a, gap, b, end]) => `<!-- ${a}${gap}${b} ${end}`)

function raw(name: string): fc.Arbitrary<string> {
  return fc
    .tuple(newline, lines, newline, fc.constantFrom(`</${name}>`, `</${name}>`, `</${name}>`, ''))
    .map(([before, body, after, end]) => `<${name}>${before}${body}${after}${end}`)
}

const leaf = fc.oneof(
  { weight: 5, arbitrary: lines },
  { weight: 2, arbitrary: fence },
  indented,
  heading,
  definition,
  rawComment,
  raw('details'),
  raw('pre'),
  raw('blockquote'),
  raw('div'),
  fc.constantFrom('---', '<hr>', '<details><summary>lgtm</summary>', '<details open>', '</details>'),
)

function prefixed(text: string, first: string, more = first): string {
  return text
    .split('\n')
    .map((each, index) => (index === 0 ? first : more) + each)
    .join('\n')
}

/** Lazy: the lines after the first stand without their `>` or indentation. */
function contained(inner: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const lazy = fc.constantFrom(false, false, true)
  return fc.oneof(
    fc.tuple(inner, lazy).map(([text, isLazy]) => prefixed(text, '> ', isLazy ? '' : '> ')),
    inner.map((text) => prefixed(`[!NOTE]\n${text}`, '> ')),
    fc
      .tuple(inner, lazy, fc.constantFrom('- ', '1. ', '* ', '7) '))
      .map(([text, isLazy, mark]) => prefixed(text, mark, isLazy ? '' : ' '.repeat(mark.length))),
  )
}

const nested = contained(
  fc.oneof(
    leaf,
    contained(leaf),
    fc.tuple(leaf, newline, leaf).map((parts) => parts.join('')),
  ),
)
const block = fc.oneof({ weight: 3, arbitrary: leaf }, { weight: 2, arbitrary: nested })

function joined(blocks: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .array(fc.tuple(blocks, newline), { minLength: 1, maxLength: 5 })
    .map((all) => `${all.flat().join('')}\n\n/hold`)
}

export const commonMarkComment = joined(block)

const cell = fc.oneof(
  word,
  around('`').map(oneLine),
  around('**').map(oneLine),
  fc.constantFrom('', '`<details>`', '\\|', '`\\|`'),
)
const row = fc.array(cell, { minLength: 2, maxLength: 2 })
const table = fc
  .tuple(row, fc.array(row, { maxLength: 3 }), fc.boolean())
  .map(([head, rows, hasEdges]) =>
    [head, ['---', ':-:'], ...rows]
      .map((cells) => (hasEdges ? `| ${cells.join(' | ')} |` : cells.map((each) => each || 'x').join(' | ')))
      .join('\n'),
  )

function oneLine(text: string): string {
  return text.replaceAll('\n', ' ')
}

const struck = fc.tuple(line, line).map(([a, b]) => `~~${a}~~ ${b}`)
const quoted = lines.map((text) => prefixed(text, '> '))

/** Tables, strikethrough and alerts among paragraphs, fences and quotes that end with a blank line. */
export const gfmComment = fc
  .array(
    fc.oneof(
      table,
      table,
      struck,
      lines,
      fence.map((text) => `${text}\n`),
      quoted,
      quoted.map((text) => `> [!WARNING]\n${text}`),
    ),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  .map((all) => `${all.join('\n\n')}\n\n/hold`)
