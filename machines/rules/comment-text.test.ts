/** What people write, what a forge shows of it, and so what it decides. The law is in `property-tests/words`. */
import { describe, expect, test } from 'vitest'
import { judgeComment } from './approval-grammar.ts'
import { commandsIn, type CommandName } from './commands.ts'
import { linesOf, longestComment } from './comment-text.ts'

const commands = ['hold', 'unapprove', 'cancel', 'approve', 'retry', 'allow-ci-changes'] as const
const granting = ['approve', 'retry', 'allow-ci-changes'] as const
const stopping = ['hold', 'unapprove', 'cancel'] as const

function namesIn(text: string): readonly CommandName[] {
  return commandsIn(text).map(({ name }) => name)
}

/** Each stands before or around a command; nothing of it may hide that. */
const harmless: readonly (readonly [string, (command: string) => string])[] = [
  ['a details tag in inline code', (it) => `The \`<details>\` of the plan are wrong.\n\n${it}`],
  ['an escaped details tag', (it) => `The \\<details> of the plan are wrong.\n\n${it}`],
  ['the start of a comment in inline code', (it) => `The \`<!--\` is never closed.\n\n${it}`],
  ['a line that starts with code of three backticks', (it) => `\`\`\`foo\`\`\` is wrong\n\n${it}`],
  ['a backtick that nothing closes', (it) => `A \` is missing\n\n${it}`],
  ['a details tag in a fence', (it) => `\`\`\`html\n<details>\n\`\`\`\n\n${it}`],
  ['the start of a comment in indented code', (it) => `So:\n\n    <!--\n\n${it}`],
  ['a fence in a list that ends with its item', (it) => `1. \`\`\`\n   x\n2. done\n\n${it}`],
  ['a fullwidth quote', (it) => `＞ words\n\n${it}`],
  ['fullwidth tags', (it) => `＜details＞ ＜!--\n\n${it}`],
  ['a details block that is closed', (it) => `<details>\n\nlog\n\n</details>\n\n${it}`],
  ['the end of a details block in the line before', (it) => `<details>\nlog\n</details>\n${it}`],
  ['an alert', (it) => `> [!WARNING]\n> careful\n\n${it}`],
  ['an entity that looks like a tag', (it) => `&lt;details>\n\n${it}`],
  ['a generic type that looks like a tag', (it) => `Vec<String> is right.\n\n${it}`],
  ['an underline that makes it a heading', (it) => `${it}\n--\nmike`],
  ['the points of a list that it ends', (it) => `- rename it\n- and test it\n${it}`],
  ['emphasis', (it) => `**${it}**`],
  ['a fenced quote', (it) => `>>>\nwords\n>>>\n\n${it}`],
  ['a fenced quote right above', (it) => `>>>\nwords\n>>>\n${it}`],
  ['a fence of a quote in code', (it) => `\`\`\`\n>>>\n\`\`\`\n\n${it}`],
  ['front matter', (it) => `---\nx: y\n---\n\n${it}`],
  ['an invisible character', (it) => `\u200B${it.slice(0, 3)}\u200B${it.slice(3)}`],
]

