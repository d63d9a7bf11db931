import { stageOf, stepsOf, taskIn, type Stepped } from '../world/trace.ts'
import type { Law } from './law.ts'

const work = /implementing|documenting|upgrading/
/** An opening that comes to nothing goes back by itself. */
function isJudged(stage: string): boolean {
  return /"(reviewing|merging)"/.test(stage) && !stage.includes('opening')
}

/** Only these send a reviewed change back to work, and those of the forge only about the head that is merged. */
const reasons: ReadonlySet<string> = new Set([
  'mr.conflict',
  'mr.ciRed',
  'outcome',
  'mr.openFailed',
  'approval.commented',
])

export function costsWork({ before, after, event }: Stepped): readonly string[] {
  if (!before || !isJudged(stageOf(before)) || !work.test(stageOf(after))) return []
  const { merging: asked, mergeAttempt } = taskIn(before).forge
  const isForge = event.type === 'mr.conflict' || event.type === 'mr.ciRed'
  if (isForge && (event['sha'] !== asked?.sha || event['attempt'] !== mergeAttempt))
    return [`a late ${event.type} costs a pod of work`]
  const isWon = event.type === 'outcome' && event['action'] !== 'request_changes'
  return reasons.has(event.type) && !isWon ? [] : [`${event.type} costs a pod of work`]
}

/** A new head of a merge request that is only reviewed is reviewed, or its park says that the laps are spent. */
export function overlooksHead({ before, after, event }: Stepped): readonly string[] {
  if (!before || event.type !== 'mr.headMoved' || event['gated'] !== true || event['byOwnPod'] === true) return []
  const {
    kind,
    stage: { class: stageClass },
    forge: { mergeRequests },
  } = taskIn(before)
  const known = mergeRequests.find(
    ({ repository, number }) => repository === event['repository'] && number === event['number'],
  )
  if (kind !== 'review' || stageClass !== 'parked' || known?.state !== 'open' || known.headSha === event['sha'])
    return []
  if (stageOf(before) !== stageOf(after) || !stageOf(before).includes('awaiting-human')) return []
  return taskIn(after).stage.reason === 'laps' ? [] : ['a new head is neither reviewed nor are the laps spent']
}

export const law22: Law = {
  number: 22,
  says: 'no pod of work but for conflict, red CI or request_changes on the current head; a new head is reviewed, or the laps are spent',
  breaches: (trace) => stepsOf(trace, 'task').flatMap((step) => [...costsWork(step), ...overlooksHead(step)]),
}
