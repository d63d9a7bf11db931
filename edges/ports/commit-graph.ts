/** The git gateway's copies, as whoever asks where commits come from sees them. */
export interface GraphQuestion {
  /** `<namespace>/<name>`. */
  readonly project: string
  readonly repository: string
  /** What it has already is left out. */
  readonly baseBranch: string
  readonly head: string
  /** Other commits, whose history is wanted too. */
  readonly beside: readonly string[]
}

export interface GraphCommit {
  readonly sha: string
  readonly parents: readonly string[]
  /** It merges the base branch, and holds exactly what git itself makes of that merge: nobody wrote anything in it. */
  readonly isOwnMerge: boolean
}

export interface Graph {
  /** Newest first: what the head and those beside it have, and the base branch has not. */
  readonly commits: readonly GraphCommit[]
  /** Of those beside: the forge does not give them any more. */
  readonly missing: readonly string[]
}

export interface CommitGraph {
  /** A forge that does not answer is thrown. `undefined`: it does not give the head, the base branch is gone, or it is too much to read. */
  read(question: GraphQuestion): Promise<Graph | undefined>
}
