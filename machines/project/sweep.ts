/**
 * What one run hands out (PROJECT-9 to PROJECT-11, PROJECT-CRON-4, SCHEDULE-9, SCHEDULE-8, SCHEDULE-7): pure choices over one backlog.
 * Caps that speak of live Tasks count those that wait to be minted too: the backlog holds both.
 */
import type { Backlog, LiveTask, ScheduleSettings } from './events.ts'

interface Offers {
  readonly issues: readonly string[]
  readonly mergeRequests: readonly { readonly mergeRequest: string; readonly headSha: string }[]
}

type Limits = Pick<ScheduleSettings, 'maxNewTasksPerSweep' | 'maxOpenTasks'> & {
  readonly issueScan: Pick<ScheduleSettings['issueScan'], 'maxPerRepo'>
}

/** The lane of a repository: its open implement Tasks, minted or not. */
function laneOf(tasks: readonly LiveTask[], repository: string): number {
  return tasks.filter((task) => task.open && task.kind === 'implement' && task.repositories.includes(repository)).length
}

/**
 * Oldest issues first, as many as each repository's lane has room for; what room is left goes to merge requests. A sweep
 * that would exceed `maxOpenTasks` offers nothing (PROJECT-11). No sweep is larger than the cap, or one with a small cap
 * would never offer anything.
 */
export function chooseOffers(limits: Limits, backlog: Backlog, offered: readonly string[]): Offers {
  const { maxNewTasksPerSweep, maxOpenTasks } = limits
  const chosen = chooseUpTo(Math.min(maxNewTasksPerSweep, maxOpenTasks), limits, backlog, offered)
  const open = backlog.tasks.filter((task) => task.open).length
  const isOver = open + chosen.issues.length + chosen.mergeRequests.length > maxOpenTasks
  return isOver ? { issues: [], mergeRequests: [] } : chosen
}

function chooseUpTo(room: number, limits: Limits, backlog: Backlog, offered: readonly string[]): Offers {
  const lanes = new Map<string, number>()
  const issues: string[] = []
  for (const { issue, repository, offerable } of backlog.issues) {
    const used = lanes.get(repository) ?? laneOf(backlog.tasks, repository)
    if (!offerable || issues.length >= room || used >= limits.issueScan.maxPerRepo) continue
    issues.push(issue)
    lanes.set(repository, used + 1)
  }
  const mergeRequests = backlog.mergeRequests
    .filter((one) => !offered.includes(offerName(one)))
    .slice(0, room - issues.length)
    .map(({ mergeRequest, headSha }) => ({ mergeRequest, headSha }))
  return { issues, mergeRequests }
}

export function offerName({
  mergeRequest,
  headSha,
}: {
  readonly mergeRequest: string
  readonly headSha: string
}): string {
  return `${mergeRequest}@${headSha}`
}

/** Nothing owned or new changed since the last one: no pod is paid for (SCHEDULE-7). What is over now is no change. */
export function needsRefine(seen: readonly string[], { issues }: Pick<Backlog, 'issues'>): boolean {
  return issues.some(({ print }) => !seen.includes(print))
}

/** How many proposals a brainstorm may add; a target of 0 disables refill, and nothing is ever closed to come down to it. */
export function proposalRoom(target: number, { openProposals }: Pick<Backlog, 'openProposals'>): number {
  return Math.max(0, target - openProposals)
}

export function mayUpgrade(maxOpenUpgrades: number, tasks: readonly LiveTask[]): boolean {
  return tasks.filter(({ kind }) => kind === 'upgrade').length < maxOpenUpgrades
}

/** The Repository whose pages are brought up to date tonight; none where its lane is full or nothing is enrolled. */
export function toDocument(maxPerRepo: number, { tasks, documentation }: Backlog): string | undefined {
  if (documentation === undefined) return undefined
  const lane = tasks.filter(
    ({ kind, repositories }) => kind === 'documentation' && repositories.includes(documentation),
  )
  return lane.length < maxPerRepo ? documentation : undefined
}
