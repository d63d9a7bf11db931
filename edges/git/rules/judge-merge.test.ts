/** What a merge makes of its base: real git, exact trees, each way around the branch's own tree with its control. */
import { describe, expect } from 'vitest'
import { withTrees, type Tree, type TreesFixture } from '../testing/fixture.ts'
import { testInside } from '../../../testing/inside.ts'

const LONG = Array.from({ length: 20 }, (_, n) => `line ${n}\n`).join('')
const MORE = `${LONG}run: steal\n`

interface Sides {
  /** Where the branch left its base. */
  readonly from: Tree
  readonly base: Tree
  readonly head: Tree
}

async function judged({ commit, judge }: TreesFixture, { from, base, head }: Sides): ReturnType<TreesFixture['judge']> {
  const left = await commit(from)
  return judge(await commit(base, left), await commit(head, left))
}

const it = testInside(withTrees)

describe('GIT-7: a merge is protected when it changes a protected path of the base', () => {
  it.for([
    [
      'by a rename on the base to a protected name',
      { from: { 'ci/b.yml': LONG }, base: { '.github/b.yml': LONG }, head: { 'ci/b.yml': MORE } },
      '.github/b.yml',
    ],
    [
      'by a rename on the base to instructions, in another case',
      { from: { 'how.md': LONG }, base: { 'Claude.MD': LONG }, head: { 'how.md': MORE } },
      'Claude.MD',
    ],
    [
      'by a rename on the base into what instructions include',
      {
        from: { 'CLAUDE.md': '@docs/how.md', 'how.md': LONG },
        base: { 'CLAUDE.md': '@docs/how.md', 'docs/how.md': LONG },
        head: { 'CLAUDE.md': '@docs/how.md', 'how.md': MORE },
      },
      'docs/how.md',
    ],
    [
      'by an include that the base has since',
      {
        from: { 'CLAUDE.md': 'a', 'docs/how.md': 'a' },
        base: { 'CLAUDE.md': 'a @docs/how.md', 'docs/how.md': 'a' },
        head: { 'CLAUDE.md': 'a', 'docs/how.md': 'b' },
      },
      'docs/how.md',
    ],
    [
      'by an include that the base has since, in another case',
      {
        from: { 'CLAUDE.md': 'a' },
        base: { 'CLAUDE.md': 'a @docs/how.md' },
        head: { 'CLAUDE.md': 'a', 'Docs/How.md': 'b' },
      },
      'Docs/How.md',
    ],
    [
      'by a link that the base has since',
      { from: { 'how.md': 'a' }, base: { 'AGENTS.md': { link: 'how.md' }, 'how.md': 'a' }, head: { 'how.md': 'b' } },
      'how.md',
    ],
    [
      'by a linked folder that the base has since',
      {
        from: { 'tools/a': 'a' },
        base: { '.claude': { link: 'tools' }, 'tools/a': 'a' },
        head: { 'tools/a': 'a', 'tools/b': 'b' },
      },
      'tools/b',
    ],
    [
      'by an include of an included file that only the merge has',
      {
        from: { 'CLAUDE.md': '@a.md', 'a.md': `${LONG}\nx`, 'b.md': 'x' },
        base: { 'CLAUDE.md': '@a.md', 'a.md': `@b.md\n${LONG}\nx`, 'b.md': 'x' },
        head: { 'CLAUDE.md': '@a.md', 'a.md': `${LONG}\nx`, 'b.md': 'y' },
      },
      'b.md',
    ],
    [
      'by a protected file in another case beside that of the base',
      {
        from: { 'a.md': 'x' },
        base: { 'a.md': 'x', '.github/x.yml': 'a' },
        head: { 'a.md': 'x', '.GitHub/x.yml': 'b' },
      },
      '.GitHub/x.yml',
    ],
    [
      'although the same path conflicts',
      { from: { CODEOWNERS: 'a' }, base: { CODEOWNERS: 'b' }, head: { CODEOWNERS: 'c' } },
      'CODEOWNERS',
    ],
    [
      'although another path conflicts',
      { from: { 'a.md': 'a' }, base: { 'a.md': 'b' }, head: { 'a.md': 'c', '.npmrc': 'x' } },
      '.npmrc',
    ],
    [
      'with the half of what the base changed',
      { from: { '.npmrc': `a\n${LONG}b\n` }, base: { '.npmrc': `A\n${LONG}B\n` }, head: { '.npmrc': `A\n${LONG}b\n` } },
      '.npmrc',
    ],
  ])('%s', async ([, sides, path], fixture) => {
    const judgement = await judged(fixture, sides)
    expect(judgement).toMatchObject({
      kind: 'protected',
      paths: expect.arrayContaining([expect.objectContaining({ path })]),
    })
  })
})

