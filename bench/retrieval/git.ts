import { execFileSync } from 'node:child_process'
import { commitsIn, logFormat } from '../../memory/client/ingest/git-log.ts'

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
  const fields = ['%H', '%ct', '%s']
  const log = git(dir, 'log', '--first-parent', '-m', '--name-only', `-n${most}`, logFormat(fields), range)
  return [...commitsIn(log, fields)].map(({ values, files }) => {
    const [sha = '', at = '0', subject = ''] = values
    return { sha, subject, at: Number(at) * 1000, files: [...new Set(files)] }
  })
}
