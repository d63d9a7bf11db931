import { expect, test } from 'vitest'
import { withIncludes } from './includes.ts'

async function included(text: string, files: Readonly<Record<string, string>> = {}): Promise<string> {
  return withIncludes(text, 'CLAUDE.md', async (path) => files[path])
}

test('what the base branch includes stands behind its instructions, read from the base branch (WRAPPER-BOOT-8)', async () => {
  expect(await included('See @docs/style.md for style.', { 'docs/style.md': '# Style\n\nShort lines.\n' })).toBe(
    'See `@docs/style.md` for style.\n\n## Included from docs/style.md\n\n# Style\n\nShort lines.\n',
  )
})

test('an include is looked for beside the file that holds it, and each file comes once', async () => {
  const files = {
    'docs/a.md': 'a, then @b.md and @../top.md',
    'docs/b.md': 'b, then @a.md',
    'top.md': 'top',
  }
  const text = await included('@docs/a.md\n@docs/b.md', files)
  expect([...text.matchAll(/## Included from (\S+)/g)].map((match) => match[1])).toEqual([
    'docs/a.md',
    'docs/b.md',
    'top.md',
  ])
})

test.each([
  ['of the home', '@~/.ssh/config'],
  ['of the machine', '@/etc/passwd'],
  ['beside the repository', '@../other/CLAUDE.md'],
  ['that the base branch does not have', '@lib/of-the-head.md'],
])('a file %s is named and not included: the CLI is given nothing that it would follow', async (_what, line) => {
  const asked: string[] = []
  const text = await withIncludes(`${line}\n`, 'CLAUDE.md', async (path) => void asked.push(path))
  expect(text).toBe(`\`${line}\`\n`)
  expect(asked).toEqual(line === '@lib/of-the-head.md' ? ['lib/of-the-head.md'] : [])
})

test.each([
  ['a code span', 'write `@docs/style.md` so'],
  ['a fenced block', '```\n@docs/style.md\n```'],
  ['an address', 'mail me@example.org'],
])('%s is no include', async (_what, text) => {
  expect(await included(text, { 'docs/style.md': 'never', 'example.org': 'never' })).toBe(`${text}\n`)
})

test('a full stop ends a sentence, not a name', async () => {
  expect(await included('Read @docs/style.md.', { 'docs/style.md': 'short' })).toContain(
    '## Included from docs/style.md',
  )
})

test('a chain of includes ends at the fifth, and a list of them at the twentieth', async () => {
  const chain = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`${n}.md`, `@${n + 1}.md`]))
  expect((await included('@0.md', chain)).match(/Included from/g)).toHaveLength(5)
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${n}.md`, 'x']))
  const list = Object.keys(many).map((name) => `@${name}`)
  expect((await included(list.join('\n'), many)).match(/Included from/g)).toHaveLength(20)
})

test('what is no text is not included', async () => {
  expect(await included('@logo.png', { 'logo.png': 'PNG\0\0' })).toBe('`@logo.png`\n')
})
