import { Type } from 'typebox'
import { createLabel, deleteLabel, editLabel } from '../../store/labels.ts'
import type { Label } from '../../store/records.ts'
import { inputOf, type Call, type Route } from '../call.ts'
import { HttpRefusal } from '../../rest.ts'
import { listAnswer } from '../paging.ts'
import { labelPayload } from '../payloads/labels.ts'

const LABELS = '/projects/:id/labels'
const ONE = `${LABELS}/:label`

const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const readNewLabel = inputOf(Type.Object({ name: Type.String(), color: Type.String(), description: Text }))
const readPatch = inputOf(
  Type.Object({ new_name: Type.Optional(Type.String()), color: Type.Optional(Type.String()), description: Text }),
)

export const labelRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: LABELS,
    run(call) {
      const all = [...call.repository.labels.values()]
      return listAnswer(
        call,
        all.toSorted((one, other) => one.name.localeCompare(other.name)),
        labelPayload,
      )
    },
  },
  {
    method: 'POST',
    path: LABELS,
    run(call) {
      const { name, color, description = null } = readNewLabel(call)
      const label = createLabel(call.world, call.repository, call.writer, { name, color: bare(color), description })
      return { status: 201, body: labelPayload(label) }
    },
  },
  { method: 'GET', path: ONE, run: (call) => ({ body: labelPayload(labelOf(call)) }) },
  {
    method: 'PUT',
    path: ONE,
    run(call) {
      const label = labelOf(call)
      const { new_name: name, color, description } = readPatch(call)
      editLabel(call.world, call.repository, call.writer, label, {
        ...(name === undefined ? {} : { name }),
        ...(color === undefined ? {} : { color: bare(color) }),
        ...(description === undefined ? {} : { description }),
      })
      return { body: labelPayload(label) }
    },
  },
  {
    method: 'DELETE',
    path: ONE,
    run(call) {
      deleteLabel(call.world, call.repository, call.writer, labelOf(call))
      return { status: 204 }
    },
  },
]

/** By number, or by name. */
function labelOf(call: Call): Label {
  const wanted = call.params.label ?? ''
  const label =
    [...call.repository.labels.values()].find((one) => String(one.id) === wanted) ??
    call.repository.labels.get(wanted.toLowerCase())
  if (!label) throw new HttpRefusal(404, '404 Label Not Found')
  return label
}

/** The store has colours without the sign. */
function bare(color: string): string {
  return color.replace(/^#/, '')
}
