/** The status of a Project (PROJECT-STATUS). */
import { conditionsOf } from '../../machines/project/conditions.ts'
import type { Hold } from '../../machines/model-key/context.ts'
import type { Pause, QueueContext } from '../../machines/queue/context.ts'
import { newProject, type ProjectContext, type Scheduled } from '../../machines/project/context.ts'
import { dated, type Condition, type Finding } from './condition.ts'
import { whenever, type ActorShape } from './shape.ts'

/** The resource whose status it is. */
export interface Applied {
  readonly name: string
  /** Epoch milliseconds: no condition of it is older. */
  readonly createdAt: number
  /** Whether MEMORY_URLS names a service of a Project that asks for a memory stack; absent: it asks for none. */
  readonly memoryService?: 'named' | 'missing'
}

interface ProjectStatus {
  readonly ready: boolean
  readonly reason: string
  /** The `metadata.generation` that was checked last (RESOURCES-28); absent until one was. */
  readonly observedGeneration?: number
  /** The first one is `Ready`. */
  readonly conditions: readonly [Condition, ...(readonly Condition[])]
}

/** What its queue knows of why no pod starts. */
type Held = Partial<Pick<QueueContext, 'hold' | 'pausedBy'>>

/** The addresses of its webhook and of its memory are added by who knows them. */
export function projectStatus(
  actor: Pick<ActorShape<ProjectContext>, 'context'> | undefined,
  { name, createdAt, memoryService }: Applied,
  { hold = null, pausedBy = null }: Held = {},
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
      ...(memoryService === undefined ? [] : [dated(notBuilt(memoryService), createdAt, observedGeneration)]),
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

const memoryWords = {
  named: 'Its pods use the service that the orchestrator’s setting MEMORY_URLS names for it.',
  missing: 'Its pods have no memory until the orchestrator’s setting MEMORY_URLS names a service for it.',
} as const satisfies Readonly<Record<NonNullable<Applied['memoryService']>, string>>

/** PROJECT-STATUS-17: no version has built one yet, so it is so since the Project is there. */
function notBuilt(memoryService: keyof typeof memoryWords): Finding {
  const message = `This version builds no memory stack for a Project. ${memoryWords[memoryService]}`
  return { type: 'MemoryStack', status: 'False', reason: 'NotBuilt', message }
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
