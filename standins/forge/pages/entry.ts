import { markup, type Html } from './html.ts'
import { renderMarkdown } from './markdown.ts'
import type { Place } from './visit.ts'

/** What somebody wrote: a comment, a review, a text on a line. */
export function entry(
  place: Place,
  {
    login,
    at,
    more = '',
    id,
  }: { readonly login: string; readonly at: string; readonly more?: string; readonly id?: number },
  body: string,
): Html {
  return markup`<article${id !== undefined && markup` id="comment-${id}"`}><header><b>${login}</b> ${moment(at)} <small>${more}</small></header>
    ${body.trim() === '' ? markup`<p class="faint">No text.</p>` : renderMarkdown(body, place)}</article>`
}

export function moment(at: string): Html {
  return markup`<time>${at.slice(0, 19).replace('T', ' ')}</time>`
}