/** A forge shows none of it as words of the comment. */
const silent: readonly (readonly [string, (command: string) => string])[] = [
  ['a fence on the marker line of a list item', (it) => `1. \`\`\`\n   ${it}\n   \`\`\`\n2. and then wait.`],
  ['a fence indented within a list', (it) => `- x\n\n    \`\`\`\n    ${it}\n    \`\`\``],
  ['a fence with another info string inside', (it) => `\`\`\`js\n\`\`\`js\n${it}\n\`\`\``],
  ['an info string', (it) => `\`\`\` ${it}\nx\n\`\`\``],
  ['inline code over several lines', (it) => `\`a\n${it}\nb\``],
  ['inline code of two backticks', (it) => `\`\`a \`\n${it}\n\`\``],
  ['indented code', (it) => `So:\n\n    ${it}`],
  ['indented code in a list', (it) => `1. so:\n\n       ${it}`],
  ['a pre element', (it) => `<pre>\n${it}\n</pre>`],
  ['a code element', (it) => `<code>\n\n${it}\n\n</code>`],
  ['a blockquote element', (it) => `<blockquote>\n\n${it}\n\n</blockquote>`],
  ['a quote', (it) => `> ${it}`],
  ['a quote in a list', (it) => `- > ${it}`],
  ['an alert', (it) => `> [!NOTE]\n> ${it}`],
  ['an HTML comment', (it) => `<!--\n${it}\n\n${it}\n-->`],
  ['an HTML comment within a line', (it) => `x <!-- a\n${it}\nb --> y`],
  ['the title of a link', (it) => `[x](/url "\n${it}\n")`],
  ['the destination of a link', (it) => `[x](${it.split(' ')[0]})`],
  ['the description of an image', (it) => `![a\n${it}\n](/url)`],
  ['a details block', (it) => `<details>\n<summary>x</summary>\n\n${it}\n\n</details>`],
  ['details within a line', (it) => `x <details>\n${it}\n</details>`],
  ['nested details', (it) => `<details><details>\n\n</details>\n\n${it}\n\n</details>`],
]

/** Shown, or swallowed by a slip: it is in doubt whether they are its author's word. */
const doubtful: readonly (readonly [string, (command: string) => string])[] = [
  ['below a quote without a blank line', (it) => `> is this fine?\n${it}`],
  ['as the point of a list', (it) => `- ${it}`],
  ['as a numbered point', (it) => `To go on:\n\n1. ${it}`],
  ['as a task', (it) => `- [x] ${it}`],
  ['as a heading', (it) => `# ${it}`],
  ['in a table', (it) => `| a | b |\n|---|---|\n| ${it} | x |`],
  ['struck out', (it) => `~~a\n${it}\nb~~`],
  ['behind inline code', (it) => `\`x\` ${it}`],
  ['behind a details tag that is not closed', (it) => `The <details> of the plan are wrong.\n\n${it}`],
  ['behind a pre tag that is not closed', (it) => `<pre>\n\n${it}`],
  ['behind an HTML comment that is not closed', (it) => `<!-- x\n\n${it}`],
  ['behind a tag that is not closed', (it) => `<div title="\n\n${it}`],
  ['in a footnote', (it) => `a[^1]\n\n[^1]: two words\n\n    ${it}`],
  ['in a formula', (it) => `$$\n${it}\n$$`],
  ['struck out by one tilde', (it) => `~a\n${it}\nb~`],
  ['between fences of a quote, as GitLab has them', (it) => `They wrote:\n\n>>>\n${it}\n>>>\n\nI do not know.`],
  ['between longer fences, with blank lines', (it) => `>>>>>\n\n${it}\n\n>>>>>>`],
  ['in a fenced quote within another', (it) => `>>>>\na\n>>>\n${it}\n>>>\n>>>>`],
  ['in a fenced quote of a list', (it) => `- a\n\n  >>>\n  ${it}\n  >>>`],
  ['behind a blank line in a fenced quote of a list', (it) => `- a\n\n  >>>\n\n  ${it}\n  >>>`],
  ['in a fenced quote that nobody closes', (it) => `>>>\na\n\n${it}`],
  ['in front matter, as GitLab has it', (it) => `---\n${it}\n---\n\nx`],
  ['in front matter of TOML', (it) => `+++\nx\n\n${it}\n+++`],
  ['behind a style element', (it) => `<style>\n\n${it}`],
]

describe('a command is heard', () => {
  const cases = harmless.flatMap(([where, around]) => commands.map((name) => ({ where, name, around })))
  test.each(cases)('/$name beside $where', ({ name, around }) => {
    expect(namesIn(around(`/${name}`))).toEqual([name])
  })
})

