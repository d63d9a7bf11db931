import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { git } from '../local/git-seed.ts'
import { copyOwn } from './own-copy.ts'

const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@acme.invalid']

function folder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'statewright-try-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

async function repository(files: Readonly<Record<string, string>> = { README: 'A library.' }): Promise<string> {
  const dir = folder()
  await git(dir, 'init', '--quiet', '--initial-branch=trunk')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  await git(dir, 'add', '--all')
  await git(dir, ...author, 'commit', '--quiet', '--message', 'Start')
  return dir
}

test('the last commit comes on its branch; changes, untracked files, LFS and submodules are named', async () => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 9\n`
  const dir = await repository({
    a: '1',
    b: '2',
    'big.bin': pointer,
    '.gitignore': 'dist/\n',
    '.gitattributes': '*.bin filter=lfs\n',
  })
  const head = await git(dir, 'rev-parse', 'HEAD')
  await git(dir, 'update-index', '--add', '--cacheinfo', `160000,${head},sub`)
  await git(dir, ...author, 'commit', '--quiet', '--message', 'Add a submodule')
  writeFileSync(join(dir, 'a'), 'changed')
  writeFileSync(join(dir, 'big.bin'), 'what LFS brought')
  writeFileSync(join(dir, 'new'), '')
  writeFileSync(join(dir, '.git', 'info', 'exclude'), 'mine\n')
  writeFileSync(join(dir, 'mine'), '')
  mkdirSync(join(dir, 'dist'))
  writeFileSync(join(dir, 'dist', 'x'), '')
  mkdirSync(join(dir, 'sub'))
  const copy = await copyOwn(dir, join(folder(), 'own.git'))
  expect(copy).toMatchObject({ branch: 'trunk', commit: await git(dir, 'rev-parse', 'HEAD'), large: [] })
  expect(await git(copy.path, 'show', 'trunk:a')).toBe('1')
  expect(copy.leftOut).toEqual([
    '1 file changed since the last commit',
    '1 file or folder that git does not track',
    '1 submodule of which the copy has an empty folder',
    '1 file of Git LFS, of which the copy has the pointer',
  ])
})

test('of a detached HEAD the commit comes, on a branch main', async () => {
  const dir = await repository()
  await git(dir, 'checkout', '--quiet', '--detach')
  const copy = await copyOwn(dir, join(folder(), 'own.git'))
  expect(copy.branch).toBe('main')
  expect(copy.leftOut).toEqual([])
})

test('what is no repository with a commit is refused in one sentence, and nothing is written', async () => {
  const [plain, empty, full] = [folder(), folder(), await repository()]
  await git(empty, 'init', '--quiet')
  const [bare, shallow, partial, elsewhere] = [folder(), folder(), folder(), folder()]
  await git(bare, 'clone', '--quiet', '--bare', full, '.')
  await git(full, ...author, 'commit', '--quiet', '--allow-empty', '--message', 'Go on')
  await git(shallow, 'clone', '--quiet', '--depth=1', `file://${full}`, '.')
  await git(partial, 'clone', '--quiet', full, '.')
  await git(partial, 'config', 'remote.origin.promisor', 'true')
  await git(elsewhere, 'clone', '--quiet', full, '.')
  await git(elsewhere, 'config', 'core.worktree', plain)
  const to = join(folder(), 'own.git')
  const refused: readonly (readonly [string, string])[] = [
    [join(plain, 'none'), 'there is no folder'],
    [join(full, 'README'), 'is no folder'],
    [plain, 'is no git repository'],
    [empty, 'has no commit yet'],
    [bare, 'is a bare repository'],
    [join(full, '.git'), 'is not inside the working tree'],
    [shallow, 'is a shallow clone'],
    [partial, 'is a partial clone'],
    [elsewhere, 'is not inside the working tree'],
  ]
  for (const [given, words] of refused) {
    const refusal: unknown = await copyOwn(given, to).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ name: 'UsageError', message: expect.stringContaining(words) })
    expect(String(refusal)).not.toContain('\n')
  }
  expect(existsSync(to)).toBe(false)
})

/** Whatever of it git obeys writes a file into `ran`. */
async function armed(): Promise<{ readonly dir: string; readonly ran: string }> {
  const [dir, ran] = [await repository({ a: '1', '.gitattributes': 'a filter=armed\n' }), folder()]
  const script = (name: string): string => {
    const file = join(ran, `${name}.sh`)
    writeFileSync(file, `#!/bin/sh\ntouch ${join(ran, name)}\ncat\n`)
    chmodSync(file, 0o755)
    return file
  }
  await git(dir, 'config', 'core.fsmonitor', script('fsmonitor'))
  await git(dir, 'config', 'filter.armed.clean', script('clean'))
  await git(dir, 'config', 'filter.armed.smudge', script('smudge'))
  await git(dir, 'config', 'uploadpack.packObjectsHook', script('pack'))
  for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change', 'pre-receive'])
    symlinkSync(script(hook), join(dir, '.git', 'hooks', hook))
  writeFileSync(join(dir, 'a'), '2')
  return { dir, ran }
}

function written(ran: string): readonly string[] {
  return readdirSync(ran).filter((name) => !name.endsWith('.sh'))
}

test('no hook, filter or program that the repository names runs; git status there would run them', async () => {
  const { dir, ran } = await armed()
  expect(written(ran)).toEqual([])
  const copy = await copyOwn(dir, join(folder(), 'own.git'))
  expect(copy.leftOut).toEqual(['1 file changed since the last commit'])
  expect(written(ran)).toEqual([])
  execFileSync('git', ['status', '--short'], { cwd: dir, input: '' })
  execFileSync('git', ['stash', '--quiet'], {
    cwd: dir,
    input: '',
    env: {
      ...process.env,
      GIT_AUTHOR_NAME: 'A',
      GIT_AUTHOR_EMAIL: 'a@b.c',
      GIT_COMMITTER_NAME: 'A',
      GIT_COMMITTER_EMAIL: 'a@b.c',
    },
  })
  expect(written(ran)).toEqual(expect.arrayContaining(['clean', 'fsmonitor', 'smudge', 'reference-transaction']))
})
