/**
 * The words of maintainers in every thread of the Task, read from the forge right before the merge (LAW-24). What is said in one
 * thread withholds all merges of the Task, and also where no Issue could take a grant back.
 */
import type { ActorAddress } from '../../../machines/definition.ts'
import { NotFoundError } from '../errors.ts'
import type { Word } from '../mirror/words.ts'
import type { ThreadPlace } from '../task-threads.ts'
import type { OutboundDeps } from './deps.ts'
import type { Obstacle } from './merge-readiness.ts'

interface Subject {
  readonly project: string
  readonly repository: string
  readonly number: number
}

/** The threads of the Task; the merge request itself is one, whether or not the Task knows it already. */
export async function threadsNow(
  deps: OutboundDeps,
  { project, repository, number }: Subject,
  actor: ActorAddress,
): Promise<readonly ThreadPlace[]> {
  const known = await deps.threadsOf(actor)
  const own = { kind: 'mr', repository, number } as const
  const others = known.filter((one) => one.kind !== 'mr' || one.repository !== repository || one.number !== number)
  const threads = [own, ...others]
  for (const thread of threads) await readNow(deps, project, thread)
  return threads
}

/** What was last read of a subject that is gone from the forge still counts. */
async function readNow(deps: OutboundDeps, project: string, { kind, repository, number }: ThreadPlace): Promise<void> {
  try {
    await deps.mirror.refresh(project, repository, kind, number)
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
  }
}

/** The newest word that stands is named: who lifts it saw the others. */
export async function withheld(
  deps: OutboundDeps,
  project: string,
  threads: readonly ThreadPlace[],
): Promise<Obstacle | undefined> {
  const word = (await deps.mirror.withheld(project, threads)).at(-1)
  if (word === undefined) return undefined
  const cause = word.kind === 'changes' ? 'changes' : 'withheld'
  const { repository, number } = word.place
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
