/** The one actor that is looked at: its facts, its history and its chart, read anew whenever it moved. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ActorAnswer, HistoryRow } from '../../readings/answers.ts'
import type { Chart } from '../../charts/chart.ts'
import { ApiError, readActor, readChart, readHistory, type Page } from '../api.ts'

export interface Watched {
  readonly actor: ActorAnswer | undefined
  /** Newest first, without a gap. */
  readonly rows: readonly HistoryRow[] | undefined
  /** `null`: its kind has none. */
  readonly chart: Chart | null | undefined
  readonly isMissing: boolean
  /** The step that is looked at does not exist, or is no longer kept. */
  readonly isAbsent: boolean
  /** Absent: there is none in that direction. */
  readonly newer: (() => void) | undefined
  readonly older: (() => void) | undefined
}

interface Loaded extends Page<HistoryRow> {
  readonly address: string
  readonly actor: ActorAnswer
  /** Of which reading it is; undefined: somebody looked elsewhere since, and its steps went unheard. */
  readonly round: number | undefined
  /** A step that was read and is not there. */
  readonly absent?: number | undefined
}

/** Of the steps before the one that is looked at: what led to it. */
const shownBefore = 50

/** `seq`: the step that is looked at; absent: the newest. `round` changes with every step of the actor. */
export function useActor(
  address: string | undefined,
  seq: number | undefined,
  round: number,
  onError: (error: unknown) => void,
): Watched {
  const [loaded, setLoaded] = useState<Loaded>()
  const [missing, setMissing] = useState<string>()
  const reading = useRef(0)
  const current = loaded?.address === address ? loaded : undefined
  const wanted = seq ?? Infinity
  const isThere = hasStep(current, wanted)
  const isAnswered = isThere || current?.absent === wanted
  useEffect(() => setLoaded((before) => before && { ...before, round: undefined }), [address])
  useEffect(() => {
    const own = ++reading.current
    if (address === undefined || (isAnswered && current?.round === round)) return
    Promise.all([readActor(address), readAround(current, address, wanted)]).then(
      ([actor, read]) => {
        if (own !== reading.current) return
        setMissing(undefined)
        setLoaded((before) => {
          const page = (before?.address === address && joined(before, read)) || read
          const now = { ...page, address, actor, round }
          // Of a step that was there nothing was asked: new ones may have pushed it out.
          return isThere || hasStep(now, wanted) ? now : { ...now, absent: wanted }
        })
      },
      (error: unknown) => {
        if (own !== reading.current) return
        // No actor has an address that the server refuses.
        if (error instanceof ApiError && [400, 404].includes(error.status)) setMissing(address)
        else onError(error)
      },
    )
  }, [address, round, wanted, isAnswered])
  const goOn = (at: Parameters<typeof readHistory>[1]): void => {
    if (address === undefined) return
    readHistory(address, at).then(
      (page) => setLoaded((before) => (before?.address === address ? { ...before, ...joined(before, page) } : before)),
      onError,
    )
  }
  const [newest] = current?.items ?? []
  const cursor = current?.nextCursor
  return {
    actor: current?.actor,
    rows: current?.items,
    chart: useChart(current?.actor.kind, onError),
    isMissing: missing !== undefined && missing === address,
    isAbsent: seq !== undefined && current?.absent === seq,
    newer: newest === undefined || hasStep(current, Infinity) ? undefined : () => goOn({ from: newest.seq + 1 }),
    older: cursor === undefined ? undefined : () => goOn({ cursor }),
  }
}

/** `Infinity` stands for the newest. Actor and history are two readings, and either may be ahead. */
function hasStep(loaded: Pick<Loaded, 'items' | 'actor'> | undefined, wanted: number): boolean {
  if (loaded === undefined) return false
  const { items, actor } = loaded
  return wanted === Infinity ? (items[0]?.seq ?? 0) >= actor.seq : items.some(({ seq }) => seq === wanted)
}

/** Nothing is new around a step that is there, but for what came behind the newest. */
async function readAround(loaded: Loaded | undefined, address: string, wanted: number): Promise<Page<HistoryRow>> {
  if (wanted === Infinity || (hasStep(loaded, wanted) && hasStep(loaded, Infinity))) return readHistory(address)
  return loaded !== undefined && hasStep(loaded, wanted)
    ? loaded
    : readHistory(address, { from: Math.max(1, wanted - shownBefore) })
}

/** Undefined: there is a gap between them. */
function joined(before: Page<HistoryRow>, page: Page<HistoryRow>): Page<HistoryRow> | undefined {
  const bySeq = new Map([...before.items, ...page.items].map((row) => [row.seq, row]))
  const items = [...bySeq.values()].toSorted((one, other) => other.seq - one.seq)
  const oldest = items.at(-1)
  if (items.some(({ seq }, index) => seq !== (items[0]?.seq ?? 0) - index)) return undefined
  const { nextCursor } = page.items.length === 0 || oldest === page.items.at(-1) ? page : before
  return { items, nextCursor }
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
