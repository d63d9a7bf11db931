/** One repository as it was at its base commit, and what people changed later: questions whose answers are known. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { commits, git, type Commit } from './git.ts'

export interface Question {
  readonly text: string
  readonly files: readonly string[]
}

/** What a commit answers. */
export interface CommitQuestion extends Question {
  readonly sha: string
}

export interface Repository {
  readonly name: string
  readonly base: string
  /** With its later commits. */
  readonly source: string
  /** A clone that holds nothing later than the base. */
  readonly dir: string
  readonly questions: readonly CommitQuestion[]
}

/** How far back the base lies, for a history that is long enough; at most half of it otherwise. */
const commitsBehind = 500
const mostFiles = 8
/** Nobody asks these. */
const noQuestion = /^(?:chore|bump|release|merge|changelog|revert|build\(deps)|\bbump\b|^v?\d+\.\d+|changelog/i

/** Throws where the object store lacks something of the base. */
export function readRepository(source: string, name: string, folder: string): Repository {
  const length = Number(git(source, 'rev-list', '--count', '--first-parent', 'HEAD'))
  const base = git(source, 'rev-parse', `HEAD~${Math.min(commitsBehind, Math.floor(length / 2))}`).trim()
  const dir = cloneAt(source, base, join(folder, name))
  const there = new Set(git(dir, 'ls-files', '-z').split('\0'))
  return { name, base, source, dir, questions: questionsOf(commits(source, `${base}..HEAD`, 1_000_000), there) }
}

function cloneAt(source: string, base: string, dir: string): string {
  mkdirSync(dir, { recursive: true })
  git(dir, 'init', '-q', '-b', 'unborn')
  git(source, 'push', '-q', dir, `${base}:refs/heads/base`)
  git(dir, '-c', 'core.hooksPath=/dev/null', 'checkout', '-q', 'base')
  return dir
}

/** The subject alone, without the number of its merge request: a commit of 1 to 8 files, some of them there at the base. */
function questionsOf(later: readonly Commit[], there: ReadonlySet<string>): CommitQuestion[] {
  return later
    .filter(({ subject, files }) => !noQuestion.test(subject) && files.length > 0 && files.length <= mostFiles)
    .map(({ sha, subject, files }) => ({
      sha,
      text: subject.replaceAll(/\(?#\d+\)?/g, '').trim(),
      files: files.filter((file) => there.has(file)),
    }))
    .filter(({ text, files }) => text !== '' && files.length > 0)
}
