import { expect, test } from 'vitest'
import { knownShapes, unknownShape } from './unknown-shape.ts'
import { withTrees } from '../testing/fixture.ts'

const base = ['README.md', '.config/a.toml', '.tool/x', 'src/.odd', 'Tiltfile']
const known = knownShapes(base)

test.each([
  '.newtool',
  '.newtool/config.json',
  'src/.newtool/x',
  '.config/other.toml',
  '.config/other/x',
  // It was a file, and becomes a folder.
  'src/.odd/x',
  '.tool',
  '\uff0enewtool',
  '.NewTool.',
])('GIT-8: %s is a new dot file or dot folder', (path) => {
  expect(unknownShape(known, path)).toContain('new dot file')
})

test.each(['tool.yaml', 'tool.toml', 'tool.json', 'tool.ini', 'tool.nix', 'tool.xml', 'Procfile', 'Justfile', 'tool.'])(
  'GIT-8: %s is a new file at the root that nobody can tell',
  (path) => {
    expect(unknownShape(known, path)).toContain('at the root')
  },
)

test.each([
  ...['src/tool.yaml', 'docs/Procfile', 'a/b/c.toml'],
  ...[
    'index.js',
    'main.go',
    'build.rs',
    'NEWS',
    'LICENSE-MIT',
    'docs.md',
    'data.csv',
    'logo.svg',
    'poetry.lock',
    'go.sum',
  ],
  ...[
    'package.json',
    'pnpm-lock.yaml',
    'Cargo.toml',
    'pyproject.toml',
    'tsconfig.build.json',
    'Dockerfile.dev',
    'Makefile',
  ],
  ...['.gitignore', 'src/.dockerignore', '.editorconfig', 'docs/.gitkeep', '.nvmrc'],
  // The base has them, or the folder.
  ...['.tool/y', '.tool/deep/y', 'src/.odd', '.config/a.toml', 'Tiltfile', 'TILTFILE'],
])('GIT-8: %s is not asked about', (path) => {
  expect(unknownShape(known, path)).toBeUndefined()
})

test('GIT-8: a new shape asks for a maintainer, and one that the base has or that is gone does not (GIT-GATEWAY-9)', async () => {
  await withTrees(async ({ commit, judge }) => {
    const tree = { 'a.md': 'a', '.tool': 'a', 'tool.yaml': 'a' }
    const left = await commit(tree)
    expect(await judge(left, await commit({ ...tree, '.other': 'b', 'other.yaml': 'b' }, left))).toMatchObject({
      kind: 'protected',
      paths: [
        { path: '.other', reason: expect.stringContaining('new dot file') },
        { path: 'other.yaml', reason: expect.stringContaining('at the root') },
      ],
    })
    expect(await judge(left, await commit({ ...tree, '.tool': 'b', 'tool.yaml': 'b' }, left))).toMatchObject({
      kind: 'clean',
    })
    expect(await judge(left, await commit({ 'a.md': 'a' }, left))).toMatchObject({ kind: 'clean' })
    const removed = await commit({ 'a.md': 'a' }, left)
    expect(await judge(removed, await commit({ ...tree, 'b.md': 'b' }, left))).toMatchObject({ kind: 'behind' })
  })
})
