import { Type } from 'typebox'
import type { TaskContext } from '../../../machines/task/context.ts'
import { NoteKind } from '../../../machines/task/events.ts'
import { bodyHash } from '../../forge/hash.ts'
import type { HttpApp } from '../../../http/app.ts'
import { answerFrom } from '../answer.ts'
import { requirePod, requireReadable } from '../caller.ts'
import type { AgentApiDeps } from '../deps.ts'
import { spill, spillFor, withWords } from '../spilled-notes.ts'

const Params = Type.Object({ task: Type.String() })
/** A note of this size still fits the smallest bundle. */
const maxNoteCharacters = 32_768
const Body = Type.Object(
  { kind: NoteKind, body: Type.String({ minLength: 1, maxLength: maxNoteCharacters }) },
  { additionalProperties: false },
)

/** GET and POST /tasks/{task}/notes. The writer is stamped here: no caller can write an operator's note. */
export function noteRoutes(app: HttpApp, deps: AgentApiDeps): void {
  app.post(
    '/tasks/:task/notes',
    { schema: { params: Params, body: Body, summary: 'Write a note into the journal of the Task' } },
    async (request, reply) => {
      const { claims, task } = await requirePod(request, deps, request.params.task)
      const { kind, body } = request.body
      const spilled = spillFor(task.journal.notes, body)
      await spill(deps.sql, task.id, task.journal.notes, spilled)
      const id = `note-${claims.pod}-${bodyHash(`${kind}\n${body}`).slice(0, 10)}`
      const receipt = await deps.runtime.deliver({
        to: `task:${claims.task}`,
        key: noteKey(task, id),
        event: {
          type: 'note.written',
          at: deps.clock.now(),
          pod: claims.pod,
          id,
          kind,
          body,
          bodyHash: bodyHash(body),
          ...(spilled === 0 ? {} : { spilled }),
        },
      })
      return answerFrom(receipt, reply)
    },
  )

  app.get(
    '/tasks/:task/notes',
    { schema: { params: Params, summary: 'The whole journal of the Task' } },
    async (request) => {
      const { task } = await requireReadable(request, deps, request.params.task)
      const notes = await withWords(deps.sql, task.id, task.journal.notes)
      return {
        items: notes.map(({ id, agent, at, kind, body, source }) => ({
          id,
          agent,
          at: new Date(at).toISOString(),
          kind,
          source,
          body,
        })),
      }
    },
  )
}

/** The same words by the same pod are the same note: a retry writes nothing twice. But a plan after which another came may be taken up again. */
function noteKey(task: TaskContext, id: string): string {
  const times = task.journal.notes.filter((note) => note.id === id).length
  const superseded =
    task.journal.notes.findLast((note) => note.id === id)?.kind === 'plan' && task.journal.planNoteId !== id
  const ordinal = superseded ? times : Math.max(0, times - 1)
  return ordinal === 0 ? `note/${id}` : `note/${id}/${ordinal}`
}
