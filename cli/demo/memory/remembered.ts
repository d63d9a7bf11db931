/** The memory in the story: what it holds at the start, and whether that reached a review. */
import { setTimeout } from 'node:timers/promises'
import type { AuditEntry, Scenario } from '../../local/standins.ts'
import type { Stack } from '../../local/stack.ts'
import { people } from '../../../standins/people.ts'

const filledLimitMs = 60_000
const lookMs = 250

interface Indexing {
  readonly indexedCommit: string | null
  readonly conditions: readonly { readonly type: string; readonly message: string }[]
}

/** Whether a turn of it asks the memory anything. */
export function asksMemory({ agents }: Pick<Scenario, 'agents'>): boolean {
  return JSON.stringify(agents).includes('"tool":"memory_')
}

/** The commit that the first turn may ask the memory about. A large repository is taken in beside the work: undefined. */
export async function untilRemembered(stack: Stack, write: (text: string) => void): Promise<string | undefined> {
  const path = `/resources/repositories/${stack.namespace}/${stack.repository}`
  const limit = Date.now() + filledLimitMs
  for (; ; await setTimeout(lookMs)) {
    const { status } = (await stack.client.call('GET', path)) as { readonly status: Indexing }
    if (status.indexedCommit) {
      write(`the memory holds ${stack.repository} at ${status.indexedCommit.slice(0, 10)}`)
      return status.indexedCommit
    }
    if (Date.now() < limit) continue
    const indexed = status.conditions.find(({ type }) => type === 'Indexed')
    write(`the memory is not filled yet: ${indexed?.message ?? 'nothing is known of it'}`)
    return undefined
  }
}

/** What is said of a line is part of a review on GitHub, and a comment of its own on GitLab. */
const reviewing: readonly AuditEntry['action'][] = ['review.create', 'review-comment.create']

/**
 * A scenario in which the reviewer asks the memory, and its outcome names the commit of the answer, is whole once a review
 * of the bot names `commit`, the one that the memory held at the start (undefined: it held none).
 */
export function faultsOfMemory(
  { agents: { review = [] } }: Pick<Scenario, 'agents'>,
  audit: readonly AuditEntry[],
  commit: string | undefined,
): readonly string[] {
  if (commit === undefined || !JSON.stringify(review).includes('.metadata.commit')) return []
  const reviews = audit.filter(({ actor, action }) => actor === people.bot && reviewing.includes(action))
  const isNamed = JSON.stringify(reviews.map(({ detail }) => detail)).includes(commit)
  return isNamed ? [] : [`no review names the commit ${commit}, which the memory holds`]
}
