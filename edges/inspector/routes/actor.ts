import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import type { ActorAddress } from '../../../machines/definition.ts'
import { placeIn } from '../../../machines/why/why.ts'
import { addressOf, parseAddress } from '../../../runtime/address.ts'
import type { ActorView, JournalRow, PendingEffect, PendingTimer } from '../../../runtime/runtime.ts'
import type { HttpApp } from '../../../http/app.ts'
import { clampLimit, decodeCursor, encodeCursor, listQuery, pageOf, type Page } from '../../../http/problems/list.ts'
import { Problem } from '../../../http/problems/problem.ts'
import { ActorAnswer, HistoryRow, type EffectRow, type TimerRow } from '../readings/answers.ts'
import type { InspectorDeps } from '../deps.ts'
import { redact, redactText } from '../../../runtime/redact.ts'
import { rowOf } from './actors.ts'

/** In the query, since ids hold slashes. */
const address = Type.String({ minLength: 3, maxLength: 1024 })
export const ActorQuery = Type.Object({ address })
const HistoryQuery = Type.Object({
  ...listQuery,
  address,
  from: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'The oldest step of the page, which is the newest page where no step is so new.',
    }),
  ),
})

export function actorRoutes(app: HttpApp, { runtime, hindranceOf, lastTurnOf, clock }: InspectorDeps): void {
  app.get(
    '/actor',
    { schema: { hide: true, querystring: ActorQuery, response: { 200: ActorAnswer } } },
    async (request) => {
      const view = await read(request.query.address)
      const actor = view.address
      const [timers, effects, hindrance, lastTurn, queue, links] = await Promise.all([
        runtime.pendingTimers({ actor }),
        runtime.pendingEffects({ actor }),
        hindranceOf(view),
        lastTurnOf(view),
        placeOf(view),
        linksOf(runtime, view),
      ])
      return {
        ...rowOf(view, { queue }),
        ...(view.fault === undefined ? {} : { fault: redactText(view.fault) }),
        ...(hindrance === undefined ? {} : { hindrance: hindrance.sentence }),
        ...(lastTurn === undefined ? {} : { lastTurn }),
        context: redact(view.context),
        links,
        timers: timers.map(timerRow).toSorted((one, other) => one.dueAt - other.dueAt),
        effects: effects.map(effectRow),
        now: clock.now(),
      }
    },
  )

  app.get(
    '/history',
    { schema: { hide: true, querystring: HistoryQuery, response: { 200: pageOf(HistoryRow) } } },
    async (request): Promise<Page<HistoryRow>> => {
      const { cursor, from = Infinity } = request.query
      const limit = clampLimit(request.query.limit)
      const view = await read(request.query.address)
      // Sequence numbers have no gaps, so the page before `before` is where it is computed to be.
      const before = cursor === undefined ? Infinity : decodeCursor(Type.Integer({ minimum: 1 }), cursor)
      const oldest = Math.max(1, Math.min(from, view.seq + 1 - limit, before - limit))
      const rows = await runtime.history(view.address, { from: oldest, limit: Math.min(limit, before - oldest) })
      // Behind a step that retention took there is none.
      const hasOlder = oldest > 1 && rows[0]?.seq === oldest
      const items = rows
        .filter(({ seq }) => seq < before)
        .toReversed()
        .map(historyRow)
      return hasOlder ? { items, nextCursor: encodeCursor(oldest) } : { items }
    },
  )

  /** What else of `why` is dear: it searches for the way to `delivered`. */
  async function placeOf({ context }: ActorView): Promise<ReturnType<typeof placeIn>> {
    if (!Value.Check(WithEntry, context)) return null
    return placeIn(await runtime.read(`queue:${context.config.project}`), context.pod.entry, clock.now())
  }

  async function read(given: string): Promise<ActorView> {
    const view = parseAddress(given) === undefined ? undefined : await runtime.read(given as ActorAddress)
    if (view === undefined) throw new Problem('not-found', 'there is no such actor')
    return view
  }
}

/** A Task whose pod has an entry in the queue, or had. */
const WithEntry = Type.Object({
  config: Type.Object({ project: Type.String() }),
  pod: Type.Object({ entry: Type.String() }),
})

const WithThreads = Type.Object({
  forge: Type.Object({
    issues: Type.Array(Type.Object({ issue: Type.String() })),
    mergeRequests: Type.Array(Type.Object({ mergeRequest: Type.String() })),
  }),
})

const WithFacts = Type.Object({
  facts: Type.Object({
    repository: Type.String(),
    number: Type.Integer(),
    url: Type.String({ pattern: '^https?://' }),
  }),
})

/** Each is the reading of an actor. */
const mostLinks = 8

async function linksOf(runtime: InspectorDeps['runtime'], view: ActorView): Promise<ActorAnswer['links']> {
  const { issues, mergeRequests } = Value.Check(WithThreads, view.context) ? view.context.forge : noThreads
  const threads = [
    ...issues.map(({ issue }) => addressOf('issue', issue)),
    ...mergeRequests.map(({ mergeRequest }) => addressOf('merge-request', mergeRequest)),
  ]
  const others = await Promise.all(threads.slice(0, mostLinks).map((address) => runtime.read(address)))
  return [view, ...others].flatMap((thread) => {
    if (thread === undefined || !Value.Check(WithFacts, thread.context)) return []
    const { repository, number, url } = thread.context.facts
    return [{ text: `${repository}${thread.kind === 'issue' ? '#' : '!'}${number}`, url }]
  })
}

const noThreads: Static<typeof WithThreads>['forge'] = { issues: [], mergeRequests: [] }

/** The event of an `after` timer names the delay and the state it belongs to. */
function timerRow({ id, dueAt, event }: PendingTimer): TimerRow {
  const [, name, state] = /^xstate\.after\.([^.]+)\.(.+)$/.exec(event.type) ?? []
  return { name: name ?? id, ...(state === undefined ? {} : { state }), dueAt }
}

export function effectRow({ key, effect, state, attempts, notBefore, lastError }: PendingEffect): EffectRow {
  return {
    key,
    type: effect.type,
    params: redact(effect.params),
    state,
    attempts,
    notBefore,
    ...(lastError === undefined ? {} : { lastError: redactText(lastError) }),
  }
}

function historyRow({ seq, at, key, event, effects, path, status, handled, fault }: JournalRow): HistoryRow {
  const { type, ...fields } = event
  return {
    seq,
    at,
    type,
    key,
    event: redact(fields),
    effects: effects.map((effect) => ({ type: effect.type, params: redact(effect.params) })),
    path,
    status,
    handled,
    ...(fault === undefined ? {} : { fault: redactText(fault) }),
  }
}
