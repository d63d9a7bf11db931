import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { commit, run } from '../testing/fixture.ts'
import { refInFiles } from './ref-files.ts'
import { readRef } from './refs.ts'

describe('a ref read from files', () => {
  let folder = ''
  let git = ''
  let head = ''

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ref-files-'))
    git = join(folder, '.git')
    await run(folder, ['init', '--quiet', '--initial-branch=main'])
    await commit(folder, { 'a.txt': 'a' }, 'Start')
    head = await run(folder, ['rev-parse', 'HEAD'])
    for (const name of ['packed', 'deep/er', 'both']) await run(folder, ['branch', name])
    await run(folder, ['tag', '-m', 'one', 'v1'])
    await run(folder, ['pack-refs', '--all'])
    await run(folder, ['branch', 'loose'])
    await commit(folder, { 'a.txt': 'b' }, 'Next')
    await run(folder, ['branch', '--force', 'both', 'HEAD'])
    await run(folder, ['symbolic-ref', 'refs/heads/alias', 'refs/heads/loose'])
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it.each(['main', 'packed', 'loose', 'both', 'deep/er'])('%s is what git says', async (branch) => {
    const wanted = await run(folder, ['rev-parse', `refs/heads/${branch}`])
    expect(await refInFiles(git, `refs/heads/${branch}`)).toBe(wanted)
  })

  it('is the tag, not the commit that it names', async () => {
    const wanted = await run(folder, ['rev-parse', 'refs/tags/v1'])
    expect(wanted).not.toBe(head)
    expect(await refInFiles(git, 'refs/tags/v1')).toBe(wanted)
  })

  it.each(['gone', 'deep', 'main/below', head.slice(0, 7) || 'abc1234'])('%s is missing', async (branch) => {
    expect(await refInFiles(git, `refs/heads/${branch}`)).toBeNull()
    expect(await readRef(git, `refs/heads/${branch}`)).toBeUndefined()
  })

  it('is git’s to tell where the file names another ref', async () => {
    expect(await refInFiles(git, 'refs/heads/alias')).toBeUndefined()
    expect(await readRef(git, 'refs/heads/alias')).toBe(head)
  })
})

test.each([
  ...['refs/heads/../../config', 'refs/../HEAD', 'HEAD', 'refs/heads/.hidden', 'refs/heads/a.lock', '/etc/passwd'],
  ...['refs/heads/a^{commit}', 'refs/heads/a..b', 'refs/heads/@{1}', 'refs/heads/', 'refs/heads/ü', 'main:path'],
])('%s opens no file', async (name) => {
  expect(await refInFiles('/', name)).toBeUndefined()
})
