/** What a form does, by its address: its schema, and the verb of the store. Each answers with where the browser goes on. */
import { Type, type Static, type TObject } from 'typebox'
import { faultsOf } from '../../../http/problems/validation.ts'
import { fullName, isPull, type Issue } from '../store/records.ts'
import { Refusal } from '../store/refusal.ts'
import { planOf, stampOf } from './thread.ts'
import { addressOf, threadAt, type Place } from './visit.ts'

/** A form that breaks its schema, or was sent from a page that shows less than there is. */
export class FormRefusal extends Error {
  readonly status: number

  constructor(status: number, sentence: string) {
    super(sentence)
    this.status = status
  }
}

/** The store's own limits are lower and answer in a sentence. */
const Text = Type.String({ maxLength: 1_048_576 })
const Short = Type.String({ maxLength: 4_096 })

interface Form {
  readonly isOfThread: boolean
  run(place: Place, typed: unknown): Promise<string>
}

function form<S extends TObject>(
  schema: S,
  act: (place: Place, thread: Readonly<Issue>, typed: Static<S>) => unknown,
): Form {
  return {
    isOfThread: true,
    async run(place, typed) {
      const thread = threadAt(place)
      await act(place, thread, checked(schema, typed))
      return addressOf(place, place.repository, thread.kind, thread.number)
    },
  }
}

function checked<S extends TObject>(schema: S, typed: unknown): Static<S> {
  const faults = faultsOf(schema, typed)
  if (faults.length === 0) return typed as Static<S>
  throw new FormRefusal(
    400,
    `The form is refused: ${faults.map(({ path, message }) => `${path.slice(1)} ${message}`).join('; ')}.`,
  )
}

const closed = { additionalProperties: false }
const Opened = Type.Object(
  { title: Short, body: Text, 'label[]': Type.Optional(Type.Array(Short, { maxItems: 100 })) },
  closed,
)
const State = Type.Object({ state: Type.Union([Type.Literal('open'), Type.Literal('closed')]) }, closed)
const Event = Type.Union([Type.Literal('COMMENT'), Type.Literal('APPROVE'), Type.Literal('REQUEST_CHANGES')])
const Review = Type.Object(
  {
    event: Event,
    commit: Short,
    review: Text,
    path: Short,
    line: Type.String({ pattern: '^\\d{0,9}$' }),
    words: Text,
    side: Type.Optional(Type.Literal('LEFT')),
  },
  closed,
)

export const forms: Readonly<Record<string, Form>> = {
  new: {
    isOfThread: false,
    async run(place, typed) {
      const { title, body, 'label[]': labels = [] } = checked(Opened, typed)
      const { number } = place.actions.openIssue(place.person.user.login, fullName(place.repository), {
        title,
        body,
        labels,
      })
      return addressOf(place, place.repository, 'issue', number)
    },
  },
  comment: form(Type.Object({ body: Text }, closed), (place, thread, { body }) => comment(place, thread, body)),
  approve: form(Type.Object({ seen: Short }, closed), (place, thread, { seen }) => {
    if (isPull(thread)) throw new Refusal('not-found')
    const stands = planOf(place, thread)?.approval?.author.login
    if (stands !== undefined)
      throw new FormRefusal(409, `Nothing more is written: ${stands} has approved the plan that stands here.`)
    if (stampOf(place, thread) !== seen)
      throw new FormRefusal(
        409,
        'Nothing is approved: somebody has written since your page was made. Read what stands here now.',
      )
    // GitLab takes `/approve` out of a text on an issue and keeps nothing of it.
    return comment(place, thread, place.repository.dialect === 'gitlab' ? 'approve' : '/approve')
  }),
  label: form(
    Type.Object({ add: Type.Optional(Short), remove: Type.Optional(Short) }, closed),
    ({ actions, person, repository }, { number, kind }, { add, remove }) => {
      if (add !== undefined) actions.addLabel(person.user.login, fullName(repository), number, add, kind)
      if (remove !== undefined) actions.removeLabel(person.user.login, fullName(repository), number, remove, kind)
    },
  ),
  state: form(State, ({ actions, person, repository }, thread, { state }) => {
    const verb = isPull(thread)
      ? ({ open: 'reopenPull', closed: 'closePull' } as const)
      : ({ open: 'reopenIssue', closed: 'closeIssue' } as const)
    return actions[verb[state]](person.user.login, fullName(repository), thread.number)
  }),
  review: form(
    Review,
    ({ actions, person, repository }, thread, { event, commit, review: body, path, line, words, side }) => {
      if (!isPull(thread)) throw new Refusal('not-found')
      if (thread.headSha !== commit)
        throw new FormRefusal(
          409,
          'Nothing is sent: the branch has moved since your page was made. Read what stands here now.',
        )
      const comments =
        path === '' && words === '' ? [] : [{ path, line: Number(line), body: words, ...(side && { side }) }]
      return actions.review(person.user.login, fullName(repository), thread.number, { event, body, commit, comments })
    },
  ),
}

function comment({ actions, person, repository }: Place, { number, kind }: Readonly<Issue>, body: string): void {
  actions.comment(person.user.login, fullName(repository), number, body, kind)
}
