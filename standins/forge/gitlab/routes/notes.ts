import { Type } from 'typebox'
import { createComment, deleteComment, editComment } from '../../store/comments.ts'
import { may } from '../../store/permissions.ts'
import { isPull, type Issue } from '../../store/records.ts'
import { Refusal } from '../../store/refusal.ts'
import { deleteReviewComment, editReviewComment } from '../../store/review-threads.ts'
import { visibleComments } from '../../store/reviews.ts'
import { HttpRefusal, numberParam } from '../../rest.ts'
import { inputOf, type Call, type Route } from '../call.ts'
import { listAnswer, ordered } from '../paging.ts'
import { isLineNote, notePayload, type Note } from '../payloads/notes.ts'
import { issueOf } from './issues.ts'
import { pullOf } from './merge-requests.ts'

const readNewNote = inputOf(
  Type.Object({
    body: Type.String(),
    internal: Type.Optional(Type.Boolean()),
    confidential: Type.Optional(Type.Boolean()),
  }),
)
const readBody = inputOf(Type.Object({ body: Type.String() }))

export const noteRoutes: readonly Route[] = [
  ...routesOf('/projects/:id/issues/:iid/notes', issueOf),
  ...routesOf('/projects/:id/merge_requests/:iid/notes', pullOf),
]

function routesOf(path: string, threadOf: (call: Call) => Issue): Route[] {
  return [
    {
      method: 'GET',
      path,
      run(call) {
        const thread = threadOf(call)
        const by = { created_at: (note: Note) => note.createdAt, updated_at: (note: Note) => note.updatedAt }
        return listAnswer(call, ordered(call, notesOf(call, thread), by), (note) => show(call, thread, note))
      },
    },
    {
      method: 'POST',
      path,
      run(call) {
        const thread = threadOf(call)
        const { body, internal, confidential } = readNewNote(call)
        const note = createComment(call.world, call.repository, call.writer, thread, body, {
          internal: internal ?? confidential ?? false,
        })
        return { status: 201, body: show(call, thread, note) }
      },
    },
    {
      method: 'GET',
      path: `${path}/:note`,
      run(call) {
        const thread = threadOf(call)
        return { body: show(call, thread, noteOf(call, thread)) }
      },
    },
    {
      method: 'PUT',
      path: `${path}/:note`,
      run(call) {
        const thread = threadOf(call)
        const note = noteOf(call, thread)
        edit(call, thread, note, readBody(call).body)
        return { body: show(call, thread, note) }
      },
    },
    {
      method: 'DELETE',
      path: `${path}/:note`,
      run(call) {
        const thread = threadOf(call)
        remove(call, thread, noteOf(call, thread))
        return { status: 204 }
      },
    },
  ]
}

/** Oldest first. Internal ones are shown to their author and to members, line notes of a pending review to its author. */
export function notesOf(call: Call, thread: Issue): Note[] {
  const comments = [...thread.comments.values()].filter(
    (one) => !one.internal || one.author === call.actor?.user || may(call.repository, call.actor, 'triage'),
  )
  const lines = isPull(thread) ? visibleComments(thread, call.actor) : []
  return [...comments, ...lines].toSorted((one, other) => one.id - other.id)
}

export function noteOf(call: Call, thread: Issue): Note {
  const id = numberParam(call, 'note')
  const note = notesOf(call, thread).find((one) => one.id === id)
  if (!note) throw new Refusal('not-found')
  return note
}

export function edit(call: Call, thread: Issue, note: Note, body: string): void {
  if (isLineNote(note) && isPull(thread))
    editReviewComment(call.world, call.repository, call.writer, { pull: thread, comment: note }, body)
  else if (!isLineNote(note)) {
    demandPerson(note)
    editComment(call.world, call.repository, call.writer, { issue: thread, comment: note }, body)
  }
}

export function remove(call: Call, thread: Issue, note: Note): void {
  if (isLineNote(note) && isPull(thread))
    deleteReviewComment(call.world, call.repository, call.writer, { pull: thread, comment: note })
  else if (!isLineNote(note)) {
    demandPerson(note)
    deleteComment(call.world, call.repository, call.writer, { issue: thread, comment: note })
  }
}

function demandPerson({ system }: { readonly system: boolean }): void {
  if (system) throw new HttpRefusal(403, '403 Forbidden')
}

function show(call: Call, thread: Issue, note: Note): unknown {
  return notePayload(call.links, call.repository, thread, note)
}
