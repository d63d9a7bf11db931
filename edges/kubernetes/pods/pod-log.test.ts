import { expect, test } from 'vitest'
import { Problem } from '../../../http/problems/problem.ts'
import type { LogWish, PodLog } from '../../ports/pods.ts'
import { KubeError } from '../api/answers.ts'
import type { KubeClient, Question } from '../api/api.ts'
import { podLog } from './pod-log.ts'
import { aPodSpec } from '../testing/pod-fixture.ts'
import { runningStatus, terminatedStatus, unschedulableStatus } from '../testing/pod-objects.ts'
import { podPath, podScene } from '../testing/pod-scene.ts'

const { pod } = aPodSpec()
const wish = { lines: 3, bytes: 1_000 }

type Query = NonNullable<Question['query']>

interface Cluster {
  /** What the kubelet has; the newest last. */
  readonly log: string[]
  /** Its last line without an end, which counts as one. */
  half?: string
  status: object
  refusal?: KubeError
  readonly asked: Query[]
  readonly client: Pick<KubeClient, 'ask'>
}

const partMark = '\u0000'

/**
 * As k8s.io/cri-client v0.36.3 does, whose ReadLogs gave the same of six such files: first the tail, then what came before
 * `sinceTime`, then what is beyond `limitBytes`. Each part of a line counts, and has its own time, shown of a first one alone.
 */
function kubeletText({ log, half }: Cluster, { tailLines, limitBytes, sinceTime = '' }: Query): string {
  const entries = half === undefined ? log : [...log, `${half}${partMark}`]
  const since = String(sinceTime).replace('Z', '')
  let [text, isBegun] = ['', false]
  for (const entry of entries.slice(-Number(tailLines))) {
    const isPart = entry.endsWith(partMark)
    const words = isBegun ? entry.slice(entry.indexOf(' ') + 1) : entry
    if (entry >= since) text += isPart ? words.slice(0, -1) : `${words}\n`
    isBegun = isPart
  }
  return Buffer.from(text).subarray(0, Number(limitBytes)).toString()
}

async function aCluster(): Promise<Cluster> {
  const { server, pods } = podScene()
  await pods.create(aPodSpec())
  const asked: Query[] = []
  const cluster: Cluster = {
    log: [],
    status: runningStatus,
    asked,
    client: {
      ask: async (method, path, question = {}) => {
        if (path !== `${podPath}/log`) {
          server.put(podPath, { status: cluster.status })
          return server.ask(method, path, question)
        }
        expect(question.isText).toBe(true)
        asked.push(question.query!)
        if (cluster.refusal !== undefined) throw cluster.refusal
        return kubeletText(cluster, question.query!) as never
      },
    },
  }
  return cluster
}

const at = (nanos: number, text: string): string => `2026-01-01T00:00:00.${String(nanos).padStart(9, '0')}Z ${text}`
const part = (nanos: number, text: string): string => `${at(nanos, text)}${partMark}`

/** What the log is read as. */
async function readOf(cluster: Cluster, own: Partial<LogWish> = {}): Promise<Extract<PodLog, { state: 'read' }>> {
  const log = await podLog(cluster.client, pod, { ...wish, ...own })
  if (log.state !== 'read') throw new Error(log.state)
  return log
}

test('the newest lines of the wrapper, without their times, and whether there were earlier ones (OPERATIONS-9)', async () => {
  const cluster = await aCluster()
  cluster.log.push(at(1, 'one'), at(2, 'two'), at(3, ''))
  const read = { state: 'read', container: 'wrapper', isLive: true }
  const cursor = '2026-01-01T00:00:00.000000003Z/1'
  expect(await podLog(cluster.client, pod, wish)).toEqual({
    ...read,
    lines: ['one', 'two', ''],
    isTruncated: false,
    cursor,
  })
  expect(await podLog(cluster.client, pod, { ...wish, lines: 1 })).toEqual({
    ...read,
    lines: [''],
    isTruncated: true,
    cursor,
  })
  expect(cluster.asked[0]).toEqual({ container: 'wrapper', tailLines: 5, limitBytes: 1_000, timestamps: true })
})

test('a cursor gives what came since, also of the same time (OPERATIONS-9)', async () => {
  const cluster = await aCluster()
  cluster.log.push(at(1, 'one'), at(2, 'two'))
  const first = await podLog(cluster.client, pod, wish)
  if (first.state !== 'read') throw new Error(first.state)
  cluster.log.push(at(2, 'of the same time'), at(3, 'three'))
  const next = await podLog(cluster.client, pod, { ...wish, lines: 9, after: first.cursor })
  expect(next).toMatchObject({ lines: ['of the same time', 'three'], isTruncated: false })
  expect(cluster.asked.at(-1)).toMatchObject({ sinceTime: '2026-01-01T00:00:00Z' })
  if (next.state !== 'read') throw new Error(next.state)
  expect(await podLog(cluster.client, pod, { ...wish, after: next.cursor })).toMatchObject({
    lines: [],
    cursor: next.cursor,
  })
  cluster.log.push(...[4, 5, 6, 7].map((nanos) => at(nanos, `${nanos}`)))
  expect(await podLog(cluster.client, pod, { ...wish, after: next.cursor })).toMatchObject({
    lines: ['5', '6', '7'],
    isTruncated: true,
  })
})

