/** What the agent of a pod said and did, for people with the right to read hostile text of a whole Task. */
import { Type } from 'typebox'
import { readTranscript, transcriptsOf } from '../../edges/pods/transcripts.ts'
import type { HttpApp } from '../../http/app.ts'
import { Problem } from '../../http/problems/problem.ts'
import { addressOf } from '../../runtime/address.ts'
import type { Clock } from '../../runtime/clock.ts'
import { endedBefore, type RetentionPolicy } from '../../runtime/journal/retention.ts'
import type { ActorView, Runtime } from '../../runtime/runtime.ts'
import type { Queryable } from '../../runtime/store/sql.ts'
import { ordinalsOf } from './pod-logs.ts'
import { idOfName } from '../../crd/resource-id.ts'

export interface TranscriptRouteDeps {
  readonly runtime: Pick<Runtime, 'read'>
  readonly clock: Pick<Clock, 'now'>
  readonly sql: Queryable
  readonly policy: RetentionPolicy
}

const Query = Type.Object(
  {
    task: Type.String({ minLength: 1, maxLength: 512 }),
    pod: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: 'Absent: the newest.' })),
  },
  { additionalProperties: false },
)

/** `GET /operations/transcript` answers `{task, pod, at, truncated, lines}` (OPERATIONS-14). */
export function transcriptRoute(app: HttpApp, deps: TranscriptRouteDeps): void {
  app.get(
    '/operations/transcript',
    { schema: { querystring: Query, summary: "What the agent of a Task's pod said and did" } },
    async ({ query: { task, pod } }) => {
      const id = idOfName(task)
      const [ordinal = 0] = await ordinalsOf(deps, { id, task }, pod)
      const found = await readTranscript(deps.sql, id, ordinal)
      if (found !== undefined) return { task: id, ...found, at: new Date(found.at).toISOString() }
      const why = lackOf(await deps.runtime.read(addressOf('pod', `${id}/${ordinal}`)), { task, ordinal, ...deps })
      const others = await transcriptsOf(deps.sql, id)
      const there = others.length === 0 ? '' : `. There are those of other pods: --pod ${others.join(', --pod ')}`
      throw new Problem('not-found', `${why}${there}`)
    },
  )
}

interface Lacking extends Pick<TranscriptRouteDeps, 'clock' | 'policy'> {
  readonly task: string
  readonly ordinal: number
}

/** A wrapper hands over at its stop: of a pod that was lost there is what it managed to. */
function lackOf(pod: ActorView<'pod'> | undefined, { task, ordinal, clock, policy }: Lacking): string {
  const name = `pod ${ordinal} of ${task}`
  if (pod?.status === 'active')
    return `${name} still runs and hands its transcript over at its stop: statewright logs ${task}`
  const before = endedBefore(policy, clock.now())
  if (pod === undefined || (before !== undefined && pod.updatedAt < before))
    return `the transcript of ${name} is gone: it is kept as long as journals of what has ended`
  const { reason, detail, turns } = pod.context
  if (turns === 0 && pod.path !== 'lost') return `${name} ended before a turn of it began, so there is no transcript`
  const cause = [reason, detail].filter(Boolean).join(': ')
  const how = pod.path === 'lost' ? 'was lost before it could hand' : 'ended without handing'
  return `${name} ${how} its transcript over${cause === '' ? '' : ` (${cause})`}`
}
