import { execFile } from 'node:child_process'
import { cp } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** No configuration of the user's or the machine's takes part. */
const quiet = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  HOME: '/nonexistent',
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
}

export async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', [...args], { cwd, env: quiet, maxBuffer: 64 * 1024 * 1024 })
  return stdout.trim()
}

/** Makes a repository with one commit out of a folder. */
export async function seedRepository(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, filter: (path) => !/(^|\/)(node_modules|\.git)$/.test(path) })
  await git(to, 'init', '--quiet', '--initial-branch=main')
  await git(to, 'add', '--all')
  const author = ['-c', 'user.name=Rita', '-c', 'user.email=rita@acme.invalid', '-c', 'commit.gpgsign=false']
  await git(to, ...author, 'commit', '--quiet', '--message', 'Start the library')
}

/** The branch that HEAD names; a detached or bare oddity is told, not guessed. */
export async function headBranch(repository: string): Promise<string> {
  return git(repository, 'symbolic-ref', '--short', 'HEAD').catch(() => {
    throw new Error(`${repository} is no git repository with a branch checked out: give one with --repo PATH`)
  })
}
