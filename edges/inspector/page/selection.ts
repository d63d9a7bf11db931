import { visible } from '../../../http/operational/visible.ts'
/** What is looked at lives in the address bar, so that a link shows it to somebody else and Back goes back. */
export interface Selection {
  readonly address?: string
  /** The step whose outcome is shown; the newest one when absent. */
  readonly seq?: number
  /** The part that is looked at; absent: the board, or an actor's chart. */
  readonly view?: ViewName
}

export const viewNames = ['board', 'actors', 'story', 'chart', 'facts', 'history'] as const
export type ViewName = (typeof viewNames)[number]

function firstView(address: string | undefined): ViewName {
  return address === undefined ? 'board' : 'chart'
}

/** A link that somebody made up leads to what there is. */
export function viewOf({ address, view }: Selection): ViewName {
  const fits = view === 'actors' || (view === 'board') === (address === undefined)
  return view !== undefined && fits ? view : firstView(address)
}

/** By which actors are listed: `rests` in milliseconds without a step, `sort` is `newest`, `ended` is `no`; empty: not at all. */
export const none = {
  q: '',
  kind: '',
  project: '',
  repository: '',
  person: '',
  reason: '',
  state: '',
  rests: '',
  sort: '',
  ended: '',
}
export type Filter = Readonly<Record<keyof typeof none, string>>
export const filterNames = [
  'q',
  'kind',
  'project',
  'repository',
  'person',
  'reason',
  'state',
  'rests',
  'sort',
  'ended',
] as const

/** Those that a board has too. */
export const boardFilterNames = ['q', 'project', 'repository', 'person', 'reason'] as const

/** As the server takes them. */
export const longestText = 200
const longestAddress = 1024

const known: { readonly [name: string]: (value: string) => boolean } = {
  actor: (value) => value.length <= longestAddress,
  seq: (value) => /^[1-9]\d{0,14}$/.test(value),
  view: (value) => viewNames.some((name) => name === value),
  rests: (value) => /^\d{1,15}$/.test(value),
  sort: (value) => value === 'newest',
  ended: (value) => value === 'no',
}

/** Undefined: it is used. */
function faultOf(name: string, value: string): string | undefined {
  if (value === '') return undefined
  if (!Object.hasOwn(known, name) && !filterNames.some((one) => one === name)) return `“${shortened(name)}”`
  if (name !== 'actor' && value.length > longestText)
    return `${name} of ${value.length.toLocaleString('en-US')} characters`
  return known[name]?.(value) === false ? `${name} “${shortened(value)}”` : undefined
}

function shortened(text: string): string {
  return visible(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}

/** What an address names that is left out, in one sentence; undefined: nothing. */
export function leftOut(hash: string): string | undefined {
  const faults = [...new URLSearchParams(hash.replace(/^#/, ''))].flatMap(([name, value]) => faultOf(name, value) ?? [])
  if (faults.length === 0) return undefined
  return `The address asks for ${faults.slice(0, 5).join(' and ')}, which this page does not know or take. The rest is shown.`
}

/** Without what is left out. */
function readUsed(hash: string): URLSearchParams {
  const given = new URLSearchParams(hash.replace(/^#/, ''))
  return new URLSearchParams([...given].filter(([name, value]) => faultOf(name, value) === undefined))
}

export function readSelection(hash: string): Selection {
  const given = readUsed(hash)
  const address = given.get('actor')
  const seq = Number(given.get('seq'))
  const view = viewNames.find((name) => name === given.get('view'))
  return {
    ...(address ? { address } : {}),
    ...(seq > 0 ? { seq } : {}),
    ...(view === undefined ? {} : { view }),
  }
}

export function readFilter(hash: string): Filter {
  const given = readUsed(hash)
  return filterNames.reduce((filter, name) => ({ ...filter, [name]: given.get(name) ?? '' }), none)
}

export function writeSelection({ address, seq, view }: Selection, filter: Filter): string {
  const parts = [
    ...(address === undefined ? [] : [['actor', address]]),
    ...(seq === undefined ? [] : [['seq', `${seq}`]]),
    ...(view === undefined || view === firstView(address) ? [] : [['view', view]]),
    ...filterNames.map((name) => [name, filter[name]]),
  ]
  const readable = (text: string): string => encodeURIComponent(text).replaceAll('%2F', '/').replaceAll('%3A', ':')
  return `#${parts.flatMap(([name, text = '']) => (text === '' ? [] : [`${name}=${readable(text)}`])).join('&')}`
}
