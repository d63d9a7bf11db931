/** What lists and board are filtered by. What there is to choose comes from the server once somebody wants it, never with a key. */
import { h, type ComponentChild } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ChoicesAnswer } from '../../readings/answers.ts'
import { readActors, readChoices } from '../api.ts'
import { filterNames, longestText, none, type Filter } from '../selection.ts'
import { refine, useView } from '../view.ts'

interface NothingProps {
  readonly kinds: readonly string[]
}

interface FiltersProps extends NothingProps {
  /** Changes whenever everything has to be read anew. */
  readonly round: number
}

type FilterName = keyof Filter
type Choice = ChoicesAnswer['items'][number]
type Option = readonly [value: string, text: string]

const minute = 60_000
const rests: readonly Option[] = [
  ['', 'any time'],
  [`${10 * minute}`, '10 min'],
  [`${60 * minute}`, '1 h'],
  [`${24 * 60 * minute}`, '1 d'],
]

/** Folded, for most people search. */
export function Filters({ kinds, round }: FiltersProps): ComponentChild {
  const { filter } = useView()
  const [openings, setOpenings] = useState(0)
  const used = filterNames.filter((name) => name !== 'q' && filter[name] !== '')
  const items = useChoices(kinds.length > 0 && (openings > 0 || used.length > 0), `${openings} ${round}`)
  const ofKind = items.filter(({ kind }) => filter.kind === '' || kind === filter.kind)
  const select = (name: FilterName, label: string, options: readonly Option[]): ComponentChild =>
    choice(label, name, options, filter[name], (value) => refine({ ...filter, [name]: value }))
  const onToggle = ({ currentTarget }: Toggled): void => void (currentTarget.open && setOpenings(openings + 1))
  return h('details', { class: 'filters', onToggle }, [
    h('summary', null, used.length === 0 ? 'Filters' : `Filters (${used.length})`),
    select('kind', 'kind', [['', 'all'], ...optionsOf(items, 'kind')]),
    (['project', 'repository'] as const).map((name) => select(name, name, [any, ...optionsOf(ofKind, name)])),
    person(filter, ofKind),
    select('reason', 'reason', [any, ...optionsOf(ofKind, 'reason')]),
    stateChoice(filter, items),
    select('rests', 'no step for', rests),
    select('sort', 'order', [
      ['', 'by name'],
      ['newest', 'last step first'],
    ]),
    select('ended', 'ended', [
      ['', 'shown'],
      ['no', 'left out'],
    ]),
    used.length === 0 ? null : h('button', { onClick: () => refine({ ...none, q: filter.q }) }, 'Clear'),
  ])
}

interface Toggled {
  readonly currentTarget: HTMLDetailsElement
}

const any: Option = ['', 'any']

/** Read anew with each other `round`. */
function useChoices(isWanted: boolean, round: string): readonly Choice[] {
  const [items, setItems] = useState<readonly Choice[]>([])
  useEffect(() => {
    // Where they cannot be read, the list cannot either, and the page says so.
    if (isWanted)
      void readChoices().then(
        (answer) => setItems(answer.items),
        () => undefined,
      )
  }, [isWanted, round])
  return items
}

/** Those of several kinds are one, as they are chosen at once. */
function optionsOf(items: readonly Choice[], name: FilterName): readonly Option[] {
  const byValue = Map.groupBy(
    items.filter(({ filter }) => filter === name),
    ({ value }) => value,
  )
  const sums = [...byValue.values()].flatMap((same) =>
    same.slice(0, 1).map((one) => ({ ...one, count: same.reduce((sum, { count }) => sum + count, 0) })),
  )
  return sums.toSorted((a, b) => b.count - a.count).map((one) => [one.value, counted(one)])
}

function counted({ text, count }: Choice): string {
  return `${text} (${count.toLocaleString('en-US')})`
}

/** There are too many to choose from; a browser offers what is typed. */
function person(filter: Filter, items: readonly Choice[]): ComponentChild {
  return h('label', null, [
    h('span', null, 'person'),
    h('input', {
      name: 'person',
      list: 'persons',
      maxLength: longestText,
      autocapitalize: 'none',
      spellcheck: false,
      value: filter.person,
      onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
        refine({ ...filter, person: currentTarget.value }),
    }),
    h(
      'datalist',
      { id: 'persons' },
      optionsOf(items, 'person').map(([value, text]) => h('option', { value }, text)),
    ),
  ])
}

