/** Changes of a tree by the ways around a name: real git, real trees, some of which no checkout would make. */
import { expect, test } from 'vitest'
import type { TouchedPath } from '../../ports/merge-judge.ts'
import { pathGuard } from './path-guard.ts'
import { protectedPathsOf, type Lead } from './protected-places.ts'
import { withTrees, type Tree, type TreesFixture } from '../testing/fixture.ts'
import { testInside } from '../../../testing/inside.ts'

/** A head right on its base. */
async function touched({ commit, judge }: TreesFixture, before: Tree, after: Tree): Promise<readonly TouchedPath[]> {
  const base = await commit(before)
  const judgement = await judge(base, await commit(after, base))
  if (judgement.kind === 'protected') return judgement.paths
  expect(judgement.kind).toBe('clean')
  return []
}

const sha = '1'.repeat(40)

const it = testInside(withTrees)

it.for([
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
])('a push is refused for %s', async ([, before, after, path, reason], fixture) => {
  expect(await touched(fixture, before, after)).toContainEqual({ path, reason: expect.stringContaining(reason) })
})

it.for([
  ['a file beside protected ones', { 'CLAUDE.md': 'x', a: 'x' }, { 'CLAUDE.md': 'x', a: 'y' }],
  ['a submodule that stays', { d: { gitlink: sha }, a: 'x' }, { d: { gitlink: sha }, a: 'y' }],
  ['a link to what nobody obeys', {}, { 'docs/current': { link: 'releases/1' } }],
  [
    'a link out of the repository, which is not followed',
    {},
    { 'docs/passwd': { link: '/etc/passwd' }, 'docs/up': { link: '../../..' } },
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
])('a push is not refused for %s', async ([, before, after], fixture) => {
  expect(await touched(fixture, before, after)).toEqual([])
})

it('a link cannot feign the target of another', async (fixture) => {
  const tree: Tree = { 'CLAUDE.md': { link: 'docs/a' }, 'docs/a': 'x' }
  const feigned = { link: `nowhere\n${'0'.repeat(40)} blob 6\nelsewhere` }
  expect(await touched(fixture, { ...tree, '.a': feigned }, { ...tree, '.a': feigned, 'docs/a': 'y' })).toMatchObject([
    { path: 'docs/a' },
  ])
})

it('links that lead in circles are followed as far as a file system would, and no further', async (fixture) => {
  const loop: Tree = { '.claude': { link: 'a/x' }, a: { link: 'a/b' } }
  expect(await touched(fixture, loop, { ...loop, 'f.md': 'x' })).toEqual([])
  const circle: Tree = { '.claude': { link: 'a' }, a: { link: 'b' }, b: { link: 'a' } }
  expect(await touched(fixture, circle, { ...circle, 'f.md': 'x' })).toEqual([])
})

test('a tree whose links lead to more places than are looked at is not judged, however deep they lie', () => {
  const deep = Array.from({ length: 490 }, () => 'a').join('/')
  const links = (count: number): Lead[] =>
    Array.from({ length: count }, (_, n) => ({ from: `.claude/${n}`, to: `${deep}/${n}` }))
  expect(protectedPathsOf(pathGuard(), links(2000), []).folders.size).toBe(2000)
  expect(() => protectedPathsOf(pathGuard(), links(2001), [])).toThrow('too far')
  expect(() => protectedPathsOf(pathGuard(), [{ from: '.claude/x', to: `${deep}/${deep}` }], [])).toThrow('too far')
})
