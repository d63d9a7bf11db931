import { bareName } from '../../../../crd/resource-id.ts'
import type { HistoryRow } from '../../readings/answers.ts'

/** Of a word. */
const mostLetters = 60
/** Of a row: the place is narrow, and the step has all. */
const mostWords = 4

/** What makes an event another than one of the same name, by the order in which it is read; a name where the value alone says too little. */
const fields: readonly (readonly [field: string, name?: string])[] = [
  ...([
    ['pod', 'pod'],
    ['turn', 'turn'],
    ['attempt', 'attempt'],
    ['eventsUpTo', 'events up to'],
  ] as const),
  ...([['state'], ['ci', 'checks'], ['agentKind'], ['kind'], ['action'], ['verdict'], ['sort'], ['cause']] as const),
  ...([['reason'], ['stopReason'], ['author'], ['by'], ['name']] as const),
]
const origins = ['task', 'entry', 'project'] as const

type Fields = Readonly<Record<string, unknown>>

/** In a few words what tells this event from others of its name; empty: nothing that it has. */
export function eventWords({ type, event, key }: Pick<HistoryRow, 'type' | 'event' | 'key'>): string {
  const own = fieldsOf(event)
  const given = { ...fieldsOf(own['facts']), ...own }
  const words = [threadOf(type, key, given), headOf(given), ...fields.map((field) => wordOf(given, field))]
  const found = words.filter((word) => word !== '').slice(0, mostWords)
  return found.length > 0 ? found.join(', ') : originOf(given, key)
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function threadOf(type: string, key: string, { repository, number }: Fields): string {
  if (typeof repository !== 'string') return ''
  return typeof number === 'number'
    ? `${repository}${type.startsWith('mr.') || key.startsWith('merge-request:') ? '!' : '#'}${number}`
    : repository
}

function headOf({ sha, headSha = sha }: Fields): string {
  return typeof headSha === 'string' && headSha !== '' ? `head ${headSha.slice(0, 8)}` : ''
}

function wordOf(given: Fields, [field, name = '']: (typeof fields)[number]): string {
  const value = given[field]
  if (typeof value !== 'string' && typeof value !== 'number') return ''
  const [line = ''] = String(value).split('\n', 1)
  const word = line.length > mostLetters ? `${line.slice(0, mostLetters - 1).toWellFormed()}…` : line
  return word === '' ? '' : `${name} ${word}`.trim()
}

/** An event of another actor has a key that begins with that one's address (R6). */
function originOf(given: Fields, key: string): string {
  const named = origins.map((field) => wordOf(given, [field])).find((word) => word !== '')
  if (named !== undefined) return bareName(named)
  const [, kind, id] = /^([a-z-]+):(.+?)\/\d+\/\d+$/.exec(key) ?? []
  return kind === undefined || id === undefined || kind === 'timer' ? '' : `from ${kind} ${bareName(id)}`
}
