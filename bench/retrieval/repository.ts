/** One repository as it was at its base commit, and what people changed later: questions whose answers are known. */
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Change } from '../../memory/query/file-ranker.ts'
import { commits, git, type Commit } from './git.ts'

export interface Question {
  readonly text: string
  readonly files: readonly string[]
}

export interface Repository {
  readonly name: string
  readonly base: string
  /** By path; what is no text is not in it. */
  readonly texts: ReadonlyMap<string, string>
  readonly corpus: { readonly files: readonly string[]; readonly changes: readonly Change[] }
  readonly questions: readonly Question[]
}

/** How far back the base lies, for a history that is long enough; at most half of it otherwise. */
const commitsBehind = 500
const historyLength = 5000
const largestBytes = 300_000
const mostFiles = 8
/** Nobody asks these. */
const noQuestion = /^(?:chore|bump|release|merge|changelog|revert|build\(deps)|\bbump\b|^v?\d+\.\d+|changelog/i

/**
 * The index is built from a clone into which only the base
 * commit was pushed: its object store holds nothing later.
 */
export function readRepository(source: string, name: string, folder: string): Repository {
  const length = Number(git(source, 'rev-list', '--count', '--first-parent', 'HEAD'))
  const base = git(source, 'rev-parse', `HEAD~${Math.min(commitsBehind, Math.floor(length / 2))}`).trim()
  const dir = cloneAt(source, base, join(folder, name))
  const texts = readTexts(dir)
  const changes = commits(dir, 'HEAD', historyLength)
  return {
    name,
    base,
    texts,
    corpus: { files: [...texts.keys()], changes },
    questions: questionsOf(commits(source, `${base}..HEAD`, 1_000_000), texts),
  }
}

function cloneAt(source: string, base: string, dir: string): string {
  mkdirSync(dir, { recursive: true })
  git(dir, 'init', '-q', '-b', 'unborn')
  git(source, 'push', '-q', dir, `${base}:refs/heads/base`)
  git(dir, '-c', 'core.hooksPath=/dev/null', 'checkout', '-q', 'base')
  return dir
}

function readTexts(dir: string): Map<string, string> {
  const texts = new Map<string, string>()
  for (const path of git(dir, 'ls-files', '-z').split('\0')) {
    if (path === '' || /package-lock\.json$|\.lock$|\.svg$/.test(path)) continue
    const found = statSync(join(dir, path), { throwIfNoEntry: false })
    if (found === undefined || !found.isFile() || found.size > largestBytes) continue
    const text = readFileSync(join(dir, path), 'utf8')
    if (!text.includes('\0') && !text.includes('\uFFFD')) texts.set(path, text)
  }
  return texts
}

/** The subject alone, without the number of its merge request: a commit of 1 to 8 files, some of them there at the base. */
function questionsOf(later: readonly Commit[], texts: ReadonlyMap<string, string>): Question[] {
  return later
    .filter(({ subject, files }) => !noQuestion.test(subject) && files.length > 0 && files.length <= mostFiles)
    .map(({ subject, files }) => ({
      text: subject.replaceAll(/\(?#\d+\)?/g, '').trim(),
      files: files.filter((file) => texts.has(file)),
    }))
    .filter(({ text, files }) => text !== '' && files.length > 0)
}
