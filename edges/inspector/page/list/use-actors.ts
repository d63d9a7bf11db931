/** The list at the left: read by kind, kept current by the feed. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { ActorRow } from '../../readings/answers.ts'
import { isFoundBy } from '../../../../machines/why/search.ts'
import type { StepMessage } from '../../messages.ts'
import type { Group } from './actor-list.ts'
import { readActors } from '../api.ts'
import { filterNames, type Filter } from '../selection.ts'

interface Actors {
  readonly groups: readonly Group[] | undefined
  more(kind: string): void
  take(step: StepMessage): void
}

/** `round` changes whenever everything has to be read anew. */
export function useActors(
  kinds: readonly string[] | undefined,
  filter: Filter,
  round: number,
  onError: (error: unknown) => void,
): Actors {
  const [groups, setGroups] = useState<readonly Group[]>()
  const latest = useRef<readonly Group[] | undefined>(undefined)
  latest.current = groups
  const readings = useRef(new Set<StepMessage[]>())
  const read = (kind: string, cursor?: string): ReturnType<typeof readActors> => readActors(kind, filter, { cursor })
  const wanted = filterNames.map((name) => filter[name]).join('\n')

  /** What was read, and the steps that came meanwhile: the store may have been read before them. */
  const withSteps = async <T>(reading: Promise<T>): Promise<{ readonly value: T; moved(group: Group): Group }> => {
    const steps: StepMessage[] = []
    readings.current.add(steps)
    try {
      const value = await reading
      return { value, moved: (group) => steps.reduce((now, step) => moved(now, step, filter), group) }
    } finally {
      readings.current.delete(steps)
    }
  }

  useEffect(() => {
    if (kinds === undefined) return
    let isCurrent = true
    const shown = kinds.filter((kind) => filter.kind === '' || filter.kind === kind)
    withSteps(Promise.all(shown.map(async (kind) => ({ kind, ...(await read(kind)), isLoading: false })))).then(
      (all) => void (isCurrent && setGroups(all.value.map(all.moved))),
      onError,
    )
    return () => void (isCurrent = false)
  }, [kinds, wanted, round])

  const more = (kind: string): void => {
    const group = latest.current?.find((one) => one.kind === kind)
    if (group?.nextCursor === undefined || group.isLoading) return
    setGroups((all) => all?.map((one) => (one.kind === kind ? { ...one, isLoading: true } : one)))
    withSteps(read(kind, group.nextCursor)).then((page) => {
      const { items, nextCursor } = page.value
      setGroups((all) => all?.map((one) => (one.kind === kind ? page.moved(grown(one, items, nextCursor)) : one)))
    }, onError)
  }
  const take = useCallback(
    (step: StepMessage) => {
      for (const steps of readings.current) steps.push(step)
      setGroups((all) => all?.map((group) => moved(group, step, filter)))
    },
    [wanted],
  )
  return { groups, more, take }
}

function grown({ kind, items, total }: Group, more: readonly ActorRow[], nextCursor: string | undefined): Group {
  const known = new Set(items.map(({ address }) => address))
  return {
    kind,
    total,
    isLoading: false,
    items: [...items, ...more.filter(({ address }) => !known.has(address))],
    ...(nextCursor === undefined ? {} : { nextCursor }),
  }
}

/**
 * A row keeps its place while it moves; one that ended stays until the list is read anew, so that nothing jumps away. Of a
 * step the page does not know the Project: where the filter wants them, a new row comes with the next reading.
 */
function moved(group: Group, step: StepMessage, filter: Filter): Group {
  if (!step.address.startsWith(`${group.kind}:`)) return group
  const id = step.address.slice(group.kind.length + 1)
  const known = group.items.find(({ address }) => address === step.address)
  const title = step.title ?? known?.title
  const row: ActorRow = {
    address: step.address,
    kind: group.kind,
    id,
    status: step.status,
    path: step.path,
    seq: step.seq,
    updatedAt: step.at,
    standing: step.standing,
    ...(title === undefined ? {} : { title }),
  }
  if (known !== undefined)
    return known.seq >= step.seq ? group : { ...group, items: group.items.map((item) => (item === known ? row : item)) }
  if (!isWanted(row, filter)) return group
  const place = filter.sort === 'newest' ? 0 : group.items.findIndex(({ address }) => address > row.address)
  // It belongs behind what is read.
  if (place < 0 && group.nextCursor !== undefined) return group
  const items = place < 0 ? [...group.items, row] : group.items.toSpliced(place, 0, row)
  return { ...group, items, total: group.total + 1 }
}

function isWanted({ address, path, status }: ActorRow, filter: Filter): boolean {
  const { q, state, ended, kind: _, sort: __, ...texts } = filter
  return (
    Object.values(texts).every((text) => text === '') &&
    (ended !== 'no' || status === 'active') &&
    isFoundBy(q, { words: address.toLowerCase() }) &&
    path.toLowerCase().includes(state.trim().toLowerCase())
  )
}
