/** What the forge relies on in git, for the one that starts processes and for the one in memory. */
import { expect, test } from 'vitest'
import { ZERO_SHA } from '../refs.ts'
import type { Git } from '../store.ts'

type Files = Readonly<Record<string, string>>

export interface Draft {
  readonly files: Files
  readonly parents?: readonly string[]
  readonly message?: string
}

export interface GitSubject {
  readonly git: Git
  /** A commit with these files and no others, on no branch. */
  write(draft: Draft): Promise<string>
}

const PERSON = { name: 'Ann', email: 'ann@example.org', date: '2026-01-02T03:04:05Z' }
const LINES = Array.from({ length: 30 }, (_, line) => `line ${line}\n`)
const TEXT = LINES.join('')
const changed = (line: number, text = 'new\n'): string => LINES.with(line, text).join('')

/** Files before, of one side and of the other, and of the merge, which is undefined on a conflict. */
const MERGES: ReadonlyArray<readonly [string, Files, Files, Files, Files | undefined]> = [
  ['one side changes', { a: 'a\n' }, { a: 'b\n' }, { a: 'a\n' }, { a: 'b\n' }],
  ['both change alike', { a: 'a\n' }, { a: 'b\n' }, { a: 'b\n' }, { a: 'b\n' }],
  ['both change one line', { a: 'a\n' }, { a: 'b\n' }, { a: 'c\n' }, undefined],
  ['both add one file', {}, { 'd/a': 'b\n' }, { 'd/a': 'c\n' }, undefined],
  ['one changes, one deletes', { a: 'a\n', b: '' }, { a: 'b\n', b: '' }, { b: '' }, undefined],
  ['files in folders', { 'd/a': 'a\n' }, { 'd/a': 'a\n', 'd/b': 'b' }, { 'd/e/c': 'c' }, { 'd/b': 'b', 'd/e/c': 'c' }],
  [
    'lines far apart',
    { a: TEXT },
    { a: changed(2) },
    { a: changed(20) },
    { a: LINES.with(2, 'new\n').with(20, 'new\n').join('') },
  ],
  ['neighbouring lines', { a: TEXT }, { a: changed(2) }, { a: changed(3) }, undefined],
]

/** Path, old path, status, lines added and deleted, and the patch. */
const DIFFS: ReadonlyArray<readonly [string, Files, Files, readonly unknown[]]> = [
  ['an added file', {}, { 'd/a': 'x\ny\n' }, ['d/a', null, 'added', 2, 0, '@@ -0,0 +1,2 @@\n+x\n+y']],
  ['a removed file', { a: 'x\n' }, {}, ['a', null, 'removed', 0, 1, '@@ -1 +0,0 @@\n-x']],
  [
    'a changed line',
    { a: TEXT },
    { a: changed(1) },
    ['a', null, 'modified', 1, 1, '@@ -1,5 +1,5 @@\n line 0\n-line 1\n+new\n line 2\n line 3\n line 4'],
  ],
  ['a moved file', { a: TEXT }, { 'd/b': TEXT }, ['d/b', 'a', 'renamed', 0, 0, undefined]],
  ['an empty file', {}, { a: '' }, ['a', null, 'added', 0, 0, undefined]],
  [
    'no newline at the end',
    { a: 'x' },
    { a: 'x\n' },
    ['a', null, 'modified', 1, 1, '@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x'],
  ],
]

