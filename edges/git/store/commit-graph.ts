/** Which commits a head has beside its base, read in the gateway's own copy. */
import type { CommitGraph, Graph, GraphCommit, GraphQuestion } from '../../ports/commit-graph.ts'
import type { GitCache, Quarantine } from './cache.ts'
import { mergeBasesOf, mergeResult } from './merge-result.ts'
import { treeOf, UnreadableTreeError } from './pushed-tree.ts'
import { enrolledAt, remoteOf, type RemoteDeps } from './enrolled.ts'

interface CommitGraphDeps extends RemoteDeps {
  /** The gateway's own: of two caches in one folder each would fetch under the other's hands. */
  readonly cache: GitCache
  readonly mostCommits?: number
}

/** Anybody who may push makes more in a second. Of a part nobody can say which commits the head has, so it is no answer. */
const manyCommits = 20_000
/** Each takes three processes, and a branch that is worked on is brought up to its base less often. */
const mostOwnMerges = 100

export function createCommitGraph({ cache, mostCommits = manyCommits, ...deps }: CommitGraphDeps): CommitGraph {
  return {
    async read({ baseBranch, head, beside, ...repositoryRef }) {
      const copy = await cache.update(await remoteOf(deps, await enrolledAt(deps.directory, repositoryRef)))
      const base = (await copy.heads()).get(`refs/heads/${baseBranch}`)
      if (base === undefined) return undefined
      return copy.quarantine((quarantine) => graphOf(quarantine, { base, head, beside, mostCommits }))
    },
  }
}

type Asked = Pick<GraphQuestion, 'head' | 'beside'> & {
  readonly base: string
  readonly mostCommits: number
}

async function graphOf(quarantine: Quarantine, { base, head, beside, mostCommits }: Asked): Promise<Graph | undefined> {
  if (!(await quarantine.bring(head))) return undefined
  const missing: string[] = []
  for (const sha of new Set(beside)) if (!(await quarantine.bring(sha))) missing.push(sha)
  const tips = [head, ...beside.filter((sha) => !missing.includes(sha))]
  const args = ['rev-list', '--topo-order', '--parents', `--max-count=${mostCommits + 1}`, '--stdin']
  const { code, out, err } = await quarantine.git(args, lines([...new Set(tips), `^${base}`]))
  if (code !== 0) throw new Error(`git rev-list: ${err.trim()}`)
  const listed = out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' '))
  if (listed.length > mostCommits) return undefined
  const known = new Set(listed.map(([sha]) => sha))
  const commits: GraphCommit[] = []
  let merges = 0
  for (const [sha = '', ...parents] of listed) {
    // A parent that is not listed is the base's.
    const mergesBase = parents.length === 2 && parents.some((parent) => !known.has(parent))
    commits.push({
      sha,
      parents,
      isOwnMerge: mergesBase && ++merges <= mostOwnMerges && (await isOwnMerge(quarantine, sha, parents)),
    })
  }
  return { commits, missing }
}

async function isOwnMerge(
  { git }: Quarantine,
  sha: string,
  [base = '', head = '']: readonly string[],
): Promise<boolean> {
  try {
    const result = await mergeResult(git, { base, head, mergeBases: await mergeBasesOf(git, base, head) }, 'merge')
    return 'tree' in result && result.tree === (await treeOf(git, sha))
  } catch (error) {
    // What cannot be merged here is nobody's proof.
    if (error instanceof UnreadableTreeError) return false
    throw error
  }
}

async function* lines(texts: readonly string[]): AsyncIterable<Buffer> {
  yield Buffer.from(texts.map((text) => `${text}\n`).join(''))
}
