import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

type Files = Readonly<Record<string, string>>

interface Generator {
  readonly name: string
  readonly files: readonly string[]
  run(outDir: string): Promise<void>
}

const { drift } = (await import(new URL('./drift.mjs', import.meta.url).href)) as {
  drift(root: string, generators: readonly Generator[]): Promise<string[]>
}

async function write(folder: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}

async function driftOf(
  checkedIn: Files,
  generated: Files,
  owned: readonly string[] = ['gen/', 'one.txt'],
): Promise<string[]> {
  const root = await mkdtemp(join(tmpdir(), 'drift-'))
  try {
    await write(root, { ...checkedIn, 'other/kept.txt': 'not generated' })
    return await drift(root, [{ name: 'maker', files: owned, run: (outDir) => write(outDir, generated) }])
  } finally {
    await rm(root, { recursive: true })
  }
}

test('what is checked in as it is written today is no drift', async () => {
  const files = { 'gen/a/b.yaml': 'a', 'one.txt': 'b' }
  expect(await driftOf(files, files)).toEqual([])
})

test('a file that differs, is missing, is left over or belongs to nobody is named', async () => {
  const checkedIn = { 'gen/old.yaml': 'a', 'one.txt': 'before' }
  const generated = { 'gen/new.yaml': 'a', 'one.txt': 'after', 'elsewhere.txt': 'x' }
  expect((await driftOf(checkedIn, generated)).toSorted()).toEqual([
    'elsewhere.txt: maker writes it but does not own it',
    'gen/new.yaml: maker writes it, it is not checked in',
    'gen/old.yaml: maker no longer writes it',
    'one.txt: differs from what maker writes',
  ])
})

test('nothing to generate is no drift', async () => {
  expect(await drift(tmpdir(), [])).toEqual([])
})
