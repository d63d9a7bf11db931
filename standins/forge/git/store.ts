/** git as the forge asks for it. The real one starts a process for each question; the simulation has one in memory. */
import { createBare, type BareSource } from './bare.ts'
import { commitsBetween, countCommits, listCommits, pushedCommits, readCommit } from './commits.ts'
import { diffFiles, diffText } from './diff.ts'
import { mergeTrees, rebaseCommits, writeCommit } from './merge.ts'
import {
  branchesAt,
  branchTip,
  isAncestor,
  listRefs,
  mergeBase,
  moveRef,
  readRef,
  resolveCommit,
  setRef,
} from './refs.ts'

/** Each asks the bare repository that its first argument names. */
const verbs = {
  ...{ branchesAt, branchTip, isAncestor, listRefs, mergeBase, moveRef, readRef, resolveCommit, setRef },
  ...{ commitsBetween, countCommits, listCommits, pushedCommits, readCommit },
  ...{ diffFiles, diffText, mergeTrees, rebaseCommits, writeCommit },
}
export type GitVerbs = typeof verbs

type Bound<Verb> = Verb extends (path: string, ...rest: infer Rest) => infer Answer ? (...rest: Rest) => Answer : never

/** Of one repository. */
export type Git = { readonly [Name in keyof GitVerbs]: Bound<GitVerbs[Name]> }

export interface GitStore {
  /** Answers with the default branch. */
  create(path: string, hooksDir: string, source: BareSource): Promise<string>
  at(path: string): Git
}

export function gitStore(create: GitStore['create'], own: GitVerbs): GitStore {
  const bound = (path: string): object =>
    Object.fromEntries(
      Object.entries(own).map(([name, verb]) => [name, (...rest: never[]) => (verb as Verb)(path as never, ...rest)]),
    )
  return { create, at: (path) => bound(path) as Git }
}

type Verb = (...given: never[]) => unknown

export const processGit = gitStore(createBare, verbs)
