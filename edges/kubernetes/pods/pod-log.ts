/**
 * What the wrapper of a pod printed, as its kubelet has it and the API server passes it on.
 *
 * A container runtime cuts a long line into parts (containerd after 16 KiB). A kubelet joins the parts that it gives, under the time of
 * the first. But it counts each as a line for `tailLines`, and compares the time of each with `sinceTime`: the first line of an
 * answer may lack its beginning. Such a line is never shown: whoever hides secrets has to see it whole (OPERATIONS-10).
 */
import { invalidInput } from '../../../http/problems/problem.ts'
import type { LogWish, PodLog } from '../../ports/pods.ts'
import { answered, KubeError } from '../api/answers.ts'
import { pathOf, type KubeClient, type KubeObject } from '../api/api.ts'
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
    const part = await newest(client, object, { ...wish, cursor, isLive })
    // Of one without a node the server gives an empty log.
    const waits = part.lines.length === 0 && state.is === 'waiting' ? { waits: state.detail ?? state.reason } : {}
    return { ...read, ...waits, ...shown(part, wish, cursor) }
  } catch (error) {
    // Its container has not started.
    if (!answered(error, 400)) throw error
    const waits = (error as KubeError).message
    return { ...read, lines: [], isTruncated: false, cursor: wish.after ?? '', waits }
  }
}

interface Part {
  readonly lines: readonly Line[]
  /** There may be lines before these that were wanted too. */
  readonly isCut: boolean
}

const leftOut = '(a line is left out: it is too long to be shown whole)'

/**
 * More are asked for until nothing comes before the first line, or nobody wants it. And fewer where a kubelet stops at
 * `limitBytes`, for then it leaves out the newest.
 */
async function newest(
  client: Client,
  { metadata: { namespace = 'default', name } }: KubeObject,
  { lines: wanted, bytes, cursor, isLive }: LogWish & { readonly cursor: Cursor | undefined; readonly isLive: boolean },
): Promise<Part> {
  const path = pathOf(podsResource, { namespace, name, subresource: 'log' })
  const bounds = { container, limitBytes: bytes, timestamps: true }
  const common = cursor === undefined ? bounds : { ...bounds, sinceTime: wholeSecond(cursor.at) }
  let [isLess, before] = [false, '']
  // One more than is shown: whether there were earlier ones. And one that is half written.
  for (let tailLines = wanted + 2; ;) {
    const text = await client.ask<string>('GET', path, { query: { ...common, tailLines }, isText: true })
    const isFull = Buffer.byteLength(text) >= bytes
    if (isFull && tailLines > 1) {
      isLess = true
      tailLines = Math.ceil(tailLines / 2)
      continue
    }
    const lines = wholeLines(text, isLive && !isFull)
    const isWhole = text === '' || (!isLess && before !== '' && text.startsWith(before))
    if (isWhole || lines.length > wanted || knownOf(lines, cursor) > 0) return { lines, isCut: false }
    if (isLess) return { lines: withoutFirst(lines), isCut: true }
    before = text
    tailLines *= 2
  }
}

/** That one may lack its beginning, or its end where it is the only one. */
function withoutFirst([first, ...others]: readonly Line[]): readonly Line[] {
  return first === undefined || others.length > 0 ? others : [{ at: first.at, text: leftOut }]
}

function shown(
  { lines: all, isCut }: Part,
  { lines: most, after = '' }: LogWish,
  cursor: Cursor | undefined,
): Pick<Extract<PodLog, { readonly state: 'read' }>, 'lines' | 'isTruncated' | 'cursor'> {
  const added = all.slice(knownOf(all, cursor))
  const last = all.findLast(({ at }) => at !== '')?.at
  const next = last === undefined ? after : `${last}/${all.filter(({ at }) => at === last).length}`
  const isTruncated = added.length > most || isCut
  return { lines: added.slice(-most).map(({ text }) => text), isTruncated, cursor: next }
}

/** How many of these are read already. Times of one log are compared as texts: they have more digits than a Date. */
function knownOf(lines: readonly Line[], cursor: Cursor | undefined): number {
  if (cursor === undefined) return 0
  const { at, count } = cursor
  const first = lines.findIndex((line) => line.at === at)
  return first === -1 ? 0 : first + Math.min(count, lines.filter((line) => line.at === at).length)
}

/**
 * A kubelet gives a last line without its end while its container writes it. A first one without a time was begun before
 * `sinceTime`, unless it is all there is: then it is the kubelet's own words.
 */
function wholeLines(text: string, isGrowing: boolean): readonly Line[] {
  const parts = text.split('\n')
  const rest = parts.pop() ?? ''
  const lines = [...parts, ...(rest === '' || isGrowing ? [] : [rest])].map((line) => {
    const stamp = /^(\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})) ?/.exec(line)
    return stamp === null ? { at: '', text: line } : { at: stamp[1]!, text: line.slice(stamp[0].length) }
  })
  return lines.length > 1 && lines[0]!.at === '' ? lines.slice(1) : lines
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