test('where a kubelet would leave out the newest lines, fewer are asked for', async () => {
  const cluster = await aCluster()
  cluster.log.push(...Array.from({ length: 100 }, (_, index) => at(index, `line ${index} ${'x'.repeat(50)}`)))
  const log = await podLog(cluster.client, pod, { lines: 50, bytes: 1_000 })
  if (log.state !== 'read') throw new Error(log.state)
  expect(log.isTruncated).toBe(true)
  expect(log.lines.map((line) => line.split(' ')[1])).toEqual(['94', '95', '96', '97', '98', '99'])
  expect(cluster.asked.map(({ tailLines }) => tailLines)).toEqual([52, 26, 13, 7])
  cluster.log.push(at(101, 'y'.repeat(2_000)))
  expect(await readOf(cluster, { lines: 50 })).toMatchObject({ lines: [tooLong], isTruncated: true })
})

const tooLong = '(a line is left out: it is too long to be shown whole)'

test('the parts of a long line come as one line, or not at all: nobody sees a secret of which a part is missing (OPERATIONS-10)', async () => {
  const cluster = await aCluster()
  cluster.log.push(at(1, 'one'), part(2, '{"token":"the-mod'), part(3, 'el-key and '), at(4, 'more"}'), at(5, 'five'))
  const whole = '{"token":"the-model-key and more"}'
  expect(await readOf(cluster, { lines: 9 })).toMatchObject({ lines: ['one', whole, 'five'], isTruncated: false })
  expect(await readOf(cluster, { lines: 2 })).toMatchObject({ lines: [whole, 'five'], isTruncated: true })
  expect(await readOf(cluster, { lines: 1 })).toMatchObject({ lines: ['five'], isTruncated: true })
  // Where even the parts do not fit, what is left of the line is not shown.
  for (let bytes = 45; bytes < 200; bytes += 1)
    for (const line of (await readOf(cluster, { lines: 9, bytes })).lines)
      expect(['one', whole, 'five', tooLong]).toContain(line)
})

test('of a line that began before the cursor’s second the rest is not shown again', async () => {
  const cluster = await aCluster()
  const later = (text: string): string => text.replace('00:00:00', '00:00:01')
  cluster.log.push(part(900_000_000, 'the-mod'), later(at(1, 'el-key')), later(at(2, 'two')))
  const { cursor } = await readOf(cluster)
  expect(cursor).toBe('2026-01-01T00:00:01.000000002Z/1')
  cluster.log.push(later(at(3, 'three')))
  expect(await readOf(cluster, { after: cursor })).toMatchObject({ lines: ['three'], isTruncated: false })
  // The file with the line of the cursor was rotated away meanwhile.
  cluster.log.splice(2, 1)
  expect(await readOf(cluster, { after: cursor })).toMatchObject({ lines: ['three'] })
})

test('a line that is too long to be shown is left out once, and what comes after it is shown', async () => {
  const cluster = await aCluster()
  cluster.log.push(...Array.from({ length: 8 }, (_, index) => part(index, 'x'.repeat(300))), at(9, 'end'))
  const { lines, cursor } = await readOf(cluster)
  expect(lines).toEqual([tooLong])
  expect(await readOf(cluster, { after: cursor })).toMatchObject({ lines: [] })
  cluster.log.push(at(10, 'ten'))
  expect(await readOf(cluster, { after: cursor })).toMatchObject({ lines: ['ten'] })
})

test('a line that is half written waits for its end, or for the end of the pod', async () => {
  const cluster = await aCluster()
  cluster.log.push(at(1, 'one'))
  cluster.half = at(2, 'ha')
  const first = await podLog(cluster.client, pod, { ...wish, lines: 1 })
  expect(first).toMatchObject({ lines: ['one'], isTruncated: false, cursor: '2026-01-01T00:00:00.000000001Z/1' })
  cluster.status = terminatedStatus({ exitCode: 1, reason: 'Error' })
  expect(await podLog(cluster.client, pod, wish)).toMatchObject({ isLive: false, lines: ['one', 'ha'] })
})

test('a pod that has ended has its log as long as its object is there', async () => {
  const cluster = await aCluster()
  cluster.status = terminatedStatus({ exitCode: 1, reason: 'Error' })
  cluster.log.push(at(1, 'last words'))
  expect(await podLog(cluster.client, pod, wish)).toMatchObject({ isLive: false, lines: ['last words'] })
  expect(await podLog(cluster.client, 'default/implement-a-1/3', wish)).toEqual({ state: 'gone' })
})

test('a container that waits has printed nothing, and why it waits comes with that (OPERATIONS-9)', async () => {
  const cluster = await aCluster()
  const message = 'container "wrapper" in pod "implement-a-1-2" is waiting to start: ContainerCreating'
  cluster.refusal = new KubeError({ code: 400, reason: 'BadRequest', message })
  expect(await podLog(cluster.client, pod, wish)).toMatchObject({
    state: 'read',
    isLive: true,
    lines: [],
    cursor: '',
    waits: message,
  })
})

test('a pod without a node has an empty log, and why it has none comes with that (OPERATIONS-9)', async () => {
  const cluster = await aCluster()
  cluster.status = unschedulableStatus()
  const waits = '0/3 nodes are available'
  expect(await podLog(cluster.client, pod, wish)).toMatchObject({ isLive: true, lines: [], cursor: '', waits })
})

test.each([
  [403, 'pods "x" is forbidden'],
  [500, 'the kubelet does not answer'],
  [0, 'ECONNREFUSED'],
])('a refusal with %s is an answer with its words (OPERATIONS-11)', async (code, message) => {
  const cluster = await aCluster()
  cluster.refusal = new KubeError({ code, reason: 'x', message })
  expect(await podLog(cluster.client, pod, wish)).toEqual({ state: 'unreadable', detail: message })
})

test('a cursor of another log is refused', async () => {
  const cluster = await aCluster()
  for (const after of ['14', '', 'x/1'])
    await expect(podLog(cluster.client, pod, { ...wish, after })).rejects.toThrow(Problem)
})
