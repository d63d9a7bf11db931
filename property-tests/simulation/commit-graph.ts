/** What the gateway reads of its copies, asked of the forge's own git: no copy is kept in this world. */
import type { CommitGraph, GraphCommit } from '../../edges/ports/commit-graph.ts'
import type { Forge } from './forge.ts'

const mostCommits = 20_000

export function commitGraphOf(forge: Forge): CommitGraph {
  return {
    async read({ repository, baseBranch, head, beside }) {
      const git = forge.git(repository)
      const base = await git.branchTip(baseBranch)
      if (base === undefined) return undefined
      const listed = await git.listCommits([head, ...beside, `^${base}`], mostCommits)
      const known = new Set(listed.map(({ sha }) => sha))
      const commits = await Promise.all(
        listed.map(async ({ sha, tree, parents }): Promise<GraphCommit> => {
          const [one = '', other = ''] = parents
          const mergesBase = parents.length === 2 && parents.some((parent) => !known.has(parent))
          return { sha, parents, isOwnMerge: mergesBase && (await git.mergeTrees(one, other)) === tree }
        }),
      )
      return { commits, missing: [] }
    },
  }
}
