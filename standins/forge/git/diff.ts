import { askGit, git } from './run.ts'

export type FileStatus = 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'changed'

/** One file of a diff. `patch` starts at the first hunk and is absent for binary files and pure renames. */
export interface FileDiff {
  readonly path: string
  readonly previousPath: string | null
  readonly status: FileStatus
  readonly sha: string
  readonly additions: number
  readonly deletions: number
  readonly patch: string | undefined
}

const FLAGS = ['--no-color', '--no-ext-diff', '-M', '--full-index']
const STATUS: Readonly<Record<string, FileStatus>> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  R: 'renamed',
  C: 'copied',
  T: 'changed',
}

export async function diffFiles(path: string, from: string, to: string): Promise<FileDiff[]> {
  const [raw, counts, patches] = await Promise.all([
    git(path, ['diff', ...FLAGS, '--raw', '--no-abbrev', '-z', from, to]),
    git(path, ['diff', ...FLAGS, '--numstat', '-z', from, to]),
    diffText(path, from, to),
  ])
  const numbers = numstat(counts)
  const bodies = patchBodies(patches)
  return rawEntries(raw).map((entry, index) => ({
    ...entry,
    ...(numbers[index] ?? { additions: 0, deletions: 0 }),
    patch: bodies[index],
  }))
}

export async function diffText(path: string, from: string, to: string): Promise<string> {
  return (await askGit(path, ['diff', ...FLAGS, '-p', from, to])).stdout.toString()
}

type RawEntry = Pick<FileDiff, 'path' | 'previousPath' | 'status' | 'sha'>

function rawEntries(text: string): RawEntry[] {
  const fields = text.split('\0')
  const entries: RawEntry[] = []
  for (let at = 0; at + 1 < fields.length;) {
    const [, , before = '', after = '', letters = ''] = (fields[at] ?? '').split(' ')
    const moved = letters.startsWith('R') || letters.startsWith('C')
    const first = fields[at + 1] ?? ''
    const status = STATUS[letters.charAt(0)] ?? 'changed'
    entries.push({
      status,
      sha: status === 'removed' ? before : after,
      path: moved ? (fields[at + 2] ?? '') : first,
      previousPath: moved ? first : null,
    })
    at += moved ? 3 : 2
  }
  return entries
}

function numstat(text: string): Array<{ additions: number; deletions: number }> {
  const counts = [...text.matchAll(/(?:^|\0)(\d+|-)\t(\d+|-)\t/g)]
  return counts.map(([, added, deleted]) => ({ additions: Number(added) || 0, deletions: Number(deleted) || 0 }))
}

/** Every line of a hunk starts with a space, a sign or a backslash, so a line that starts with "diff --git" is a file's head. */
function patchBodies(text: string): Array<string | undefined> {
  return text
    .split(/^diff --git /m)
    .slice(1)
    .map((section) => {
      const start = section.search(/^@@ /m)
      return start < 0 ? undefined : section.slice(start).replace(/\n$/, '')
    })
}
