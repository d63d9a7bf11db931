/** Whose commits the platform merges, by the forge's own record of who pushed them (REVIEW-3). */
import { people } from '../../standins/people.ts'
import type { Entry } from './forge.ts'
import { nameIn } from './trace.ts'
import { approves, headsIn } from './withdrawals.ts'

/** Pods push as the bot, and nobody else does. */
const mayLetMerge: ReadonlySet<string> = new Set([people.bot, people.maintainer])

/** No commit of somebody else, unless a maintainer let exactly this head go. Each push of a life brings one commit. */
export function foreignCommitsWait({ audit }: { readonly audit: readonly Entry[] }): readonly string[] {
  const branches = headsIn(audit)
  const merged = new Set<Entry>()
  return audit.flatMap((entry, index) => {
    if (entry.action !== 'pull.merge') return []
    const before = audit.slice(0, index)
    const brought = pushesBehind(before, entry, `refs/heads/${String(branches.get(nameIn(entry)))}`)
    const foreign = brought.filter((push) => !merged.has(push) && !mayLetMerge.has(push.actor))
    for (const push of brought) merged.add(push)
    if (entry.actor !== people.bot || isLetGo(before, entry)) return []
    return foreign.map(
      ({ actor, after = '' }) =>
        `foreign: ${nameIn(entry)} was merged with ${after.slice(0, 7)}, which ${actor} pushed, and no maintainer let it`,
    )
  })
}

/** From the head back to where the branch began. */
function pushesBehind(before: readonly Entry[], { repository, sha }: Entry, ref: string): readonly Entry[] {
  const pushes = before.filter((one) => one.action === 'git.push' && one.repository === repository && one.ref === ref)
  const found: Entry[] = []
  const next = (at: string | undefined): Entry | undefined => pushes.findLast(({ after }) => after === at)
  for (let push = next(sha); push !== undefined; push = next(push.before)) found.push(push)
  return found
}

function isLetGo(before: readonly Entry[], merge: Entry): boolean {
  return before.some(
    (one, index) =>
      one.actor === people.maintainer &&
      nameIn(one) === nameIn(merge) &&
      approves(one) &&
      headAt(before.slice(0, index), nameIn(merge)) === merge.sha,
  )
}

function headAt(before: readonly Entry[], name: string): string | undefined {
  return before.findLast(
    (one) => (one.action === 'pull.open' || one.action === 'pull.synchronize') && nameIn(one) === name,
  )?.sha
}