/** A state is one of a kind, so it chooses the kind too. All of them stay, so that the keys of a closed field go through them. */
function stateChoice(filter: Filter, items: readonly Choice[]): ComponentChild {
  const states = items.filter((one) => one.filter === 'state').toSorted((a, b) => (a.kind < b.kind ? -1 : 1))
  const valueOf = ({ kind, value }: Choice): string => `${kind} ${value}`
  const chosen = states.find(({ kind, value }) => kind === filter.kind && isSame(value, filter.state))
  const options = states.map((one): Option => [valueOf(one), `${one.kind}: ${counted(one)}`])
  return choice('state', 'state', [any, ...options], chosen === undefined ? filter.state : valueOf(chosen), (value) => {
    const [kind = '', state] = value.split(' ')
    refine(state === undefined ? { ...filter, state: value } : { ...filter, kind, state })
  })
}

function choice(
  label: string,
  name: string,
  options: readonly Option[],
  given: string,
  take: (value: string) => void,
): ComponentChild {
  const isKnown = options.some(([value]) => isSame(value, given))
  const all = isKnown ? options : [...options, [given, given] as const]
  return h('label', null, [
    h('span', null, label),
    h(
      'select',
      { name, onChange: (event: Event) => take((event.target as HTMLSelectElement).value) },
      all.map(([value, text]) => h('option', { value, selected: isSame(value, given) }, text)),
    ),
  ])
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

const words: { readonly [name in FilterName]?: (value: string) => string } = {
  q: (value) => `the search “${value}”`,
  rests: (value) => `no step for ${rests.find(([known]) => known === value)?.[1] ?? value}`,
  ended: () => 'ended left out',
}

/** As a person reads it, of one that is used. */
export function filterWords(filter: Filter, name: FilterName): string {
  return words[name]?.(filter[name]) ?? `${name} “${filter[name]}”`
}

/** Each of these readings is one of a list, so they wait until nobody types, and for each other: lists and board come first. */
const restMs = 500

const wordNames = ['project', 'repository', 'person', 'reason'] as const

/** Those that have words of all that is chosen: of others the filter finds none. */
function kindsWith(filter: Filter, kinds: readonly string[], items: readonly Choice[]): readonly string[] {
  const chosen = wordNames.filter((name) => filter[name] !== '')
  const has = (kind: string, name: FilterName): boolean => items.some((one) => one.kind === kind && one.filter === name)
  return kinds.filter((kind) => (filter.kind === '' || filter.kind === kind) && chosen.every((name) => has(kind, name)))
}

/** Why a list is empty: which of its filters left something out, and how much. */
export function NothingMatches({ kinds }: NothingProps): ComponentChild {
  const { filter } = useView()
  const [found, setFound] = useState<readonly (readonly [FilterName, number])[]>([])
  const used = filterNames.filter((name) => name !== 'sort' && filter[name] !== '')
  useEffect(() => {
    const asking = new AbortController()
    const { signal } = asking
    setFound([])
    const ask = async (): Promise<void> => {
      const { items } = await readChoices()
      for (const name of used) {
        const rest = { ...filter, [name]: '' }
        let total = 0
        for (const kind of kindsWith(rest, kinds, items)) {
          if (signal.aborted) return
          total += (await readActors(kind, rest, { most: 1, signal })).total
        }
        if (total > 0) setFound((before) => [...before, [name, total]])
      }
    }
    // Where they cannot be read, the list cannot either, and the page says so.
    const timer = setTimeout(() => void ask().catch(() => undefined), restMs)
    return () => {
      asking.abort()
      clearTimeout(timer)
    }
  }, [filter])
  const all = used.map((name) => filterWords(filter, name)).join(' and ')
  return h('div', { class: 'empty', role: 'status' }, [
    h(
      'p',
      null,
      used.length === 0 ? 'No actor lives yet. Each shows up here with its first event.' : `Nothing matches ${all}.`,
    ),
    found.map(([name, total]) =>
      h('p', null, [
        h('button', { onClick: () => refine({ ...filter, [name]: '' }) }, `Drop ${filterWords(filter, name)}`),
        ` ${total < 1000 ? total : '1,000+'} without it`,
      ]),
    ),
  ])
}
