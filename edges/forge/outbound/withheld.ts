/**
 * The words of maintainers in every thread of the Task, read from the forge right before the merge, and the grants in the
 * Issues' own rows (LAW-18, LAW-24). What is said in one thread withholds all merges of the Task, and also where no Issue
 * could take a grant back.
 */
import type { ActorAddress } from '../../../machines/definition.ts'
import { AwayError } from '../../../runtime/errors.ts'
import { NotFoundError } from '../errors.ts'
import type { ThreadReading } from '../mirror/read-forge.ts'
import type { Word } from '../mirror/facts/words.ts'
import type { ThreadRef } from '../task-threads.ts'
import type { OutboundDeps } from './deps.ts'
import type { Obstacle } from './merge-readiness.ts'

interface Subject {
  readonly project: string
  readonly repository: string
  readonly number: number
  /** Addresses of the Issues that granted. */
  readonly grants: readonly string[]
}

interface ThreadsNow {
  readonly threads: readonly ThreadRef[]
  /** Issues whose grants do not hold, or that are gone from the forge. */
  readonly ungranted: readonly string[]
  /** Addresses of words that let go and that the forge does not list (LAW-24). */
  readonly unlisted: readonly string[]
}

/**
 * The threads of the Task, each read once: the merge request itself is one, whether or not the Task knows it already, and so are
 * the issues whose grants it has. The mirror tells an Issue of a withdrawal that no webhook told of, and the Issue has
 * judged by the time its thread is read.
 */
export async function threadsNow(
  deps: OutboundDeps,
  { project, repository, number, grants }: Subject,
  actor: ActorAddress,
): Promise<ThreadsNow> {
  const issues = grants.map((issue) => ({ issue, threadRef: threadRefOf(issue) }))
  const own = { kind: 'mr', repository, number } as const
  const ofTask = await deps.threadsOf(actor)
  if (ofTask === undefined)
    throw new AwayError(`${actor} is quarantined, so nobody knows in which threads a maintainer may have said no`)
  const known = [own, ...ofTask, ...issues.map(({ threadRef }) => threadRef)]
  const threads = [...new Map(known.map((one) => [nameOf(one), one])).values()]
  const gone = new Set<string>()
  const unlisted: string[] = []
  for (const thread of threads) {
    const reading = await readNow(deps, project, thread)
    if (reading === undefined) gone.add(nameOf(thread))
    else unlisted.push(...reading.unlisted.map(({ comment }) => comment.url))
  }
  const ungranted: string[] = []
  for (const { issue, threadRef } of issues)
    if (gone.has(nameOf(threadRef)) || !(await deps.grantHolds(issue))) ungranted.push(issue)
  return { threads, ungranted, unlisted }
}

/** `issue:<namespace>/<repository>-<number>` (NAME-3). */
const issueName = /\/(?<repository>[^/]+)-(?<number>\d+)$/

function threadRefOf(issue: string): ThreadRef {
  const { repository = '', number = '' } = issueName.exec(issue)?.groups ?? {}
  return { kind: 'issue', repository, number: Number(number) }
}

function nameOf({ kind, repository, number }: ThreadRef): string {
  return `${kind} ${repository} ${number}`
}

/** Undefined: it is gone from the forge. What was last read of it still counts. */
async function readNow(
  deps: OutboundDeps,
  project: string,
  { kind, repository, number }: ThreadRef,
): Promise<ThreadReading | undefined> {
  try {
    return await deps.mirror.refresh(project, repository, kind, number)
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}

/** The newest word that stands is named: who lifts it saw the others. */
export async function withheld(
  deps: OutboundDeps,
  project: string,
  threads: readonly ThreadRef[],
): Promise<Obstacle | undefined> {
  const word = (await deps.mirror.withheld(project, threads)).at(-1)
  if (word === undefined) return undefined
  const cause = word.kind === 'changes' ? 'changes' : 'withheld'
  const { repository, number } = word.threadRef
  const review = cause === 'changes' ? { review: `${repository}!${number}/${word.commentId}` } : {}
  return { type: 'mr.mergeRefused', reason: sentenceOf(word), cause, ...review }
}

const longestQuote = 200

const lifting = 'a newer `/approve` or approving review by a maintainer, in any thread of this Task, lets it go on'

function sentenceOf(word: Word): string {
  const line = word.text.trim().split('\n', 1)[0]!.slice(0, longestQuote)
  const quote = line === '' ? '' : ` "${line}"`
  const { author, url } = word
  if (word.kind === 'hold') return `${author} wrote${quote} (${url}); ${lifting}`
  if (word.kind === 'changes') return `${author} requests changes:${quote} (${url}); ${lifting}`
  return `${author} wrote${quote} (${url}), and the platform cannot tell whether it stops this: \`/hold\` stops it; ${lifting}`
}
