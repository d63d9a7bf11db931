/** git of the local forge, in memory: no process is started for a commit. */
import { gitStore, type GitStore } from '../store.ts'
import { timestamp } from '../../store/world.ts'
import { createBare, readmeOnly, type Seed } from './bare.ts'
import { commitsBetween, countCommits, listCommits, pushedCommits, readCommit } from './commits.ts'
import { diffFiles, diffText } from './diff.ts'
import { mergeTrees, rebaseCommits, writeCommit } from './merge.ts'
import * as refs from './refs.ts'

export function memoryGit(now: () => number, seed: Seed = readmeOnly): GitStore {
  return gitStore((path, _hooks, source) => createBare(seed, path, source), {
    ...refs,
    ...{ commitsBetween, countCommits, listCommits, pushedCommits, readCommit, diffFiles, diffText, mergeTrees },
    writeCommit: (path, spec) => writeCommit(timestamp({ now }), path, spec),
    rebaseCommits: (path, base, head, committer) => rebaseCommits(timestamp({ now }), path, base, head, committer),
  })
}
