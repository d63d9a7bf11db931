import { stageOf, taskIn, type Stepped } from '../world/trace.ts'

const work = /implementing|documenting|upgrading/
/** An opening that comes to nothing goes back by itself. */
function isJudged(stage: string): boolean {
  return /"(reviewing|merging)"/.test(stage) && !stage.includes('opening')
}

/** Only these send a reviewed change back to work, and those of the forge only about the head that is merged. */
const ofMerge: ReadonlySet<string> = new Set(['mr.conflict', 'mr.ciRed', 'mr.mergeRefused'])
const reasons: ReadonlySet<string> = new Set([...ofMerge, 'outcome', 'mr.openFailed', 'approval.commented'])

export function costsWork({ before, after, event }: Stepped): readonly string[] {
  if (!before || !isJudged(stageOf(before)) || !work.test(stageOf(after))) return []
  const { merging: asked, mergeAttempt, reviewsAnswered } = taskIn(before).forge
  if (ofMerge.has(event.type) && (event['sha'] !== asked?.sha || event['attempt'] !== mergeAttempt))
    return [`a late ${event.type} costs a pod of work`]
  const { cause, review } = event as { readonly cause?: string; readonly review?: string }
  const isNewReview = cause === 'changes' && review !== undefined && !reviewsAnswered.includes(review)
  if (event.type === 'mr.mergeRefused' && !isNewReview)
    return [`${event.type} costs a pod of work, and no review asks for it anew`]
  const isWon = event.type === 'outcome' && event['action'] !== 'request_changes'
  return reasons.has(event.type) && !isWon ? [] : [`${event.type} costs a pod of work`]
}

/** A new head of a merge request that is only reviewed is reviewed, or its park says that the laps are spent, or that an operator holds it (PARK-14). */
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
  return ['laps', 'held'].includes(taskIn(after).stage.reason ?? '')
    ? []
    : ['a new head is neither reviewed nor are the laps spent']
}
