/** What a run has to send: a commit against the record of the service. */
import { gatherCommits, gatherFiles, gatherIssues, type Gathered, type LeftOut, type Source } from './items.ts'
import type { Issue } from './issue.ts'
import type { IngestRecord } from './record.ts'

export interface IngestOrder {
  /** A work tree or a bare repository; any folder where there is no commit. */
  readonly dir: string
  /** The id of the commit whose files and history these are. Undefined: the files of the folder, and no history. */
  readonly commit: string | undefined
  /** The name in the service. */
  readonly repo: string
  readonly largestBytes: number
  /** How many of the newest commits are looked at (REPO-INGEST-9). */
  readonly mostCommits: number
  /** All that there are. Undefined: nobody looked, so those in the record stay. */
  readonly issues: readonly Issue[] | undefined
  /** Sends also what the record has. */
  readonly isWhole: boolean
}

export interface IngestPlan {
  readonly changed: readonly Source[]
  /** Files of the record that are no more. */
  readonly gone: readonly string[]
  /** Where the repository is once all of the plan is stored. Undefined: the record has it already, or there is none. */
  readonly commit: string | undefined
  readonly leftOut: readonly LeftOut[]
}

const nothing: Gathered = { sources: [], leftOut: [] }

export async function planIngest(
  order: IngestOrder,
  record: IngestRecord,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<IngestPlan> {
  const { dir, repo, commit, largestBytes, mostCommits, issues, isWhole } = order
  const { digests } = record
  const files = await gatherFiles(dir, repo, { commit, largestBytes, onProgress })
  const isKnown = (file: string, sha: string): boolean => !isWhole && digests.get(file) === sha
  const commits =
    commit === undefined ? nothing : await gatherCommits(dir, repo, { commit, most: mostCommits, isKnown })
  const gathered = [files, commits, issues === undefined ? nothing : gatherIssues(issues, repo)]
  const sources = gathered.flatMap((each) => each.sources)
  const now = new Set(sources.map(({ file }) => file))
  const isKept = (file: string): boolean =>
    // Commits are not looked at again, and no history is rewritten.
    file.startsWith('@commit/') || (issues === undefined && file.startsWith('@issue/'))
  const changed = sources.filter(({ file, sha }) => isWhole || digests.get(file) !== sha)
  const gone = [...digests.keys()].filter((file) => !now.has(file) && !isKept(file))
  const isThere = changed.length + gone.length === 0 && record.commit === commit
  return { changed, gone, commit: isThere ? undefined : commit, leftOut: gathered.flatMap((each) => each.leftOut) }
}
