/** What filling a memory promises in a whole run (KNOWLEDGE-16). */
import { repositoryStatus } from '../../crd/status/repository.ts'
import type { PlacedRow } from './evidence.ts'
import { repositoryNames } from './forge.ts'
import type { Outcome } from './live.ts'
import { isOfKind } from '../../runtime/of-kind.ts'

type Law = (outcome: Outcome) => readonly string[]

export const memoryLaws: readonly Law[] = [
  holdsWhatStands,
  fillsOneAtATime,
  startsNothingWhilePaused,
  leavesAloneWhatNobodyFills,
  showsWhatFails,
  asksLessAndLess,
]

function holdsWhatStands({ lacks }: Outcome): readonly string[] {
  return lacks
}

function ofMemory(rows: readonly PlacedRow[]): readonly PlacedRow[] {
  return rows.filter(({ address }) => address.startsWith('memory:'))
}

function asksForStep({ effects }: PlacedRow): boolean {
  return effects.some(({ type }) => type === 'fillMemory')
}

/** Two processes that live at once may both do a step that was asked for once. */
function fillsOneAtATime({ plan, rows, fillings }: Outcome): readonly string[] {
  const livedTwoAtOnce = plan.faults.some(({ kind }) => kind === 'stop' || kind === 'pause')
  const isUnderWay = new Set<string>()
  const second = ofMemory(rows).filter((row) => {
    const { address } = row
    if (endsStep(row)) isUnderWay.delete(address)
    const isSecond = asksForStep(row) && isUnderWay.has(address)
    if (asksForStep(row)) isUnderWay.add(address)
    return isSecond
  })
  return [
    ...second.map(({ address, seq }) => `memory: ${address} ${seq} asks for a step before the last one was over`),
    ...fillings
      .filter(({ life, beside }) => (livedTwoAtOnce ? beside.includes(life) : beside.length > 0))
      .map(({ life, project }) => `memory: ${life} fills that of ${project} twice at a time`),
  ]
}

/** Answered, given up, or no more wanted. */
function endsStep({ event }: PlacedRow): boolean {
  return (
    ['memory.filled', 'memory.held', 'effect.failed'].includes(event.type) ||
    event.type.includes('stepEnds') ||
    (event.type === 'memory.configured' && event['fills'] === false)
  )
}

/**
 * A step looks whether the Project is paused when it begins: that may have been said when the step was asked for already. A
 * process that stood still goes on with the step that it had looked for, whatever was asked for since.
 */
function startsNothingWhilePaused({ plan, rows, fillings }: Outcome): readonly string[] {
  const stoodStill = plan.faults.some(({ kind }) => kind === 'stop' || kind === 'pause')
  const applied = rows.filter(({ event }) => event.type === 'project.applied')
  const isPaused = (row: PlacedRow | undefined): boolean => row?.event['maxConcurrentAgents'] === 0
  const steps = ofMemory(rows).filter(asksForStep)
  return fillings.flatMap(({ project, place, life }, index) => {
    const own = applied.filter(({ address }) => address === `project:${project}`)
    const due = steps.filter((step) => step.address === `memory:${project}` && step.place <= place)
    const last = fillings.slice(0, index).findLast((one) => one.life === life)?.place ?? 0
    const asked = (stoodStill ? due.find((step) => step.place > last) : due.at(-1))?.place ?? 0
    const since = [
      own.findLast((row) => row.place < asked),
      ...own.filter((row) => row.place >= asked && row.place <= place),
    ]
    return since.every(isPaused) ? [`memory: ${project} is filled at ${place} though it is paused`] : []
  })
}

function leavesAloneWhatNobodyFills({ plan, rows, fillings }: Outcome): readonly string[] {
  if (plan.memory !== 'off') return []
  return [
    ...ofMemory(rows).map(({ address, seq }) => `memory: ${address} ${seq} though nobody fills one`),
    ...fillings.map(({ life }) => `memory: ${life} fills one that nobody wants filled`),
  ]
}

interface Status {
  readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[]
}

/** Wishes come true all the same: that is a law of its own. */
function showsWhatFails({ plan, views }: Outcome): readonly string[] {
  if (plan.memory !== 'gone') return []
  const memory = views.find((view) => isOfKind(view, 'memory'))
  const project = views.find((view) => isOfKind(view, 'project'))
  return repositoryNames.slice(0, plan.repositories).flatMap((name) => {
    const applied = { name, createdAt: 0, projectRef: 'demo', hasProject: true, defaultBranch: 'main', forgeId: '' }
    const { conditions } = repositoryStatus({ ...applied, project, memory }) as Status
    const found = conditions.find(({ type }) => type === 'Indexed')
    return found?.status === 'False' && found.reason === 'Failed'
      ? []
      : [`memory: it was never reached, and ${name} shows ${JSON.stringify(found)}`]
  })
}

const longestBackoffMs = 32 * 60_000
/** As long as the backoff grows. */
const growing = 6

/** A step without news is asked for after a backoff, which grows: news are what the actor was told, and a hold is looked at again. */
function asksLessAndLess({ plan, rows, elapsedMs }: Outcome): readonly string[] {
  if (plan.memory !== 'gone') return []
  const own = ofMemory(rows)
  const news = own.filter(({ event }) => ['memory.configured', 'memory.outdated', 'memory.held'].includes(event.type))
  const most = news.length + growing + Math.ceil(elapsedMs / longestBackoffMs)
  const steps = own.filter(asksForStep).length
  return steps > most ? [`memory: ${steps} steps ask a service that never answers, and ${most} would do`] : []
}
