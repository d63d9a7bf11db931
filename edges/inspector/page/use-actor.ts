/** The one actor that is looked at: its facts, its history and its chart, read anew whenever it moved. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ActorAnswer, HistoryRow } from '../answers.ts'
import type { Chart } from '../charts/chart.ts'
import { ApiError, readActor, readChart, readHistory } from './api.ts'

export interface Watched {
  readonly actor: ActorAnswer | undefined
  readonly rows: readonly HistoryRow[] | undefined
  /** `null`: its kind has none. */
  readonly chart: Chart | null | undefined
  readonly isMissing: boolean
  readonly hasMore: boolean
  more(): void
}

interface Told {
  readonly address: string
  readonly actor: ActorAnswer
  readonly rows: readonly HistoryRow[]
  readonly nextCursor: string | undefined
}

/** `round` changes with every step of the actor. */
export function useActor(address: string | undefined, round: number, onError: (error: unknown) => void): Watched {
  const [told, setTold] = useState<Told>()
  const [missing, setMissing] = useState<string>()
  const reading = useRef(0)
  useEffect(() => {
    if (address === undefined) return
    const own = ++reading.current
    Promise.all([readActor(address), readHistory(address)]).then(
      ([actor, page]) => {
        if (own !== reading.current) return
        setMissing(undefined)
        setTold((before) => joined(before, { address, actor, rows: page.items, nextCursor: page.nextCursor }))
      },
      (error: unknown) => {
        if (own !== reading.current) return
        if (error instanceof ApiError && error.status === 404) setMissing(address)
        else onError(error)
      },
    )
  }, [address, round])
  const current = told?.address === address ? told : undefined
  const more = (): void => {
    if (current?.nextCursor === undefined) return
    readHistory(current.address, current.nextCursor).then(
      ({ items, nextCursor }) => setTold({ ...current, rows: [...current.rows, ...items], nextCursor }),
      onError,
    )
  }
  return {
    actor: current?.actor,
    rows: current?.rows,
    chart: useChart(current?.actor.kind, onError),
    isMissing: missing !== undefined && missing === address,
    hasMore: current?.nextCursor !== undefined,
    more,
  }
}

/** Earlier pages that were read stay. */
function joined(before: Told | undefined, now: Told): Told {
  const oldest = now.rows.at(-1)?.seq ?? 0
  const kept = before?.address === now.address ? before.rows.filter(({ seq }) => seq < oldest) : []
  return kept[0]?.seq === oldest - 1 ? { ...now, rows: [...now.rows, ...kept], nextCursor: before?.nextCursor } : now
}

function useChart(kind: string | undefined, onError: (error: unknown) => void): Chart | null | undefined {
  const [charts, setCharts] = useState<Readonly<Record<string, Chart | null>>>({})
  useEffect(() => {
    if (kind === undefined || kind in charts) return
    const keep = (chart: Chart | null): void => setCharts((all) => ({ ...all, [kind]: chart }))
    readChart(kind).then(keep, (error: unknown) =>
      error instanceof ApiError && error.status === 404 ? keep(null) : onError(error),
    )
  }, [kind])
  return kind === undefined ? undefined : charts[kind]
}