describe('GIT-7: a merge is clean', () => {
  it.for([
    [
      'when the base renamed what nobody obeys',
      { from: { 'ci/b.yml': LONG }, base: { 'all/b.yml': LONG }, head: { 'ci/b.yml': MORE } },
    ],
    [
      'when the head changes a file beside the one that the base includes since',
      {
        from: { 'CLAUDE.md': 'a', 'docs/how.md': 'a' },
        base: { 'CLAUDE.md': 'a', 'docs/how.md': 'a', 'x.md': 'x' },
        head: { 'CLAUDE.md': 'a', 'docs/how.md': 'b' },
      },
    ],
    [
      'when the head made the very change of a protected path that the base has',
      { from: { '.npmrc': 'a' }, base: { '.npmrc': 'b', 'x.md': 'x' }, head: { '.npmrc': 'b', 'y.md': 'y' } },
    ],
    [
      'when the base is where the head left it',
      { from: { 'a.md': 'a' }, base: { 'a.md': 'a' }, head: { 'a.md': 'a', 'b.md': 'b' } },
    ],
  ])('%s', async ([, sides], fixture) => {
    const { kind, ...rest } = await judged(fixture, sides)
    expect([kind, Object.keys(rest)]).toEqual(['clean', ['tree']])
  })
})

it.for([
  [
    'a workflow that the base removed',
    { from: { '.github/x.yml': 'a' }, base: { 'a.md': 'a' }, head: { '.github/x.yml': 'a', 'b.md': 'b' } },
    '.github/x.yml',
  ],
  [
    'an older workflow',
    { from: { '.github/x.yml': 'a' }, base: { '.github/x.yml': 'b' }, head: { '.github/x.yml': 'a', 'b.md': 'b' } },
    '.github/x.yml',
  ],
  [
    'no code owners yet',
    { from: { 'a.md': 'a' }, base: { 'a.md': 'a', CODEOWNERS: '* @m' }, head: { 'a.md': 'a', 'b.md': 'b' } },
    'CODEOWNERS',
  ],
  [
    'an older included file',
    {
      from: { 'CLAUDE.md': '@how.md', 'how.md': 'a' },
      base: { 'CLAUDE.md': '@how.md', 'how.md': 'b' },
      head: { 'CLAUDE.md': '@how.md', 'how.md': 'a', 'b.md': 'b' },
    },
    'how.md',
  ],
])(
  'GIT-7: a head that has %s is behind, and what the merge makes is told all the same',
  async ([, sides, path], fixture) => {
    const judgement = await judged(fixture, sides)
    expect(judgement).toMatchObject({
      kind: 'behind',
      paths: [{ path }],
      tree: expect.stringMatching(/^[0-9a-f]{40}$/),
    })
  },
)

it('GIT-7: an older state that one of two merge bases has is protected, and so is one that both changed', async (fixture) => {
  const { commit, judge } = fixture
  const old = { 'CLAUDE.md': 'v1', 'a.md': 'a' }
  const now = { 'CLAUDE.md': 'v2', 'a.md': 'a' }
  const root = await commit(old)
  const [side, changed] = [await commit({ ...old, 's.md': 's' }, root), await commit(now, root)]
  const base = await commit({ ...now, 's.md': 's' }, changed, side)
  expect(await judge(base, await commit({ ...old, 's.md': 's' }, changed, side))).toMatchObject({
    kind: 'protected',
    paths: [{ path: 'CLAUDE.md' }],
  })
  expect(await judge(base, await commit({ ...old, 'CLAUDE.md': 'v3', 's.md': 's' }, changed, side))).toMatchObject({
    kind: 'protected',
  })
  expect(await judge(base, await commit({ ...now, 's.md': 's', 'b.md': 'b' }, changed, side))).toMatchObject({
    kind: 'clean',
  })
})

