import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commit, run } from '../testing/fixture.ts'
import { diffFiles } from './diff.ts'

async function withRepository(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'forge-diff-'))
  try {
    await run(folder, ['init', '--quiet', '--initial-branch=main'])
    await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

test('every kind of change is told apart, with the counts and the patch of its own file', async () => {
  await withRepository(async (folder) => {
    const long = Array.from({ length: 20 }, (_, line) => `line ${line}`).join('\n')
    await commit(
      folder,
      {
        'changed.txt': 'a\nb\n',
        'gone.txt': 'gone\n',
        'old name.txt': long,
        'binary.bin': '\0\x01',
        'tricky.txt': 'x\n',
      },
      'One',
    )
    await run(folder, ['mv', 'old name.txt', 'new näme.txt'])
    await run(folder, ['rm', '--quiet', 'gone.txt'])
    await commit(
      folder,
      {
        'changed.txt': 'a\nc\nd\n',
        'added.txt': 'new',
        'binary.bin': '\0\x02',
        'tricky.txt': '-- \ndiff --git a/x b/x\n@@ -1 +1 @@\n',
      },
      'Two',
    )
    const files = await diffFiles(folder, 'HEAD~1', 'HEAD')
    expect(files.map((file) => [file.path, file.status, file.additions, file.deletions, file.previousPath])).toEqual([
      ['added.txt', 'added', 1, 0, null],
      ['binary.bin', 'modified', 0, 0, null],
      ['changed.txt', 'modified', 2, 1, null],
      ['gone.txt', 'removed', 0, 1, null],
      ['new näme.txt', 'renamed', 0, 0, 'old name.txt'],
      ['tricky.txt', 'modified', 3, 1, null],
    ])
    expect(files.map((file) => file.patch)).toEqual([
      '@@ -0,0 +1 @@\n+new\n\\ No newline at end of file',
      undefined,
      '@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d',
      '@@ -1 +0,0 @@\n-gone',
      undefined,
      '@@ -1 +1,3 @@\n-x\n+-- \n+diff --git a/x b/x\n+@@ -1 +1 @@',
    ])
  })
})
