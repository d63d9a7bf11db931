/** The list at the left: read by kind, kept current by the feed. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { ActorRow } from '../answers.ts'
import type { StepMessage } from '../messages.ts'
import type { Group } from './actor-list.ts'
import { readActors } from './api.ts'

interface Actors {
  readonly groups: readonly Group[] | undefined
  more(kind: string): void
  take(step: StepMessage): void
}

interface Filter {
  readonly query: string
  readonly showEnded: boolean
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
  const { query, showEnded } = filter
  const read = (kind: string, cursor?: string): ReturnType<typeof readActors> =>
    readActors({
      kind,
      q: query,
      ...(showEnded ? {} : { status: 'active' }),
      ...(cursor === undefined ? {} : { cursor }),
    })

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
    withSteps(Promise.all(kinds.map(async (kind) => ({ kind, ...(await read(kind)), isLoading: false })))).then(
      (all) => void (isCurrent && setGroups(all.value.map(all.moved))),
      onError,
    )
    return () => void (isCurrent = false)
  }, [kinds, query, showEnded, round])

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
      setGroups((all) => all?.map((group) => moved(group, step, { query, showEnded })))
    },
    [query, showEnded],
  )
  return { groups, more, take }
}

function grown({ kind, items }: Group, more: readonly ActorRow[], nextCursor: string | undefined): Group {
  const known = new Set(items.map(({ address }) => address))
  return {
    kind,
    isLoading: false,
    items: [...items, ...more.filter(({ address }) => !known.has(address))],
    ...(nextCursor === undefined ? {} : { nextCursor }),
  }
}

/** A row keeps its place while it moves; one that ended stays until the list is read anew, so that nothing jumps away. */
function moved(group: Group, step: StepMessage, { query, showEnded }: Filter): Group {
  if (!step.address.startsWith(`${group.kind}:`)) return group
  const id = step.address.slice(group.kind.length + 1)
  const known = group.items.find(({ address }) => address === step.address)
  const row: ActorRow = {
    address: step.address,
    kind: group.kind,
    id,
    status: step.status,
    path: step.path,
    seq: step.seq,
    updatedAt: step.at,
    // What was read knew more than the path.
    standing: known?.path === step.path ? known.standing : step.standing,
  }
  if (known !== undefined)
    return known.seq >= step.seq ? group : { ...group, items: group.items.map((item) => (item === known ? row : item)) }
  const isWanted =
    (showEnded || step.status === 'active') && `${id} ${step.path}`.toLowerCase().includes(query.trim().toLowerCase())
  if (!isWanted) return group
  return { ...group, items: [...group.items, row].toSorted((one, other) => (one.address < other.address ? -1 : 1)) }
}
