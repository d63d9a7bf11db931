/** What an operator asks of a running orchestrator: what is open, what is dead, what may be put back. */
import { Type } from 'typebox'
import type { HttpApp } from '../../http/app.ts'
import { principalOf, protect, type Authenticate } from '../../http/auth/authenticate.ts'
import { clampLimit, decodeCursor, listQuery, page } from '../../http/problems/list.ts'
import { plainName } from '../../http/problems/plain-input.ts'
import { Problem } from '../../http/problems/problem.ts'
import type { ActorKind } from '../../machines/definition.ts'
import { allActors } from '../../runtime/all-actors.ts'
import type { Retention, RetentionPolicy } from '../../runtime/journal/retention.ts'
import type { ActorView, Runtime } from '../../runtime/runtime.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { JournalApi } from '../../edges/journal/journal-api.ts'
import { journalRoutes } from '../../edges/journal/routes.ts'
import type { HindranceOf } from '../../edges/pods/hindrance.ts'
import { boardRoute } from '../../edges/inspector/routes/board.ts'
import type { InspectorDeps } from '../../edges/inspector/deps.ts'
import { podLogRoute, type PodLogDeps } from './pod-logs.ts'
import { projectVerbRoutes } from './project-verbs.ts'
import { taskVerbRoutes } from './task-verbs.ts'
import { transcriptRoute, type TranscriptRouteDeps } from './transcripts.ts'
import { answerWhy, type WhyDeps } from './why.ts'

export interface OperationsDeps extends Pick<PodLogDeps, 'pods' | 'secrets'>, Pick<TranscriptRouteDeps, 'sql'> {
  readonly runtime: Runtime
  readonly clock: Pick<Clock, 'now'>
  readonly pushRefusal?: WhyDeps['pushRefusal']
  readonly hindranceOf: HindranceOf
  readonly board: InspectorDeps['board']
  readonly journal: JournalApi
  readonly retention: Pick<Retention, 'sweep' | 'last'>
  readonly policy: RetentionPolicy
  readonly authenticate: Authenticate
  /** A link that signs one browser in, once; its session is named after `askedBy`. */
  readonly inspectorLink: (askedBy: string) => string
}

const Turns = Type.Object(listQuery, { additionalProperties: false })
const TurnId = Type.String({ maxLength: 1100 })

export async function registerOperations(app: HttpApp, deps: OperationsDeps): Promise<void> {
  const { runtime, clock, pushRefusal, hindranceOf, journal, authenticate, inspectorLink } = deps
  await app.register(async (scope) => {
    protect(scope, authenticate)
    const routes: HttpApp = scope
    journalRoutes(routes, journal)
    taskVerbRoutes(routes, { runtime, clock })
    podLogRoute(routes, deps)
    transcriptRoute(routes, deps)
    retentionRoutes(routes, deps)
    projectVerbRoutes(routes, { runtime, clock })
    redeliverRoute(routes, runtime)
    boardRoute(routes, '/operations/board', deps)
    routes.get(
      '/operations/open',
      { schema: { summary: 'Unsettled effects and live pods, turns and Tasks' } },
      async () => {
        const [effects, pods, turns, tasks] = await Promise.all([
          runtime.pendingEffects(),
          living(runtime, 'pod'),
          living(runtime, 'turn'),
          living(runtime, 'task'),
        ])
        const open = effects.map(({ key, effect, state, attempts }) => ({ key, type: effect.type, state, attempts }))
        return { effects: open, pods, turns, tasks }
      },
    )
    routes.get(
      '/operations/why',
      {
        schema: {
          querystring: Type.Object(
            { task: Type.String({ minLength: 1, maxLength: 512 }) },
            { additionalProperties: false },
          ),
          summary: 'Why a Task rests, who can move it, and the shortest way to delivered',
        },
      },
      async ({ query }) => {
        const asked = { runtime, clock, hindranceOf, ...(pushRefusal === undefined ? {} : { pushRefusal }) }
        const why = await answerWhy(asked, query.task)
        if (why === undefined)
          throw new Problem('not-found', `there is no Task ${query.task}, and none waits to be minted`)
        return why
      },
    )
    routes.post(
      '/operations/inspector-link',
      { schema: { summary: 'A link that signs one browser in, once' } },
      async (request) => ({ link: inspectorLink(principalOf(request).subject) }),
    )
    routes.get(
      '/operations/turns',
      { schema: { querystring: Turns, summary: 'Every requested turn and its result' } },
      async ({ query: { cursor, limit: wanted } }) => {
        const limit = clampLimit(wanted)
        const after = cursor === undefined ? '' : decodeCursor(TurnId, cursor)
        const { items, ...more } = page(await runtime.list('turn', { after, limit: limit + 1 }), limit, ({ id }) => id)
        return { items: await Promise.all(items.map((turn) => describeTurn(runtime, turn))), ...more }
      },
    )
  })
}

function redeliverRoute(app: HttpApp, runtime: Pick<Runtime, 'redeliver'>): void {
  app.post(
    '/operations/redeliver',
    {
      schema: {
        body: Type.Object({ key: Type.String({ pattern: plainName }) }, { additionalProperties: false }),
        summary: 'Redeliver a dead effect or a dead letter',
      },
    },
    async (request) => {
      if (!(await runtime.redeliver(request.body.key)))
        throw new Problem('not-found', `nothing dead has the key ${request.body.key}`)
      return { redelivered: true }
    },
  )
}

function retentionRoutes(app: HttpApp, { retention, policy }: Pick<OperationsDeps, 'retention' | 'policy'>): void {
  app.get(
    '/operations/retention',
    { schema: { summary: 'Retention time of journals, and the result of the last walk over them' } },
    async () => ({ policy, last: retention.last() ?? null }),
  )
  app.post('/operations/retention', { schema: { summary: 'Walk over the journals now' } }, async () => ({
    policy,
    last: await retention.sweep(),
  }))
}

async function living(runtime: Runtime, kind: ActorKind): Promise<readonly object[]> {
  const found: object[] = []
  for await (const { id, path } of allActors(runtime, kind, '', { status: 'active' })) found.push({ id, path })
  return found
}

async function describeTurn(runtime: Runtime, view: ActorView<'turn'>): Promise<object> {
  const turn = view.context
  const pod = (await runtime.read(`pod:${turn.pod}`))?.context
  const result = (await runtime.history(view.address)).find(({ event }) => event.type === 'turn.result')?.event
  return {
    id: view.id,
    task: turn.task,
    pod: turn.podOrdinal,
    agent: pod?.agentKind ?? '',
    purpose: turn.purpose,
    turnId: turn.turnId,
    state: view.path,
    stopReason: result?.['stopReason'] ?? null,
    tokens: tokensOf(result?.['usage']),
  }
}

/** All that the model read and wrote in the turn. */
function tokensOf(usage: unknown): number {
  const counts = (usage ?? {}) as Readonly<Record<string, unknown>>
  return ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'].reduce(
    (sum, name) => sum + Number(counts[name] ?? 0),
    0,
  )
}
