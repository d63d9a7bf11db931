import { Type } from 'typebox'
import { Board } from '../../../machines/why/board.ts'
import type { HttpApp } from '../../../http/app.ts'
import type { InspectorDeps } from '../deps.ts'

const Query = Type.Object(
  {
    me: Type.Optional(
      Type.String({ maxLength: 255, description: 'A login: of what waits for people, only what it may move.' }),
    ),
  },
  { additionalProperties: false },
)

/** For the page and for the command line (OPERATIONS-17). `me` filters and gives no right. */
export function boardRoute(app: HttpApp, path: string, { board }: Pick<InspectorDeps, 'board'>, hide = false): void {
  const summary = 'Tasks that wait for people, that work, that are queued, and that ended within a day'
  app.get(path, { schema: { hide, summary, querystring: Query, response: { 200: Board } } }, ({ query }) =>
    board(query.me),
  )
}
