/** `propose` and `skip`: issues of the platform's own, within the Project's target and none twice (OUTCOME-RULE-7). */
import { effect, type EffectAction } from '../../emit.ts'
import { isSameTitle, titleKey } from '../../rules/titles.ts'
import { afterPod } from '../comments.ts'
import type { TaskContext } from '../context.ts'
import { noteByPlatform } from '../notes.ts'
import { accepted, refused, type Judge } from './judgement.ts'
import type { BrainstormPayload, Proposal, ReasonPayload } from './payloads.ts'

function filing(context: TaskContext, { repo, title, body, kind }: Proposal): EffectAction {
  return effect('fileIssue', {
    project: context.config.project,
    repository: repo,
    title,
    body: `${body}\n\nProposed by the platform (${kind}).`,
    sort: 'proposal',
    dedupe: titleKey(repo, title),
  })
}

/** Proposed twice in one call counts once. */
function distinct(proposals: readonly Proposal[]): readonly Proposal[] {
  return proposals.filter(
    ({ repo, title }, index) =>
      proposals.findIndex((one) => one.repo === repo && isSameTitle(one.title, title)) === index,
  )
}

export const propose: Judge = (context, event) => {
  const { proposals = [] } = event.payload as BrainstormPayload
  const room = event.proposals ?? { left: 0, filed: [] }
  const filed = room.filed.filter((known) => proposals.some(({ title }) => isSameTitle(title, known.title)))
  const isFiled = ({ repo, title }: Proposal) =>
    filed.some((known) => known.repository === repo && isSameTitle(known.title, title))
  const fresh = distinct(proposals).filter((one) => !isFiled(one))
  if (fresh.length === 0)
    return refused('conflict', 'all of these are filed already: propose something else, or skip', {
      reason: 'duplicate-proposals',
      filed,
    })
  if (fresh.length > room.left)
    return refused('proposal-cap', `${room.left} more proposals fit`, { left: room.left, filed })
  const change = afterPod(
    context,
    fresh.map((one) => filing(context, one)),
  )
  const files = fresh.map(({ repo, title }) => ({ repo, title }))
  return accepted(context, event, { to: 'delivered', change, members: { files, filed } })
}

export const skip: Judge = (context, event) => {
  const { reason = '' } = event.payload as ReasonPayload
  return accepted(context, event, {
    to: 'delivered',
    change: noteByPlatform(context, 'finding', `Nothing proposed: ${reason}`),
  })
}
