/** The status of a Project (PROJECT-STATUS). */
import { conditionsOf } from '../../machines/project/conditions.ts'
import type { Hold } from '../../machines/model-key/context.ts'
import type { Pause, QueueContext } from '../../machines/queue/context.ts'
import { newProject, type ProjectContext, type Scheduled } from '../../machines/project/context.ts'
import { dated, type Condition } from './condition.ts'
import { stackFinding, type StackActor } from './memory-stack.ts'
import { whenever, type ActorShape } from './shape.ts'

/** The resource whose status it is. */
export interface Applied {
  readonly name: string
  /** Epoch milliseconds: no condition of it is older. */
  readonly createdAt: number
  /** What a Project that asks for a memory stack has in its place; absent: it asks for none, or gets one. */
  readonly noStack?: 'named' | 'missing'
}

interface ProjectStatus {
  readonly ready: boolean
  readonly reason: string
  /** The `metadata.generation` that was checked last (RESOURCES-28); absent until one was. */
  readonly observedGeneration?: number
  /** The first one is `Ready`. */
  readonly conditions: readonly [Condition, ...(readonly Condition[])]
}

/** What its queue knows of why no pod starts, and its memory stack. */
type Held = Partial<Pick<QueueContext, 'hold' | 'pausedBy'>> & { readonly stack?: StackActor | undefined }

/** The addresses of its webhook and of its memory are added by who knows them. */
export function projectStatus(
  actor: Pick<ActorShape<ProjectContext>, 'context'> | undefined,
  { name, createdAt, noStack }: Applied,
  { hold = null, pausedBy = null, stack }: Held = {},
): ProjectStatus {
  const project = actor?.context ?? newProject('')
  const observedGeneration = project.observed[`Project/${name}`]
  const [first, ...others] = conditionsOf(project)
  const ready = dated(first, sinceIn(project, first.type, createdAt), observedGeneration)
  return {
    ready: ready.status === 'True',
    reason: ready.reason,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    conditions: [
      ready,
      ...others.map((one) => dated(one, sinceIn(project, one.type, createdAt), observedGeneration)),
      ...(pausedBy === null ? [] : [paused(pausedBy, createdAt, observedGeneration)]),
      ...(hold === null ? [] : [withheld(hold, createdAt, observedGeneration)]),
      ...memoryStack({ noStack, stack }, createdAt, observedGeneration),
    ],
    ...(project.scheduled ? scheduleStatus(project.scheduled) : {}),
  }
}

const withheldReasons = {
  usage_limit: 'UsageLimit',
  key_refused: 'KeyRefused',
  no_credit: 'NoCredit',
} as const satisfies Readonly<Record<Hold['cause'], string>>

/** The model is withheld from every Project whose pods use the key (MODEL-KEY-8). */
function withheld({ cause, message, since, until }: Hold, createdAt: number, observed?: number): Condition {
  const next = `No pod starts; one Task tries again at ${new Date(until).toISOString()}.`
  const quoted = message === '' ? next : `The provider says "${message}". ${next}`
  const finding = { type: 'ModelWithheld', status: 'True', reason: withheldReasons[cause], message: quoted } as const
  return dated(finding, Math.max(since, createdAt), observed)
}

/** PROJECT-STATUS-18. */
function paused({ by, reason, at }: Pause, createdAt: number, observed?: number): Condition {
  const message = `${by} paused it: ${reason}. No pod starts until somebody resumes it: statewright resume.`
  return dated({ type: 'Paused', status: 'True', reason: 'Operator', message }, Math.max(at, createdAt), observed)
}

const noStackWords = {
  named: 'The orchestrator’s setting MEMORY_URLS names a service for it, which its pods use.',
  missing:
    'This orchestrator runs no memory stacks (setting MEMORY_STACKS). Its pods have no memory until its setting MEMORY_URLS names a service for it.',
} as const satisfies Readonly<Record<NonNullable<Applied['noStack']>, string>>

/** PROJECT-STATUS-17: one condition, also of a Project that had a stack before. */
function memoryStack(
  { noStack, stack }: { readonly noStack?: Applied['noStack']; readonly stack?: StackActor | undefined },
  createdAt: number,
  observed?: number,
): readonly Condition[] {
  const own = stack && stackFinding(stack)
  const since = stack === undefined || own === undefined ? createdAt : Math.max(stack.context.since, createdAt)
  if (own !== undefined && (noStack === undefined || (noStack === 'missing' && own.reason !== 'Ended')))
    return [dated(own, since, observed)]
  if (noStack === undefined) return []
  const message = [noStackWords[noStack], own?.message].filter(Boolean).join(' ')
  return [dated({ type: 'MemoryStack', status: 'False', reason: 'NotBuilt', message }, since, observed)]
}

/** Since when a condition of a resource is what it is; an actor of an older version has the time of its newest event. */
export function sinceIn({ since, at }: Pick<ProjectContext, 'since' | 'at'>, type: string, createdAt: number): number {
  return Math.max(since[type] ?? at, createdAt)
}

function scheduleStatus({ blocks, refine, spending, settings }: Scheduled): object {
  const { windowStart, windowTokens } = spending
  return {
    ...whenever('lastIssueScan', blocks.issueScan.last),
    ...whenever('lastBrainstorm', blocks.brainstorm.last),
    ...whenever('lastDocumentation', blocks.documentation.last),
    ...whenever('lastRefine', refine.last),
    ...whenever('lastUpgrade', blocks.upgrade.last),
    ...(settings.budget?.mode === 'customWindow'
      ? { tokenBudget: { ...whenever('windowStart', windowStart), windowTokens } }
      : {}),
  }
}
