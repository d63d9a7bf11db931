import { execFileSync } from 'node:child_process'

const mostBytes = 1024 * 1024 * 1024

export function git(dir: string, ...parameters: string[]): string {
  return execFileSync('git', ['-C', dir, '-c', 'core.quotePath=false', ...parameters], {
    maxBuffer: mostBytes,
    stdio: ['ignore', 'pipe', 'pipe'],
  }).toString()
}

export interface Commit {
  readonly sha: string
  readonly subject: string
  readonly files: readonly string[]
  /** Epoch milliseconds. */
  readonly at: number
}

/** Of the first parents' line, newest first; a merge has changed what it brought. */
export function commits(dir: string, range: string, most: number): Commit[] {
  const log = git(dir, 'log', '--first-parent', '-m', '--name-only', `-n${most}`, '--format=%x01%H%x02%ct%x02%s', range)
  return log
    .split('\u0001')
    .slice(1)
    .map((entry) => {
      const [head = '', ...names] = entry.trim().split('\n')
      const [sha = '', at = '0', subject = ''] = head.split('\u0002')
      return { sha, subject, at: Number(at) * 1000, files: [...new Set(names.filter((name) => name !== ''))] }
    })
}
