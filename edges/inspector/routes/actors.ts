import { Type } from 'typebox'
import type { ActorKind } from '../../../machines/definition.ts'
import { standingOf } from '../../../machines/why/standing.ts'
import { redactText } from '../../../runtime/redact.ts'
import type { ActorView } from '../../../runtime/runtime.ts'
import type { HttpApp } from '../../../http/app.ts'
import { clampLimit, decodeCursor, encodeCursor, listQuery, pageOf, type Page } from '../../../http/list.ts'
import { invalidInput } from '../../../http/problem.ts'
import { ActorRow, KindsAnswer } from '../answers.ts'
import type { InspectorDeps } from '../deps.ts'
import type { Feed } from '../feed.ts'

/** Each row costs the loading of an actor: a search that finds little gives up its page here and goes on by cursor. */
const mostScanned = 2000
const scannedAtOnce = 200

const Query = Type.Object({
  ...listQuery,
  kind: Type.String({ description: 'One kind of actor.' }),
  q: Type.Optional(Type.String({ maxLength: 200, description: 'Text that id or state contains, in any case.' })),
  status: Type.Optional(Type.Union([Type.Literal('active'), Type.Literal('done'), Type.Literal('quarantined')])),
})

interface Wanted {
  readonly kind: ActorKind
  readonly limit: number
  readonly after: string | undefined
  readonly matches: (view: ActorView) => boolean
}

export function actorsRoutes(app: HttpApp, { runtime, definitions, clock }: InspectorDeps, feed: Feed): void {
  app.get('/kinds', { schema: { hide: true, response: { 200: KindsAnswer } } }, async () => ({
    kinds: definitions.map(({ kind }) => kind),
    position: feed.position,
    now: clock.now(),
  }))

  app.get(
    '/actors',
    { schema: { hide: true, querystring: Query, response: { 200: pageOf(ActorRow) } } },
    async (request) => {
      const { kind, q = '', status, limit, cursor } = request.query
      const known = definitions.find((definition) => definition.kind === kind)?.kind
      if (known === undefined) throw invalidInput([{ in: 'query', path: '/kind', message: 'is no kind of actor' }])
      const text = q.trim().toLowerCase()
      const matches = (view: ActorView): boolean =>
        (status === undefined || view.status === status) && `${view.id} ${view.path}`.toLowerCase().includes(text)
      const after = cursor === undefined ? undefined : decodeCursor(Type.String(), cursor)
      return search(runtime, { kind: known, limit: clampLimit(limit), after, matches })
    },
  )
}

/** Up to `limit` matching actors; a cursor wherever there may be more. */
async function search(
  runtime: InspectorDeps['runtime'],
  { kind, limit, after, matches }: Wanted,
): Promise<Page<ActorRow>> {
  const found: ActorRow[] = []
  let last = after
  for (let scanned = 0; scanned < mostScanned; scanned += scannedAtOnce) {
    const views = await runtime.list(kind, { limit: scannedAtOnce, ...(last === undefined ? {} : { after: last }) })
    for (const view of views) {
      if (matches(view)) {
        if (found.length === limit) return { items: found, nextCursor: encodeCursor(last) }
        found.push(rowOf(view))
      }
      last = view.id
    }
    if (views.length < scannedAtOnce) return { items: found }
  }
  return { items: found, nextCursor: encodeCursor(last) }
}

export function rowOf(view: ActorView, why: Parameters<typeof standingOf>[1] = {}): ActorRow {
  const { address, kind, id, status, path, seq, updatedAt } = view
  const { reason, ...standing } = standingOf(view, why)
  const shown = reason === undefined ? standing : { ...standing, reason: redactText(reason) }
  return { address, kind, id, status, path, seq, updatedAt, standing: shown }
}
