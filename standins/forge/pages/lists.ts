/** Where a person begins: the repositories, their issues and merge requests, and the form for a new issue. */
import { may } from '../store/permissions.ts'
import { fullName, isPull, type Issue, type Repository } from '../store/records.ts'
import type { Page } from './frame.ts'
import { area, field, list, markup, type Html } from './html.ts'
import { addressOf, mark, type Again, type Place, type Visit } from './visit.ts'

export function startPage(visit: Visit): Page {
  const readable = [...visit.world.repositories.values()].filter((one) => may(one, visit.person, 'read'))
  const rows = readable.map(
    (one) => markup`<li><a href="${addressOf(visit, one, 'issue')}">${fullName(one)}</a>
      <small>${one.dialect === 'gitlab' ? 'by the rules of GitLab' : 'by the rules of GitHub'}</small></li>`,
  )
  const content = markup`<h1>Repositories</h1>${list(rows, 'You may read none.')}`
  return { title: 'Repositories', content }
}

export function listPage(place: Place): Page {
  const { repository, kind, actions, person } = place
  const isMember = may(repository, person, 'triage')
  const threads = actions
    .issues(fullName(repository))
    .filter((one) => one.kind === kind && (isMember || !one.confidential || one.author === person.user))
    .toReversed()
  const what = kind === 'issue' ? 'Issues' : 'Merge requests'
  const part = (state: Issue['state'], title: string): Html => {
    const shown = threads.filter((one) => one.state === state)
    const rows = shown.map((one) => row(place, one))
    return markup`<h2>${title} <small>${shown.length}</small></h2>${list(rows, 'None.')}`
  }
  const create = markup`<a class="button" href="${addressOf(place, repository, 'issue')}/new">New issue</a>`
  const content = markup`${tabs(place)}
    <div class="line"><h1>${what}</h1>${kind === 'issue' && create}</div>
    ${part('open', 'Open')}${part('closed', 'Closed')}`
  return { title: `${what} of ${fullName(repository)}`, content }
}

function row(place: Place, thread: Readonly<Issue>): Html {
  const { repository } = place
  return markup`<li>
    <a href="${addressOf(place, repository, thread.kind, thread.number)}">${thread.title}</a> ${labelsOf(thread)}
    <small>${mark(repository, thread.kind, thread.number)} by ${thread.author.login}, ${stateOf(thread)}</small>
  </li>`
}

export function labelsOf({ labels }: Readonly<Issue>): readonly Html[] {
  return labels.map(({ name }) => markup`<span class="label">${name}</span> `)
}

export function stateOf(thread: Readonly<Issue>): string {
  if (isPull(thread) && thread.merged) return 'merged'
  return isPull(thread) && thread.draft && thread.state === 'open' ? 'draft' : thread.state
}

export function tabs(visit: Visit & { readonly repository: Repository }): Html {
  const { repository } = visit
  return markup`<nav>
    <b>${fullName(repository)}</b> <a href="${addressOf(visit, repository, 'issue')}">Issues</a>
    <a href="${addressOf(visit, repository, 'pull')}">Merge requests</a>
  </nav>`
}

export function newIssuePage(place: Place, again?: Again): Page {
  const { repository, person } = place
  const chosen = again?.typed['label[]']
  const isChosen = (name: string): boolean => Array.isArray(chosen) && chosen.includes(name)
  const boxes = [...repository.labels.values()].map(
    ({ name, description }) =>
      markup`<label class="box"><input type="checkbox" name="label[]" value="${name}"${isChosen(name) && markup` checked`}>
        <span class="label">${name}</span> <small>${description}</small></label>`,
  )
  const labels =
    may(repository, person, 'triage') &&
    boxes.length > 0 &&
    markup`<fieldset><legend>Labels</legend>${boxes}</fieldset>`
  const content = markup`${tabs(place)}
    <h1>New issue</h1>
    ${notice(again)}
    <form method="post">
      ${field('Title', 'title', again?.typed)} ${area('Text, in Markdown', 'body', again?.typed, 10)} ${labels}
      <button class="first">Open issue</button>
    </form>`
  return { title: 'New issue', content }
}

export function notice(again: Again | undefined): Html | false {
  return again !== undefined && markup`<p class="notice" role="alert">${again.sentence}</p>`
}
