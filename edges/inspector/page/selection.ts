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

export function readSelection(hash: string): Selection {
  const given = new URLSearchParams(hash.replace(/^#/, ''))
  const address = given.get('actor')
  const seq = Number(given.get('seq'))
  const view = viewNames.find((name) => name === given.get('view'))
  return {
    ...(address ? { address } : {}),
    ...(Number.isSafeInteger(seq) && seq > 0 ? { seq } : {}),
    ...(view === undefined ? {} : { view }),
  }
}

export function readFilter(hash: string): Filter {
  const given = new URLSearchParams(hash.replace(/^#/, ''))
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
