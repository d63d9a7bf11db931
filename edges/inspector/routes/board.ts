import { Type } from 'typebox'
import { Board } from '../../../machines/why/board.ts'
import type { HttpApp } from '../../../http/app.ts'
import type { InspectorDeps } from '../deps.ts'

const Words = Type.Optional(Type.String({ maxLength: 200, description: 'As a whole, in any case.' }))

const Query = Type.Object(
  {
    me: Type.Optional(
      Type.String({ maxLength: 255, description: 'A login: of what waits for people, only what it may move.' }),
    ),
    q: Type.Optional(
      Type.String({
        maxLength: 200,
        description:
          'Words, each a part of its address or of a text that the list of Tasks finds it by; or a commit, by seven characters at least.',
      }),
    ),
    project: Words,
    repository: Words,
    person: Words,
    reason: Words,
  },
  { additionalProperties: false },
)

/** For the page and for the command line (OPERATIONS-17). The query filters and gives no right. */
export function boardRoute(app: HttpApp, path: string, { board }: Pick<InspectorDeps, 'board'>, hide = false): void {
  const summary = 'Tasks that wait for people, that work, that are queued, and that ended within a day'
  app.get(path, { schema: { hide, summary, querystring: Query, response: { 200: Board } } }, ({ query }) =>
    board(query),
  )
}
