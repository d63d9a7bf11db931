/** What a merge request has besides a thread: checks, reviews, and its diff with the comments on lines. */
import type { FileDiff } from '../git/diff.ts'
import { latestStatuses } from '../store/checks.ts'
import { pullFiles } from '../store/pulls.ts'
import type { Pull, ReviewComment } from '../store/records.ts'
import { visibleComments } from '../store/reviews.ts'
import { entry } from './entry.ts'
import { area, field, list, markup, type Html } from './html.ts'
import type { Again, Place } from './visit.ts'

/** Of one page: a browser renders what is longer slowly, and nobody reads it. */
const mostLines = 3_000
const mostColumns = 1_000
const mostSummary = 5_000

export function checksOf({ repository }: Place, { headSha }: Readonly<Pull>): Html {
  const runs = repository.suites
    .filter(({ sha }) => sha === headSha)
    .flatMap(({ app, runs: all }) => all.map((run) => ({ app, ...run })))
    .map(({ app, name, status, conclusion, output }) => {
      const summary = (output.text ?? output.summary ?? '').slice(0, mostSummary)
      const more =
        summary !== '' && markup`<details><summary>${output.title ?? 'Output'}</summary><pre>${summary}</pre></details>`
      return markup`<li><b class="check ${conclusion ?? status}">${conclusion ?? status}</b> ${name} <small>${app}</small>${more}</li>`
    })
  const statuses = latestStatuses(repository, headSha).map(
    ({ state, context, description, creator }) =>
      markup`<li><b class="check ${state}">${state}</b> ${context} <small>${creator.login}: ${description}</small></li>`,
  )
  return markup`<section><h2>Checks <small>${headSha.slice(0, 8)}</small></h2>${list([...runs, ...statuses], 'None on this commit.')}</section>`
}

const decided: Readonly<Record<string, string>> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'requested changes',
  COMMENTED: 'reviewed',
  DISMISSED: 'reviewed; dismissed',
  PENDING: 'began a review, which others do not see yet',
}

/** At GitLab the text of a review is a comment by now, and its decision a note of the forge. */
export function reviewsOf(place: Place, pull: Readonly<Pull>): Array<{ at: string; shown: Html }> {
  const { repository, person } = place
  return [...pull.reviews.values()]
    .filter(({ state, author }) => (state === 'PENDING' ? author === person.user : repository.dialect === 'github'))
    .map(({ author, submittedAt, state, body, commit }) => {
      const at = submittedAt ?? ''
      return {
        at,
        shown: entry(place, { login: author.login, at, more: `${decided[state]} ${commit.slice(0, 8)}` }, body),
      }
    })
}

export async function changesOf(place: Place, pull: Readonly<Pull>): Promise<Html> {
  const files = await pullFiles(place.repository, pull)
  const comments = visibleComments(pull, place.person)
  const old = comments.filter((one) => !one.current || !files.some(({ path }) => path === one.path))
  let left = mostLines
  const shown = files.map((file) => {
    const lines = (file.patch ?? '').split('\n').slice(0, left)
    left -= lines.length
    return fileOf(
      place,
      file,
      lines,
      comments.filter((one) => one.current && one.path === file.path),
    )
  })
  const { additions, deletions } = pull.stats
  return markup`<section>
    <h2>Changes <small>${files.length} files, +${additions} −${deletions}</small></h2>
    ${shown}
    ${left <= 0 && markup`<p class="notice">The rest of this diff is not shown: it has more than ${mostLines} lines.</p>`}
    ${old.length > 0 && markup`<h3>On earlier versions</h3>`}${old.map((one) => markup`<pre>${one.anchor?.hunk.split('\n').slice(-4).join('\n')}</pre>${lineComment(place, one)}`)}
  </section>`
}

const sorts: Readonly<Record<string, string>> = { '@': 'hunk', '+': 'added', '-': 'removed' }

function fileOf(place: Place, file: FileDiff, lines: readonly string[], comments: readonly ReviewComment[]): Html {
  const at = (position: number): readonly Html[] =>
    comments.filter(({ anchor }) => anchor?.position === position).map((one) => lineComment(place, one))
  const rows = lines.map((line, position) => {
    const notes = at(position)
    const cut = line.length > mostColumns ? `${line.slice(0, mostColumns)} … (${line.length} characters)` : line || ' '
    return markup`<div class="${sorts[line.charAt(0)] ?? 'same'}">${cut}</div>${notes.length > 0 && markup`</div></div>${notes}<div class="code"><div>`}`
  })
  const whole = comments.filter(({ anchor }) => anchor === null).map((one) => lineComment(place, one))
  const name = file.previousPath === null ? file.path : `${file.previousPath} → ${file.path}`
  return markup`<div class="file">
    <h3><code>${name}</code> <small>${file.status} +${file.additions} −${file.deletions}</small></h3>
    ${whole}
    ${file.patch === undefined ? markup`<p class="faint">No text to show.</p>` : markup`<div class="code"><div>${rows}</div></div>`}
  </div>`
}

function lineComment(place: Place, { author, createdAt, path, anchor, body, resolution, id }: ReviewComment): Html {
  const more = `on ${path}${anchor === null ? '' : `:${anchor.line}`}${resolution ? `, resolved by ${resolution.by.login}` : ''}`
  return entry(place, { login: author.login, at: createdAt, more, id }, body)
}

export function reviewForm({ headSha }: Readonly<Pull>, address: string, again: Again | undefined): Html {
  return markup`<form method="post" action="${address}/review">
    <input type="hidden" name="commit" value="${headSha}" />
    ${area('Review, in Markdown', 'review', again?.typed)}
    <details${Boolean(again?.typed['words']) && markup` open`}>
      <summary>With a comment on one line</summary>
      ${field('File', 'path', again?.typed)} ${field('Line', 'line', again?.typed, 'number')}
      <label class="box"><input type="checkbox" name="side" value="LEFT"> <span>of the old file</span></label>
      ${area('Words', 'words', again?.typed, 3)}
    </details>
    <div class="line">
      <button name="event" value="COMMENT">Send review</button>
      <button name="event" value="APPROVE">Approve changes</button>
      <button name="event" value="REQUEST_CHANGES">Request changes</button>
    </div>
  </form>`
}
