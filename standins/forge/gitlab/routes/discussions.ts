import { Type, type Static } from 'typebox'
import type { DraftPosition, Pull } from '../../store/records.ts'
import { setResolved } from '../../store/resolutions.ts'
import { HttpRefusal, numberParam } from '../../rest.ts'
import { inputOf, type Call, type Route } from '../call.ts'
import { InvalidInput } from '../errors.ts'
import { discussionsOf, findDiscussion, reply, startDiscussion, startOnLine, type Discussion } from '../discussions.ts'
import { listAnswer } from '../paging.ts'
import { discussionOf, discussionPayload, isLineNote, notePayload, type Note } from '../payloads/notes.ts'
import { pullOf } from './merge-requests.ts'
import { edit, remove } from './notes.ts'

const DISCUSSIONS = '/projects/:id/merge_requests/:iid/discussions'
const ONE = `${DISCUSSIONS}/:discussion`
const NOTE = `${ONE}/notes/:note`

const Path = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const Line = Type.Optional(Type.Union([Type.Integer(), Type.Null()]))
export const Position = Type.Object({
  base_sha: Type.String(),
  start_sha: Type.String(),
  head_sha: Type.String(),
  position_type: Type.Enum(['text', 'image', 'file']),
  old_path: Path,
  new_path: Path,
  old_line: Line,
  new_line: Line,
})
export type Position = Static<typeof Position>

const readNew = inputOf(Type.Object({ body: Type.String(), position: Type.Optional(Position) }))
const readBody = inputOf(Type.Object({ body: Type.String() }))
const readResolved = inputOf(Type.Object({ resolved: Type.Boolean() }))
const readNotePatch = inputOf(
  Type.Object({ body: Type.Optional(Type.String()), resolved: Type.Optional(Type.Boolean()) }),
)

export const discussionRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: DISCUSSIONS,
    run(call) {
      const pull = pullOf(call)
      return listAnswer(call, discussionsOf(call, pull), (one) => show(call, pull, one))
    },
  },
  {
    method: 'POST',
    path: DISCUSSIONS,
    async run(call) {
      const pull = pullOf(call)
      const { body, position } = readNew(call)
      const note = position
        ? await startOnLine(call, pull, placeOf(pull, position), body)
        : startDiscussion(call, pull, body)
      return { status: 201, body: show(call, pull, findDiscussion(call, pull, discussionOf(note))) }
    },
  },
  {
    method: 'GET',
    path: ONE,
    run(call) {
      const pull = pullOf(call)
      return { body: show(call, pull, wanted(call, pull)) }
    },
  },
  {
    method: 'PUT',
    path: ONE,
    run(call) {
      const pull = pullOf(call)
      resolve(call, pull, wanted(call, pull), readResolved(call).resolved)
      return { body: show(call, pull, wanted(call, pull)) }
    },
  },
  {
    method: 'POST',
    path: `${ONE}/notes`,
    run(call) {
      const pull = pullOf(call)
      const note = reply(call, pull, wanted(call, pull), readBody(call).body)
      return { status: 201, body: notePayload(call.links, call.repository, pull, note) }
    },
  },
  {
    method: 'PUT',
    path: NOTE,
    run(call) {
      const pull = pullOf(call)
      const note = noteIn(call, wanted(call, pull))
      const { body, resolved } = readNotePatch(call)
      if ((body === undefined) === (resolved === undefined))
        throw new InvalidInput(['body, resolved are missing, exactly one parameter must be provided'])
      if (body !== undefined) edit(call, pull, note, body)
      if (resolved !== undefined) resolve(call, pull, wanted(call, pull), resolved)
      return { body: notePayload(call.links, call.repository, pull, note) }
    },
  },
  {
    method: 'DELETE',
    path: NOTE,
    run(call) {
      const pull = pullOf(call)
      remove(call, pull, noteIn(call, wanted(call, pull)))
      return { status: 204 }
    },
  },
]

/** A base that the head never had makes a position that is on no line. */
export function placeOf(pull: Pull, position: Position): DraftPosition {
  const { head_sha: commit, base_sha: base } = position
  const isKnown = pull.versions.some((version) => version.headSha === commit && version.diffBase === base)
  return {
    oldPath: position.old_path ?? position.new_path ?? '',
    newPath: position.new_path ?? position.old_path ?? '',
    oldLine: isKnown ? (position.old_line ?? null) : null,
    newLine: isKnown ? (position.new_line ?? null) : null,
    commit,
  }
}

function wanted(call: Call, pull: Pull): Discussion {
  return findDiscussion(call, pull, call.params.discussion ?? '')
}

function noteIn(call: Call, { notes }: Discussion): Note {
  const id = numberParam(call, 'note')
  const note = notes.find((one) => one.id === id)
  if (!note) throw new HttpRefusal(404, '404 Note Not Found')
  return note
}

function resolve(call: Call, pull: Pull, { notes }: Discussion, resolved: boolean): void {
  const [first] = notes
  if (first && !isLineNote(first) && first.discussion === null) throw new HttpRefusal(403, '403 Forbidden')
  setResolved(call.world, call.repository, call.writer, pull, notes, resolved)
}

function show(call: Call, pull: Pull, { id, notes }: Discussion): unknown {
  return discussionPayload(call.links, call.repository, pull, id, notes)
}