it('GIT-7: a history with more merge bases than an honest one is not judged', async ({ commit, judge }) => {
  const root = await commit({ 'a.md': 'a' })
  const sides: string[] = []
  for (let n = 0; n < 17; n += 1) sides.push(await commit({ 'a.md': 'a', [`s${n}.md`]: 's' }, root))
  const all = Object.fromEntries(sides.map((_, n) => [`s${n}.md`, 's']))
  const both = async (parents: readonly string[]): ReturnType<TreesFixture['judge']> =>
    judge(
      await commit({ 'a.md': 'a', ...all, 'b.md': 'b' }, ...parents),
      await commit({ 'a.md': 'a', ...all, 'h.md': 'h' }, ...parents),
    )
  expect(await both(sides)).toMatchObject({ kind: 'unreadable', reason: expect.stringContaining('too many ways') })
  expect(await both(sides.slice(1))).toMatchObject({ kind: 'clean' })
})

it('GIT-7: what conflicts is not yet, by each method, and names its paths', async ({ commit, judge }) => {
  const root = await commit({ 'a.md': 'a', 'b.md': 'b' })
  const [base, head] = [
    await commit({ 'a.md': 'x', 'b.md': 'b' }, root),
    await commit({ 'a.md': 'y', 'b.md': 'c' }, root),
  ]
  for (const method of ['merge', 'squash', 'rebase'] as const)
    expect(await judge(base, head, { method })).toMatchObject({ kind: 'conflict', paths: ['a.md'] })
})

it('GIT-7: what cannot be read is not yet', async ({ commit, judge, git }) => {
  const base = await commit({ 'a.md': 'a' })
  expect(await judge(base, await commit({ 'a.md': 'a', 'b.md': 'b' }))).toMatchObject({
    kind: 'unreadable',
    reason: 'it shares no history with its base',
  })
  expect(await judge(base, '1'.repeat(40))).toMatchObject({ kind: 'unreadable' })
  const tree = await git(['rev-parse', `${base}^{tree}`])
  expect(await judge(base, tree)).toMatchObject({ kind: 'unreadable' })
})

it('GIT-7: without a base the head is all that it becomes', async ({ commit, judge }) => {
  expect(await judge(undefined, await commit({ 'AGENTS.md': 'a' }))).toMatchObject({ kind: 'protected' })
  expect(await judge(undefined, await commit({ 'a.md': 'a' }))).toMatchObject({ kind: 'clean' })
})

it('GIT-7: a rebase is judged by its own tree: merges are left out of it', async ({ commit, judge, git }) => {
  const root = await commit({ 'a.md': LONG, '.npmrc': 'a' })
  const base = await commit({ 'a.md': LONG, '.npmrc': 'a', 'b.md': 'b' }, root)
  const planted = await commit({ 'a.md': LONG, '.npmrc': 'evil' }, root)
  // The merge takes back what a commit before it planted; a rebase drops the merge, and leaves what was planted.
  const head = await commit({ 'a.md': LONG, '.npmrc': 'a', 'b.md': 'b', 'c.md': 'c' }, planted, base)
  expect(await judge(base, head, { method: 'rebase' })).toMatchObject({
    kind: 'protected',
    paths: [{ path: '.npmrc' }],
  })
  const merged = await judge(base, head)
  expect(merged).toEqual({ kind: 'clean', tree: await git(['rev-parse', `${head}^{tree}`]) })
  expect(await judge(base, head, { method: 'squash' })).toEqual(merged)
  const straight = await commit(
    { 'a.md': MORE, '.npmrc': 'a' },
    await commit({ 'a.md': LONG, '.npmrc': 'a', 'c.md': 'c' }, root),
  )
  const rebased = await judge(base, straight, { method: 'rebase' })
  expect(rebased).toEqual(await judge(base, straight))
  expect(rebased.kind).toBe('clean')
})
