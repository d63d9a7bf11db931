/** Changes of a tree by the ways around a name: real git, real trees, some of which no checkout would make. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { pathGuard } from './path-guard.ts'
import { refusalFor, touchedPaths, type TouchedPath } from './protected-change.ts'
import { placesOf, type Lead } from './protected-places.ts'
import { createRunGit, gitOrThrow } from './run-git.ts'

const run = createRunGit({ path: process.env['PATH'] ?? '', clock: systemClock })

/** A file's text, a link's target or a submodule's commit. */
type Put = string | { readonly link: string } | { readonly gitlink: string }
type Tree = Readonly<Record<string, Put>>

interface Fixture {
  /** A commit of exactly this tree. */
  commit(tree: Tree): Promise<string>
  touched(before: Tree, after: Tree, ofProject?: readonly string[]): Promise<readonly TouchedPath[] | undefined>
}

async function withFixture(use: (fixture: Fixture) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'protected-'))
  const git = (args: readonly string[], input?: string, env = {}): Promise<string> =>
    gitOrThrow(run, { dir, args, env, ...(input === undefined ? {} : { input: one(input) }) }).then((out) => out.trim())
  const blob = (content: string): Promise<string> => git(['hash-object', '-w', '--stdin'], content)
  const line = async ([path, put]: [string, Put]): Promise<string> => {
    if (typeof put === 'string') return `100644 ${await blob(put)}\t${path}`
    return 'link' in put ? `120000 ${await blob(put.link)}\t${path}` : `160000 ${put.gitlink}\t${path}`
  }
  const fixture: Fixture = {
    async commit(tree) {
      const index = { GIT_INDEX_FILE: join(dir, 'index') }
      rmSync(join(dir, 'index'), { force: true })
      const lines = await Promise.all(Object.entries(tree).map(line))
      await git(['update-index', '-z', '--index-info'], lines.map((each) => `${each}\0`).join(''), index)
      const by = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a' }
      return git(['commit-tree', await git(['write-tree'], undefined, index), '-m', 'x'], undefined, by)
    },
    async touched(before, after, ofProject = []) {
      const [from, to] = [await fixture.commit(before), await fixture.commit(after)]
      return touchedPaths((args, input) => run({ dir, args, ...(input && { input }) }), pathGuard(ofProject), from, to)
    },
  }
  try {
    await git(['init', '--quiet', '--bare', '.'])
    await use(fixture)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function* one(text: string): AsyncIterable<Buffer> {
  yield Buffer.from(text)
}

const sha = '1'.repeat(40)

test.each<[what: string, before: Tree, after: Tree, path: string, reason: string]>([
  ['a file among them', {}, { 'a.js': 'x', 'CLAUDE.md': 'obey' }, 'CLAUDE.md', 'every later agent obeys it'],
  ['the removal of one', { CODEOWNERS: '* @m', a: 'x' }, { a: 'x' }, 'CODEOWNERS', 'who must review'],
  ['a submodule without .gitmodules', {}, { 'lib/dep': { gitlink: sha } }, 'lib/dep', 'submodule'],
  [
    'another commit of a submodule that .gitmodules says to ignore',
    { '.gitmodules': '[submodule "d"]\n\tpath = d\n\turl = u\n\tignore = all\n', d: { gitlink: sha } },
    { '.gitmodules': '[submodule "d"]\n\tpath = d\n\turl = u\n\tignore = all\n', d: { gitlink: '2'.repeat(40) } },
    'd',
    'submodule',
  ],
  ['a folder in place of a submodule', { d: { gitlink: sha } }, { 'd/x': 'x' }, 'd', 'submodule'],
  ['a link in place of a protected folder', { '.claude/a': 'x' }, { '.claude': { link: 'x' } }, '.claude', 'obeys it'],
  ['a link with a protected name', {}, { 'AGENTS.md': { link: 'README.md' } }, 'AGENTS.md', 'obeys it'],
  [
    'a link to a protected folder',
    { '.github/a': 'x' },
    { '.github/a': 'x', 'docs/ci': { link: '../.github' } },
    'docs/ci',
    'it leads to .github',
  ],
  ["a link into git's own folder", {}, { hooks: { link: '.git/hooks' } }, 'hooks', 'it leads to .git/hooks'],
  [
    'the file to which a protected link leads',
    { 'CLAUDE.md': { link: 'docs/how.md' }, 'docs/how.md': 'a' },
    { 'CLAUDE.md': { link: 'docs/how.md' }, 'docs/how.md': 'b' },
    'docs/how.md',
    'it is read as CLAUDE.md',
  ],
  [
    'a file of the folder to which a protected link leads',
    { '.claude/skills': { link: '../tools/skills' }, 'tools/skills/a': 'a' },
    { '.claude/skills': { link: '../tools/skills' }, 'tools/skills/a': 'a', 'tools/skills/b/c': 'b' },
    'tools/skills/b/c',
    'it is read as .claude/skills',
  ],
  [
    'a file behind a chain of links',
    { '.claude': { link: 'a' }, a: { link: 'b' }, 'b/x': 'x' },
    { '.claude': { link: 'a' }, a: { link: 'b' }, 'b/x': 'y' },
    'b/x',
    'it is read as a',
  ],
  [
    'a folder of a link’s way that becomes a link',
    { '.claude': { link: 'a/b' }, 'a/b/x': 'x', 'c/b/x': 'x' },
    { '.claude': { link: 'a/b' }, a: { link: 'c' }, 'c/b/x': 'y' },
    'c/b/x',
    'it is read as a',
  ],
  [
    'a link below a protected folder',
    { '.github': { link: 'ci' }, 'ci/wf': { link: '../other' }, 'other/x': 'x' },
    { '.github': { link: 'ci' }, 'ci/wf': { link: '../other' }, 'other/x': 'y' },
    'other/x',
    'it is read as ci/wf',
  ],
  [
    'a name before `..` of a link’s way',
    { '.claude': { link: 'a/../skills' }, 'a/x': 'x', 'skills/y': 'y', 'evil/b/x': 'x' },
    { '.claude': { link: 'a/../skills' }, a: { link: 'evil/b' }, 'skills/y': 'y', 'evil/b/x': 'x' },
    'a',
    'it is read as .claude',
  ],
  [
    'what instructions include',
    { 'CLAUDE.md': 'Style: @docs/style.md.', 'docs/style.md': 'a' },
    { 'CLAUDE.md': 'Style: @docs/style.md.', 'docs/style.md': 'b' },
    'docs/style.md',
    'it is read as CLAUDE.md',
  ],
  [
    'what an included file includes, not there before',
    { 'CLAUDE.md': '@docs/a.md', 'docs/a.md': 'see @b.md' },
    { 'CLAUDE.md': '@docs/a.md', 'docs/a.md': 'see @b.md', 'docs/b.md': 'b' },
    'docs/b.md',
    'it is read as docs/a.md',
  ],
  [
    'what is included by a linked file',
    { 'AGENTS.md': { link: 'docs/a.md' }, 'docs/a.md': '@b.md', 'docs/b.md': 'x' },
    { 'AGENTS.md': { link: 'docs/a.md' }, 'docs/a.md': '@b.md', 'docs/b.md': 'y' },
    'docs/b.md',
    'it is read as docs/a.md',
  ],
])('a push is refused for %s', async (_what, before, after, path, reason) => {
  await withFixture(async ({ touched }) => {
    expect(await touched(before, after)).toContainEqual({ path, reason: expect.stringContaining(reason) })
  })
})

test.each<[what: string, before: Tree, after: Tree]>([
  ['a file beside protected ones', { 'CLAUDE.md': 'x', a: 'x' }, { 'CLAUDE.md': 'x', a: 'y' }],
  ['a submodule that stays', { d: { gitlink: sha }, a: 'x' }, { d: { gitlink: sha }, a: 'y' }],
  ['a link to what nobody obeys', {}, { current: { link: 'releases/1' } }],
  [
    'a link out of the repository, which is not followed',
    {},
    { passwd: { link: '/etc/passwd' }, up: { link: '../..' } },
  ],
  [
    'a folder that instructions only mention',
    { 'CLAUDE.md': 'the alias @src, a @person, @./ and @.', 'src/a': 'x' },
    { 'CLAUDE.md': 'the alias @src, a @person, @./ and @.', 'src/a': 'y' },
  ],
  [
    'the file beside the one to which a link leads',
    { 'CLAUDE.md': { link: 'd/a' }, 'd/b': 'x' },
    { 'CLAUDE.md': { link: 'd/a' }, 'd/b': 'y' },
  ],
])('a push is not refused for %s', async (_what, before, after) => {
  await withFixture(async ({ touched }) => {
    expect(await touched(before, after)).toEqual([])
  })
})

test('a link cannot feign the target of another', async () => {
  await withFixture(async ({ commit, touched }) => {
    const tree: Tree = { 'CLAUDE.md': { link: 'docs/a' }, 'docs/a': 'x' }
    await commit(tree)
    const feigned = { link: `nowhere\n${'0'.repeat(40)} blob 6\nelsewhere` }
    expect(await touched({ ...tree, '.a': feigned }, { ...tree, '.a': feigned, 'docs/a': 'y' })).toMatchObject([
      { path: 'docs/a' },
    ])
  })
})

test('links that lead in circles are followed as far as a file system would, and no further', async () => {
  await withFixture(async ({ touched }) => {
    const loop: Tree = { '.claude': { link: 'a/x' }, a: { link: 'a/b' } }
    expect(await touched(loop, { ...loop, f: 'x' })).toEqual([])
    const circle: Tree = { '.claude': { link: 'a' }, a: { link: 'b' }, b: { link: 'a' } }
    expect(await touched(circle, { ...circle, f: 'x' })).toEqual([])
  })
})

test('a tree whose links lead to more places than are looked at is not judged, however deep they lie', () => {
  const deep = Array.from({ length: 490 }, () => 'a').join('/')
  const links = (count: number): Lead[] =>
    Array.from({ length: count }, (_, n) => ({ from: `.claude/${n}`, to: `${deep}/${n}` }))
  expect(placesOf(pathGuard(), links(2000), []).folders.size).toBe(2000)
  expect(() => placesOf(pathGuard(), links(2001), [])).toThrow('too far')
  expect(() => placesOf(pathGuard(), [{ from: '.claude/x', to: `${deep}/${deep}` }], [])).toThrow('too far')
})

test('a refusal names path, reason and what to do, in one line whatever the paths are', () => {
  const words = refusalFor([
    { path: 'CLAUDE.md', reason: 'every later agent obeys it' },
    { path: 'AGENTS.md', reason: 'every later agent obeys it' },
    ...Array.from({ length: 5 }, (_, n) => ({ path: `.npmrc/\n${n}\u202e`, reason: 'r' })),
  ])
  expect(words).toContain('CLAUDE.md, AGENTS.md (every later agent obeys it)')
  expect(words).toContain('and 2 more')
  expect(words.slice(0, 200)).toContain('/allow-ci-changes')
  expect(words).not.toMatch(/[\n\u202e]/)
})