describe('a command is not given', () => {
  const cases = silent.flatMap(([where, around]) => commands.map((name) => ({ where, name, around })))
  test.each(cases)('/$name in $where', ({ name, around }) => {
    const text = around(`/${name} now`)
    expect(namesIn(text)).toEqual([])
    expect(judgeComment(text)).toBe('none')
  })
})

describe('in doubt', () => {
  const cases = doubtful.map(([where, around]) => ({ where, around }))
  test.each(cases.flatMap((each) => stopping.map((name) => ({ ...each, name }))))(
    '/$name stops $where',
    ({ name, around }) => {
      expect(namesIn(around(`/${name}`))).toContain(name)
      if (name !== 'cancel') expect(judgeComment(around(`/${name}`))).toBe('withdraws')
    },
  )
  test.each(cases.flatMap((each) => granting.map((name) => ({ ...each, name }))))(
    '/$name grants nothing $where',
    ({ name, around }) => {
      expect(namesIn(around(`/${name}`))).toEqual([])
      expect(judgeComment(around(`/${name}`))).not.toBe('approves')
      expect(judgeComment(around('LGTM'))).not.toBe('approves')
    },
  )
  test('who seems to approve is asked what he means', () => {
    expect(judgeComment('- lgtm')).toBe('unclear')
    expect(judgeComment('> is this fine?\n+1')).toBe('unclear')
  })
  test('a comment that approves and perhaps withdraws withdraws', () => {
    expect(judgeComment('/approve\n\n- /hold')).toBe('withdraws')
  })
})

describe('the maintainer who had not decided', () => {
  test('approves nothing by an example of how he would', () => {
    const text = 'I have not decided. To approve later I would write:\n\n1. ```\n   /approve\n   ```\n2. and then wait.'
    expect(judgeComment(text)).toBe('unclear')
    expect(namesIn(text)).toEqual([])
  })
})

describe('the text of a link', () => {
  test('is words like others', () => {
    expect(judgeComment('[/hold](https://example.org)')).toBe('withdraws')
    expect(judgeComment('/approve [the second plan](https://example.org)')).toBe('approves')
  })
})

describe('a comment longer than any forge takes', () => {
  const filler = 'a\n'.repeat(longestComment / 2)
  test('approves nothing, and withdraws by any line of its source', () => {
    expect(judgeComment(`${filler}\n/approve`)).toBe('none')
    expect(judgeComment(`/hold\n${filler}`)).toBe('withdraws')
    expect(namesIn(`${filler}\n/retry\n- /cancel`)).toEqual(['cancel'])
  })
  test('is read while it has at most 65,536 characters (FORGE-FACT-2)', () => {
    expect(longestComment).toBe(65_536)
    expect(judgeComment(`${filler.slice('/approve\n\n'.length)}\n\n/approve`.slice(-longestComment))).toBe('approves')
  })
  test('is read below a quote of any length, every line of which is marked', () => {
    expect(judgeComment(`${'> a\n'.repeat(10_000)}\n/approve`)).toBe('approves')
  })
})

describe('what is nested deeper than the parser goes', () => {
  test.each([
    ['quotes', `${'> '.repeat(200)}x`],
    ['lists', `${'- '.repeat(200)}x`],
    ['brackets', '['.repeat(200)],
  ])('%s hide no withdrawal and let nothing approve', (_name, deep) => {
    expect(judgeComment(`${deep}\n\n/hold`)).toBe('withdraws')
    expect(judgeComment(`${deep}\n\n/approve`)).not.toBe('approves')
  })
  test('a tree of 20,000 elements is walked', () => {
    expect(judgeComment(`${'<b>'.repeat(20_000)}\n\n/hold`)).toBe('withdraws')
  })
})

describe('what was read before', () => {
  test('is read the same again, however many others came between', () => {
    const text = '> a\n/hold\n\n/approve'
    const first = linesOf(text)
    for (let at = 0; at < 100; at += 1) linesOf(`${at}${' '.repeat(60_000)}`)
    expect(linesOf(text)).toEqual(first)
  })
})
