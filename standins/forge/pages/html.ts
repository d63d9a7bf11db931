/** HTML in which every value is text: what is to be markup says so by its type. */
import { visible } from '../../../http/operational/visible.ts'

export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Value = Html | string | number | false | null | undefined | readonly Value[]

/** Attributes stand in double quotes. The formatter lays out what is tagged `html`, and blanks count in a diff. */
export function markup(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(strings.map((text, at) => `${text}${shown(values[at])}`).join(''))
}

export function list(items: readonly Html[], none: string): Html {
  return items.length === 0 ? markup`<p class="faint">${none}</p>` : markup`<ul class="list">${items}</ul>`
}

/** The line feed behind the tag is no part of the text. */
export function area(
  label: string,
  name: string,
  typed: Readonly<Record<string, unknown>> | undefined,
  rows = 5,
): Html {
  return markup`<label>${label} <textarea name="${name}" rows="${rows}">\n${String(typed?.[name] ?? '')}</textarea></label>`
}

export function field(
  label: string,
  name: string,
  typed: Readonly<Record<string, unknown>> | undefined,
  type: 'text' | 'number' = 'text',
): Html {
  return markup`<label>${label} <input type="${type}" name="${name}" value="${String(typed?.[name] ?? '')}"></label>`
}

function shown(value: Value): string {
  if (value === false || value === null || value === undefined) return ''
  if (value instanceof Html) return value.text
  return typeof value === 'object' ? value.map(shown).join('') : escaped(plain(String(value)))
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

/** Control characters and marks of direction by their numbers; line feeds and tabs stay. */
export function plain(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => visible(line))
    .join('\n')
}
