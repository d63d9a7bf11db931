/** git as an agent has it: one clone through the gateway, pushes with the pod's own token. */
import { spawn } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export interface Ran {
  readonly code: number
  readonly said: string
}

export async function seedSource(dir: string): Promise<string> {
  await mkdir(dir, { recursive: true })
  await git(dir, ['init', '--quiet', '--initial-branch=main'])
  await commitFiles(dir, { 'readme.md': 'Durations.\n', 'src/duration.txt': 'one\n' }, 'Start')
  return dir
}

export async function commitFiles(
  dir: string,
  files: Readonly<Record<string, string>>,
  message: string,
): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), text)
  }
  await git(dir, ['add', '--all', '--force'])
  const done = await git(dir, ['commit', '--quiet', '--allow-empty', '--no-verify', '--file', '-'], message || 'Work')
  if (done.code !== 0) throw new Error(done.said)
}

/** A fresh work tree at the tip of a branch of what was fetched. */
export async function freshBranch(dir: string, from: string): Promise<void> {
  await git(dir, ['checkout', '--quiet', '--force', '-B', 'play', from])
  await git(dir, ['clean', '-qfdx'])
}

export async function clone(url: string, dir: string): Promise<Ran> {
  await rm(dir, { recursive: true, force: true })
  await mkdir(dir, { recursive: true })
  return git(dir, ['clone', '--quiet', url, '.'])
}

/** Never rejects: a refusal is what is looked for. */
export function git(cwd: string, args: readonly string[], input = ''): Promise<Ran> {
  const who = { NAME: 'Agent', EMAIL: 'agent@example.org' }
  const env = {
    PATH: process.env['PATH'],
    HOME: cwd,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    ...Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((role) =>
        Object.entries(who).map(([key, value]) => [`GIT_${role}_${key}`, value]),
      ),
    ),
  }
  return new Promise((resolve) => {
    const child = spawn('git', args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    child.on('error', (error) => resolve({ code: -1, said: error.message }))
    child.on('close', (code) => resolve({ code: code ?? -1, said: said.trim() }))
  })
}
