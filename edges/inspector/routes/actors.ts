import { Type } from 'typebox'
import { foldLogin } from '../../../machines/rules/logins.ts'
import { listedOf } from '../../../machines/why/listed.ts'
import { standingOf } from '../../../machines/why/standing.ts'
import { redactText } from '../../../runtime/redact.ts'
import type { ActorView } from '../../../runtime/runtime.ts'
import type { HttpApp } from '../../../http/app.ts'
import { clampLimit, decodeCursor, listQuery, page } from '../../../http/problems/list.ts'
import { invalidInput } from '../../../http/problems/problem.ts'
import { ActorsAnswer, ChoicesAnswer, KindsAnswer, type ActorRow } from '../readings/answers.ts'
import { choicesOf, chosenTexts } from '../readings/choices.ts'
import type { InspectorDeps } from '../deps.ts'
import { sharedReading } from '../readings/shared-reading.ts'

const Words = Type.Optional(Type.String({ maxLength: 200, description: 'A word of it, in any case.' }))
const Search = Type.Optional(
  Type.String({ maxLength: 200, description: 'Words, each a part of it, in any case and order.' }),
)

const Query = Type.Object({
  ...listQuery,
  kind: Type.String({ description: 'One kind of actor.' }),
  q: Search,
  status: Type.Optional(Type.Union([Type.Literal('active'), Type.Literal('done'), Type.Literal('quarantined')])),
  state: Type.Optional(
    Type.String({ maxLength: 200, description: 'Whole states of its path with dots between, in any case.' }),
  ),
  project: Words,
  repository: Words,
  person: Words,
  reason: Words,
  rests: Type.Optional(Type.Integer({ minimum: 0, description: 'Milliseconds without a step, at least.' })),
  sort: Type.Optional(Type.Literal('newest', { description: 'Whoever made a step last comes first.' })),
})

const Behind = Type.Object({ address: Type.String(), updatedAt: Type.Integer() })

export function actorsRoutes(
  app: HttpApp,
  { runtime, definitions, clock }: InspectorDeps,
  feed: { readonly position: string },
): void {
  app.get('/kinds', { schema: { hide: true, response: { 200: KindsAnswer } } }, async () => ({
    kinds: definitions.map(({ kind }) => kind),
    position: feed.position,
    now: clock.now(),
  }))

  const choices = sharedReading(clock, async () => choicesOf(await runtime.tally(chosenTexts)))
  app.get('/choices', { schema: { hide: true, response: { 200: ChoicesAnswer } } }, async () => ({
    items: [...(await choices())],
  }))

  app.get(
    '/actors',
    { schema: { hide: true, querystring: Query, response: { 200: ActorsAnswer } } },
    async (request) => {
      const { kind, q, status, state, rests, sort, limit, cursor, project, repository, person, reason } = request.query
      const known = definitions.find((definition) => definition.kind === kind)?.kind
      if (known === undefined) throw invalidInput([{ in: 'query', path: '/kind', message: 'is no kind of actor' }])
      const after = cursor === undefined ? undefined : decodeCursor(Behind, cursor)
      const most = clampLimit(limit)
      const { total, found, views } = await runtime.find(known, {
        limit: most + 1,
        ...(status === undefined ? {} : { status }),
        ...(q === undefined ? {} : { text: q }),
        ...(state === undefined ? {} : { path: state }),
        ...(rests === undefined ? {} : { restsSince: clock.now() - rests }),
        ...(sort === undefined ? {} : { order: sort }),
        ...(after === undefined ? {} : { after }),
        texts: trimmed({ project, repository, person: foldLogin(person ?? ''), reason }),
      })
      const { items, nextCursor } = page(found, most, ({ address, updatedAt }) => ({ address, updatedAt }))
      const shown = new Map(views.map((view) => [view.address, view]))
      const rows = items.flatMap(({ address }) => shown.get(address) ?? []).map((view) => rowOf(view))
      return { total, items: rows, ...(nextCursor === undefined ? {} : { nextCursor }) }
    },
  )
}

function trimmed(texts: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).map(([name, text = '']) => [name, text.trim()]))
}

export function rowOf(view: ActorView, why: Parameters<typeof standingOf>[1] = {}): ActorRow {
  const { address, kind, id, status, path, seq, updatedAt, context } = view
  const { reason, ...standing } = standingOf(view, why)
  const shown = reason === undefined ? standing : { ...standing, reason: redactText(reason) }
  const title = status === 'quarantined' ? undefined : listedOf(kind)?.of(context, path)['title']
  return {
    address,
    kind,
    id,
    status,
    path,
    seq,
    updatedAt,
    standing: shown,
    ...(title ? { title: redactText(title).slice(0, 200) } : {}),
  }
}
