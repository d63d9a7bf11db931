/** The journal as an API. Addresses and keys stand in the query, since ids hold slashes. */
import { Type } from 'typebox'
import type { HttpApp } from '../../http/app.ts'
import { clampLimit, decodeCursor, encodeCursor, listQuery, pageOf, type Page } from '../../http/problems/list.ts'
import { ActorAnswer, ActorBundle, DeadLetterAnswer, EffectAnswer, HistoryAnswer, ReplayAnswer } from './answers.ts'
import type { JournalPage, JournalApi, PageQuery } from './journal-api.ts'

const Name = Type.String({ minLength: 3, maxLength: 1100 })
const Of = Type.Object({ address: Name }, { additionalProperties: false })
const closed = { additionalProperties: false }
const Cursor = Type.String({ maxLength: 1100 })

type ListQuery = { readonly limit?: number | undefined; readonly cursor?: string | undefined }

function asked({ limit, cursor }: ListQuery): PageQuery {
  return { limit: clampLimit(limit), ...(cursor === undefined ? {} : { after: decodeCursor(Cursor, cursor) }) }
}

function paged<T>({ items, next }: JournalPage<T>): Page<T> {
  return next === undefined ? { items } : { items, nextCursor: encodeCursor(next) }
}

/** Guarded by who registers it. */
export function journalRoutes(app: HttpApp, journal: JournalApi): void {
  actorRoutes(app, journal)
  outboxRoutes(app, journal)
}

function actorRoutes(app: HttpApp, journal: JournalApi): void {
  const Actors = Type.Object(
    {
      ...listQuery,
      prefix: Type.Optional(
        Type.String({
          maxLength: 1024,
          description: 'Only addresses that start with this text, such as `task:default/`.',
        }),
      ),
      status: Type.Optional(Type.Union([Type.Literal('active'), Type.Literal('done'), Type.Literal('quarantined')])),
    },
    closed,
  )
  app.get(
    '/operations/actors',
    {
      schema: {
        querystring: Actors,
        response: { 200: pageOf(ActorAnswer) },
        summary: 'Actors by address, quarantined ones with the reason',
      },
    },
    async ({ query: { prefix = '', status, ...rest } }) =>
      paged(await journal.actors({ prefix, ...(status === undefined ? {} : { status }), ...asked(rest) })),
  )
  app.get(
    '/operations/history',
    {
      schema: {
        querystring: Type.Object({ ...listQuery, address: Name }, closed),
        response: { 200: pageOf(HistoryAnswer) },
        summary: 'Events of one actor, newest first',
      },
    },
    async ({ query: { address, ...rest } }) => paged(await journal.history({ address, ...asked(rest) })),
  )
  app.get(
    '/operations/replay',
    {
      schema: {
        querystring: Of,
        response: { 200: ReplayAnswer },
        summary: 'Replay one journal and compare it with the store',
      },
    },
    async ({ query }) => journal.replay(query.address),
  )
  app.get(
    '/operations/export',
    { schema: { querystring: Of, response: { 200: ActorBundle }, summary: 'One actor with its journal, redacted' } },
    async ({ query }) => journal.bundle(query.address),
  )
}

function outboxRoutes(app: HttpApp, journal: JournalApi): void {
  const Effects = Type.Object(
    {
      ...listQuery,
      actor: Type.Optional(Name),
      state: Type.Optional(Type.Union([Type.Literal('pending'), Type.Literal('dead')])),
    },
    closed,
  )
  app.get(
    '/operations/effects',
    {
      schema: {
        querystring: Effects,
        response: { 200: pageOf(EffectAnswer) },
        summary: 'Effects that are not settled',
      },
    },
    async ({ query: { actor, state, ...rest } }) =>
      paged(
        await journal.effects({
          ...(actor === undefined ? {} : { actor }),
          ...(state === undefined ? {} : { state }),
          ...asked(rest),
        }),
      ),
  )
  app.get(
    '/operations/effect',
    {
      schema: {
        querystring: Type.Object({ key: Name }, closed),
        response: { 200: EffectAnswer },
        summary: 'One effect that is not settled',
      },
    },
    async ({ query }) => journal.effect(query.key),
  )
  app.get(
    '/operations/dead-letters',
    {
      schema: {
        querystring: Type.Object({ ...listQuery, actor: Type.Optional(Name) }, closed),
        response: { 200: pageOf(DeadLetterAnswer) },
        summary: 'Dead letters: events that changed nothing, newest first',
      },
    },
    async ({ query: { actor, ...rest } }) =>
      paged(await journal.deadLetters({ ...(actor === undefined ? {} : { actor }), ...asked(rest) })),
  )
  app.get(
    '/operations/dead-letter',
    {
      schema: {
        querystring: Type.Object({ id: Name }, closed),
        response: { 200: DeadLetterAnswer },
        summary: 'One dead letter',
      },
    },
    async ({ query }) => journal.deadLetter(query.id),
  )
}
