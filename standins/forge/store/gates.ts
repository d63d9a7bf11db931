import { latestRuns, latestStatuses } from './checks.ts'
import { atLeast, permissionOf } from './permissions.ts'
import type { CheckConclusion, Pull, Repository, ReviewState, Ruleset } from './records.ts'

/** What stands between a head and its merge, judged from what the forge has recorded. */
export interface ChecksState {
  readonly missing: ReadonlyArray<{ readonly name: string; readonly why: 'expected' | 'pending' | 'failing' }>
  /** No check or status of the head, required or not, is red or unfinished. */
  readonly allGreen: boolean
}

type Light = 'green' | 'pending' | 'failing'

const GREEN: ReadonlySet<CheckConclusion | null> = new Set<CheckConclusion>(['success', 'neutral', 'skipped'])

export function requiredChecksState(repository: Repository, sha: string, required: readonly string[]): ChecksState {
  const lights = lightsOf(repository, sha)
  const missing = required.flatMap((name) => {
    const light = lights.get(name)
    return light === 'green' ? [] : [{ name, why: light ?? ('expected' as const) }]
  })
  return { missing, allGreen: [...lights.values()].every((light) => light === 'green') }
}

function lightsOf(repository: Repository, sha: string): Map<string, Light> {
  const lights = new Map<string, Light>()
  for (const status of latestStatuses(repository, sha)) {
    lights.set(
      status.context,
      status.state === 'success' ? 'green' : status.state === 'pending' ? 'pending' : 'failing',
    )
  }
  for (const run of latestRuns(repository, sha)) {
    lights.set(run.name, run.status !== 'completed' ? 'pending' : GREEN.has(run.conclusion) ? 'green' : 'failing')
  }
  return lights
}

export function rulesetsOf({ rulesets }: Repository, branch: string): readonly Ruleset[] {
  return rulesets.filter(({ branches }) => branches.includes(branch))
}

/**
 * What reviews lack where the base branch requires them; a request for changes blocks nothing elsewhere (docs.github.com, "About
 * protected branches"). What counts: each one's newest verdict, of people with write permission, the author's none.
 */
export function lackingReview(repository: Repository, pull: Pull): 'requested_changes' | 'not_approved' | undefined {
  const required = repository.protection.get(pull.base)?.requiredApprovals ?? 0
  if (required === 0) return undefined
  const verdicts = new Map<string, ReviewState>()
  for (const review of pull.reviews.values()) {
    const deciding = review.state === 'APPROVED' || review.state === 'CHANGES_REQUESTED' || review.state === 'DISMISSED'
    if (deciding && review.author !== pull.author && atLeast(permissionOf(repository, review.author), 'write'))
      verdicts.set(review.author.login, review.state)
  }
  const newest = [...verdicts.values()]
  if (newest.includes('CHANGES_REQUESTED')) return 'requested_changes'
  return newest.filter((state) => state === 'APPROVED').length < required ? 'not_approved' : undefined
}
