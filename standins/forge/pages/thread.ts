/** An issue or merge request with its thread, what a person may do to it, and who did what. */
import { createHash } from 'node:crypto'
import type { AuditEntry } from '../store/audit.ts'
import { may } from '../store/permissions.ts'
import { fullName, isPull, type Comment, type Issue } from '../store/records.ts'
import type { Page } from './frame.ts'
import { area, markup, type Html } from './html.ts'
import { labelsOf, notice, stateOf, tabs } from './lists.ts'
import { entry, moment } from './entry.ts'
import { changesOf, checksOf, reviewForm, reviewsOf } from './pull.ts'
import { addressOf, commentsFor, mark, threadAt, type Again, type Place } from './visit.ts'

const mostEntries = 200

export async function threadPage(place: Place, again?: Again): Promise<Page> {
  const { repository, number = 0 } = place
  const thread = threadAt(place)
  const name = `${mark(repository, thread.kind, number)} ${thread.title}`
  const remarks = [
    ...commentsFor(place, thread).map((one) => remark(place, one)),
    ...(isPull(thread) ? reviewsOf(place, thread) : []),
  ]
  const content = markup`${tabs(place)}
    <h1>${thread.title} <small>${mark(repository, thread.kind, number)}</small></h1>
    <p>
      <span class="state ${stateOf(thread)}">${stateOf(thread)}</span> ${labelsOf(thread)}
      ${isPull(thread) && markup`<small><code>${thread.head}</code> into <code>${thread.base}</code></small>`}
    </p>
    ${notice(again)} ${entry(place, { login: thread.author.login, at: thread.createdAt }, thread.body ?? '')}
    ${remarks.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).map(({ shown }) => shown)}
    ${isPull(thread) && [checksOf(place, thread), await changesOf(place, thread)]}
    ${forms(place, thread, again)}${history(place, thread)}`
  return { title: name, content }
}

/** What the platform marks the comment of a plan with. */
export const planMark = '<!-- platform:topic=plan -->'
const decides = /^(?:(\/?approve)|\/hold|\/unapprove)$/m
/** What the platform asks for when it refuses an approval. */
export const asksAgain = 'approve with a new comment `'

/** The plan that the platform shows, and the word that approves it, if none took that back. Marks of others are none. */
export function planOf(place: Place, thread: Readonly<Issue>): { readonly approval?: Comment } | undefined {
  const all = commentsFor(place, thread).filter(({ author: user }) =>
    may(place.repository, { user, cap: 'admin', scopes: [] }, 'write'),
  )
  const plan = all.findLast(({ body }) => body.includes(planMark))
  if (plan === undefined) return undefined
  const newest = all
    .slice(all.indexOf(plan) + 1)
    .findLast(({ author, body }) => (author === plan.author ? body.includes(asksAgain) : decides.test(body)))
  const isOfIt = newest && newest.author !== plan.author && (!plan.edit || newest.createdAt > plan.updatedAt)
  return isOfIt && !newest.edit && decides.exec(newest.body)?.[1] ? { approval: newest } : {}
}

/** What a page showed of the words in a thread: an approval is of these. */
export function stampOf(place: Place, thread: Readonly<Issue>): string {
  const words = commentsFor(place, thread).map(({ id, body }) => [id, body])
  return createHash('sha256')
    .update(JSON.stringify([thread.title, thread.body, words]))
    .digest('hex')
}

function remark(
  place: Place,
  { id, author, createdAt: at, body, system, edit, internal }: Comment,
): { at: string; shown: Html } {
  if (system) return { at, shown: markup`<p class="faint">${author.login} ${body} ${moment(at)}</p>` }
  const more = [edit && `edited by ${edit.by}`, internal && 'internal'].filter(Boolean).join(', ')
  return { at, shown: entry(place, { login: author.login, at, more, id }, body) }
}

function forms(place: Place, thread: Readonly<Issue>, again: Again | undefined): Html {
  const { repository, person } = place
  const address = addressOf(place, repository, thread.kind, thread.number)
  const plan =
    thread.kind === 'issue' && thread.state === 'open' && may(repository, person, 'write')
      ? planOf(place, thread)
      : undefined
  const mayClose =
    (thread.author === person.user || may(repository, person, 'triage')) && !(isPull(thread) && thread.merged)
  const state = thread.state === 'open' ? 'closed' : 'open'
  return markup`<section id="act">
    <h2>Act</h2>
    ${
      plan?.approval &&
      markup`<p>${plan.approval.author.login} has approved the plan above ${moment(plan.approval.createdAt)}</p>`
    }
    ${
      plan &&
      !plan.approval &&
      markup`<form method="post" action="${address}/approve"><input type="hidden" name="seen" value="${stampOf(place, thread)}">
      <button class="first">Approve</button> <small>Approves the plan above, as this page shows it.</small></form>`
    }
    <form method="post" action="${address}/comment">
      ${area('Comment, in Markdown', 'body', again?.typed)} <button>Comment</button>
    </form>
    ${isPull(thread) && thread.state === 'open' && reviewForm(thread, address, again)}
    ${may(repository, person, 'triage') && labelForms(place, thread, address)}
    ${mayClose && markup`<form method="post" action="${address}/state"><button name="state" value="${state}">${state === 'open' ? 'Reopen' : 'Close'}</button></form>`}
  </section>`
}

function labelForms({ repository }: Place, { labels }: Readonly<Issue>, address: string): Html {
  const others = [...repository.labels.values()].filter((one) => !labels.includes(one))
  return markup`<form method="post" action="${address}/label" class="line">
    ${labels.map(({ name }) => markup`<button name="remove" value="${name}">Remove ${name}</button>`)}
    ${others.map(({ name }) => markup`<button name="add" value="${name}">Add ${name}</button>`)}
  </form>`
}

function history({ world, repository }: Place, thread: Readonly<Issue>): Html {
  const entries = world.audit.entries().filter((one) => one.repository === fullName(repository) && isOf(one, thread))
  const rows = entries
    .slice(-mostEntries)
    .map(
      ({ at, actor, action, detail }) =>
        markup`<li>${moment(at)} <b>${actor}</b> ${action} ${String(detail?.['label'] ?? '')}</li>`,
    )
  return markup`<details><summary>Who did what (${entries.length})</summary><ol class="history">${rows}</ol></details>`
}

/** At GitLab the two kinds share numbers, and an action of one kind alone does not name it. */
function isOf({ number, kind, action }: AuditEntry, thread: Readonly<Issue>): boolean {
  return number === thread.number && (kind ?? (action.startsWith('issue.') ? 'issue' : 'pull')) === thread.kind
}
