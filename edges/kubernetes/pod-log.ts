/** What the wrapper of a pod printed, as its kubelet has it and the API server passes it on. */
import { invalidInput } from '../../http/problem.ts'
import type { LogWish, PodLog } from '../ports/pods.ts'
import { answered, KubeError } from './answers.ts'
import { pathOf, type KubeClient, type KubeObject } from './api.ts'
import { wrapperContainer as container } from './pod-manifest.ts'
import { podIdOf, podName } from './pod-names.ts'
import { podsResource } from './pod-requests.ts'
import { podState } from './pod-state.ts'

type Client = Pick<KubeClient, 'ask'>

interface Line {
  /** As the kubelet wrote it, in the time zone of its node. Empty: the kubelet's own words. */
  readonly at: string
  readonly text: string
}

/** What was read last: its time, and how many lines of that time were read. */
interface Cursor {
  readonly at: string
  readonly count: number
}

/** @throws Problem `invalid-input` for a cursor that it did not give. */
export async function podLog(client: Client, pod: string, wish: LogWish): Promise<PodLog> {
  const cursor = parseCursor(wish.after)
  try {
    // Before the log is read: what a pod printed last is not missed.
    const object = await client.ask('GET', pathOf(podsResource, podName(pod)))
    if (podIdOf(object) !== pod) return { state: 'gone' }
    return await readLog(client, object, wish, cursor)
  } catch (error) {
    if (answered(error, 404)) return { state: 'gone' }
    if (error instanceof KubeError) return { state: 'unreadable', detail: error.message }
    throw error
  }
}

async function readLog(client: Client, object: KubeObject, wish: LogWish, cursor: Cursor | undefined): Promise<PodLog> {
  const state = podState(object)
  const isLive = state.is !== 'ended'
  const read = { state: 'read', container, isLive } as const
  try {
    const part = await newest(client, object, wish, cursor)
    // Of one without a node the server gives an empty log.
    const waits = part.text === '' && state.is === 'waiting' ? { waits: state.detail ?? state.reason } : {}
    return { ...read, ...waits, ...shown(part, wholeLines(part.text, isLive && !part.isFull), wish, cursor) }
  } catch (error) {
    // Its container has not started.
    if (!answered(error, 400)) throw error
    const waits = (error as KubeError).message
    return { ...read, lines: [], isTruncated: false, cursor: wish.after ?? '', waits }
  }
}

interface Part {
  readonly text: string
  /** There may be lines before these that were wanted too. */
  readonly isCut: boolean
  /** One line, and the kubelet stopped in it. */
  readonly isFull: boolean
}

/** Where a kubelet stops at `limitBytes` it leaves out the newest lines: then fewer are asked for. */
async function newest(
  client: Client,
  { metadata: { namespace = 'default', name } }: KubeObject,
  { lines, bytes }: LogWish,
  cursor: Cursor | undefined,
): Promise<Part> {
  const path = pathOf(podsResource, { namespace, name, subresource: 'log' })
  const bounds = { container, limitBytes: bytes, timestamps: true }
  const common = cursor === undefined ? bounds : { ...bounds, sinceTime: wholeSecond(cursor.at) }
  // One more than is shown: whether there were earlier ones. And one that is half written.
  const most = lines + 2
  for (let tailLines = most; ; tailLines = Math.ceil(tailLines / 2)) {
    const text = await client.ask<string>('GET', path, { query: { ...common, tailLines }, isText: true })
    const isFull = Buffer.byteLength(text) >= bytes
    if (tailLines === 1 || !isFull) return { text, isCut: tailLines < most, isFull }
  }
}

function shown(
  { isCut }: Part,
  all: readonly Line[],
  { lines: most, after = '' }: LogWish,
  cursor: Cursor | undefined,
): Pick<Extract<PodLog, { readonly state: 'read' }>, 'lines' | 'isTruncated' | 'cursor'> {
  const known = cursor === undefined ? 0 : knownOf(all, cursor)
  const added = all.slice(known)
  const last = all.findLast(({ at }) => at !== '')?.at
  const next = last === undefined ? after : `${last}/${all.filter(({ at }) => at === last).length}`
  const isTruncated = added.length > most || (isCut && known === 0)
  return { lines: added.slice(-most).map(({ text }) => text), isTruncated, cursor: next }
}

/** How many of these are read already. Times of one log are compared as texts: they have more digits than a Date. */
function knownOf(lines: readonly Line[], { at, count }: Cursor): number {
  const first = lines.findIndex((line) => line.at === at)
  return first === -1 ? 0 : first + Math.min(count, lines.filter((line) => line.at === at).length)
}

/** A kubelet gives a last line without its end while its container writes it. */
function wholeLines(text: string, isGrowing: boolean): readonly Line[] {
  const lines = text.split('\n')
  const rest = lines.pop() ?? ''
  return [...lines, ...(rest === '' || isGrowing ? [] : [rest])].map((line) => {
    const stamp = /^(\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})) ?/.exec(line)
    return stamp === null ? { at: '', text: line } : { at: stamp[1]!, text: line.slice(stamp[0].length) }
  })
}

/** `sinceTime` knows no smaller part of a second. */
function wholeSecond(at: string): string {
  return new Date(Math.floor(Date.parse(at) / 1000) * 1000).toISOString().replace('.000Z', 'Z')
}

function parseCursor(after: string | undefined): Cursor | undefined {
  if (after === undefined) return undefined
  const [, at = '', count = ''] = /^(.+)\/(\d{1,6})$/.exec(after) ?? []
  if (Number.isNaN(Date.parse(at)))
    throw invalidInput([{ in: 'query', path: '/cursor', message: 'is no cursor of this log: start again without one' }])
  return { at, count: Number(count) }
}