export function gitStoreContract(name: string, open: () => Promise<GitSubject>): void {
  test.each(MERGES)(`${name}: a merge when %s`, async (_, was, ours, theirs, merged) => {
    const { git, write } = await open()
    const base = await write({ files: was })
    const [one, other] = [
      await write({ files: ours, parents: [base] }),
      await write({ files: theirs, parents: [base], message: 'Theirs' }),
    ]
    const tree = await git.mergeTrees(one, other)
    expect(tree === undefined).toBe(merged === undefined)
    const rebased = await git.rebaseCommits(one, other, PERSON)
    expect(rebased === undefined).toBe(merged === undefined)
    if (!merged || !tree) return
    const same = await write({ files: merged })
    expect(tree).toBe((await git.readCommit(same)).tree)
    expect(await git.diffFiles(rebased!, same)).toEqual([])
    expect(await git.readCommit(rebased!)).toMatchObject({ parents: [one], committer: PERSON })
  })

  test.each(DIFFS)(`${name}: a diff with %s`, async (_, before, after, expected) => {
    const { git, write } = await open()
    const [from, to] = [
      await write({ files: { ...before, same: '1' } }),
      await write({ files: { ...after, same: '1' } }),
    ]
    const files = await git.diffFiles(from, to)
    const fields = files.map((file) => [
      ...[file.path, file.previousPath, file.status, file.additions, file.deletions, file.patch],
    ])
    expect(fields).toEqual([expected])
    expect(await git.diffText(from, to)).toContain(`diff --git a/${expected[1] ?? expected[0]} b/${expected[0]}`)
  })

  test(`${name}: refs move only from where they were seen, and absent ones are undefined`, async () => {
    const { git, write } = await open()
    const [first, second] = [await write({ files: { a: '1' } }), await write({ files: { a: '2' } })]
    const ref = 'refs/heads/some/branch'
    const move = (before: string, after: string): Promise<boolean> => git.moveRef({ ref, before, after })
    expect(await git.branchTip('some/branch')).toBeUndefined()
    expect(await git.resolveCommit('none')).toBeUndefined()
    expect([await move(first, second), await move(ZERO_SHA, first), await move(ZERO_SHA, second)]).toEqual([
      false,
      true,
      false,
    ])
    expect([await git.readRef(ref), await git.branchTip('some/branch')]).toEqual([first, first])
    for (const called of ['some/branch', 'heads/some/branch', ref, first, first.slice(0, 10)])
      expect(await git.resolveCommit(called)).toBe(first)
    await git.setRef('refs/heads/other', first)
    await git.setRef('refs/tags/v1', second)
    expect(await git.branchesAt(first)).toEqual(['other', 'some/branch'])
    await git.setRef('refs/tags-old/v1', second)
    for (const prefix of ['refs/tags/', 'refs/tags', 'refs/tags/v1'])
      expect(await git.listRefs(prefix)).toEqual([{ ref: 'refs/tags/v1', sha: second }])
    expect(await git.listRefs('refs/tags/v')).toEqual([])
    expect(await git.resolveCommit('v1')).toBe(second)
    expect([await move(second, ZERO_SHA), await move(first, ZERO_SHA)]).toEqual([false, true])
    expect([await git.readRef(ref), await git.branchesAt(first)]).toEqual([undefined, ['other']])
    expect(await git.resolveCommit(first)).toBe(first)
  })

  test(`${name}: a file of a commit has the id of its text, and an absent one none`, async () => {
    const { git, write } = await open()
    const first = await write({ files: { 'd/a': TEXT, b: '1' } })
    const next = await write({ files: { 'd/a': TEXT, b: '2' }, parents: [first] })
    const [changedFile] = await git.diffFiles(first, next)
    expect(await git.readRef(`${first}:d/a`)).toBe(await git.readRef(`${next}:d/a`))
    expect(await git.readRef(`${next}:b`)).toBe(changedFile?.sha)
    expect(await git.readRef(`${first}:b`)).not.toBe(changedFile?.sha)
    expect([await git.readRef(`${first}:c`), await git.readRef(`${ZERO_SHA}:b`)]).toEqual([undefined, undefined])
  })

  test(`${name}: history has an order, a merge base and ancestors`, async () => {
    const { git, write } = await open()
    const root = await write({ files: { a: '0' }, message: 'Root' })
    const left = await write({ files: { a: '1' }, parents: [root] })
    const left2 = await write({ files: { a: '2' }, parents: [left] })
    const right = await write({ files: { a: '0', b: '1' }, parents: [root] })
    const merge = await write({ files: { a: '2', b: '1' }, parents: [left2, right] })
    const alone = await write({ files: { z: '1' } })
    const shas = async (base: string, head: string): Promise<string[]> =>
      (await git.commitsBetween(base, head)).map(({ sha }) => sha)
    expect(await shas(root, merge)).toEqual([left, left2, right, merge])
    expect(await shas(left, merge)).toEqual([left2, right, merge])
    expect((await git.listCommits([left2], 2)).map(({ sha }) => sha)).toEqual([left2, left])
    expect([await git.countCommits(root, merge), await git.countCommits(merge, root)]).toEqual([4, 0])
    expect([await git.mergeBase(left2, right), await git.mergeBase(merge, left)]).toEqual([root, left])
    expect(await git.mergeBase(alone, left)).toBeUndefined()
    expect([await git.isAncestor(left, merge), await git.isAncestor(merge, left)]).toEqual([true, false])
    expect(await git.isAncestor(ZERO_SHA, left)).toBe(false)
    expect(await git.readCommit(root)).toMatchObject({
      parents: [],
      message: 'Root',
      author: PERSON,
      committer: PERSON,
    })
    await expect(git.readCommit(ZERO_SHA)).rejects.toThrow()
    const over = (await git.rebaseCommits(right, merge, PERSON))!
    expect(await shas(right, over)).toHaveLength(2)
    expect((await git.readCommit(over)).tree).toBe((await git.readCommit(merge)).tree)
  })

  test(`${name}: a push names what it brought, commit by commit`, async () => {
    const { git, write } = await open()
    const root = await write({ files: { a: TEXT, b: '1' } })
    const next = await write({ files: { 'd/c': TEXT, b: '2' }, parents: [root] })
    await git.setRef('refs/heads/one', next)
    const brought = async (before: string, after: string): Promise<unknown[]> =>
      (await git.pushedCommits('refs/heads/one', before, after)).map(({ sha, added, removed, modified }) => [
        ...[sha, added, removed, modified],
      ])
    const second = [next, ['d/c'], ['a'], ['b']]
    expect(await brought(ZERO_SHA, next)).toEqual([[root, ['a', 'b'], [], []], second])
    expect(await brought(root, next)).toEqual([second])
    expect(await brought(next, ZERO_SHA)).toEqual([])
    await git.setRef('refs/heads/two', root)
    expect(await brought(ZERO_SHA, next)).toEqual([second])
  })
}
