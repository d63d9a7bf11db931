/** MEMORY-HEALTH-2: what the longest turn of the serving thread costs of a large job, by CPU and not by time. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sleep, systemClock } from '../runtime/clock.ts'
import type { Measured } from './testing/measured-service.ts'

let service: ChildProcess
let url: string

beforeAll(async () => {
  service = fork(new URL('./testing/measured-service.ts', import.meta.url), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  ;({ url } = await nextMessage<{ url: string }>())
  // What a process does once (to compile, to open files) is no job's.
  await storeText('The Harbour opens at six.')
  await pushGraph(500)
}, 60_000)
afterAll(async () => {
  const ended = once(service, 'exit')
  service.send('close')
  await ended
})

async function nextMessage<T>(): Promise<T> {
  const ended = new AbortController()
  const exit = once(service, 'exit', ended).then(() => Promise.reject(new Error('the service ended')))
  const [message] = await Promise.race([once(service, 'message', ended), exit])
  ended.abort()
  exit.catch(() => undefined)
  return message as T
}

async function ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: 'Bearer good', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  expect(answer.status, path).toBeLessThan(300)
  return (await answer.json()) as Record<string, unknown>
}

/**
 * The least share of three runs, or the first below the limit. What the job itself does in one turn stands in each
 * of them; a collection of garbage that happened to come does not (once 3 % in CI, for 0.5 to 0.9 elsewhere).
 */
async function leastShare(name: string, most: number, job: (attempt: number) => Promise<unknown>): Promise<number> {
  let least = Infinity
  for (let attempt = 0; attempt < 3 && least >= most; attempt++)
    least = Math.min(least, await shareOf(name, () => job(attempt)))
  return least
}

async function shareOf(name: string, job: () => Promise<unknown>): Promise<number> {
  service.send('begin')
  await nextMessage()
  await job()
  service.send('end')
  const { longestTurnMs, jobMs } = await nextMessage<Measured>()
  const share = (100 * longestTurnMs) / jobMs
  console.log(
    `${name}: longest turn ${longestTurnMs.toFixed(1)} ms of ${jobMs.toFixed(0)} ms, ${share.toFixed(2)} % (goal 1 %)`,
  )
  return share
}

async function settled(path: string, isOver: (body: Record<string, unknown>) => boolean): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (isOver(await ask('GET', path))) return
    await sleep(systemClock, 100)
  }
  throw new Error(`${path} does not come to its end`)
}

async function storeText(text: string): Promise<void> {
  const { id } = await ask('POST', '/memories', { text })
  await settled(`/memories/${String(id)}`, ({ status }) => status === 'ready')
}

async function pushGraph(edges: number): Promise<void> {
  const relations = Array.from({ length: edges }, (_, at) => ({
    from: `a${at % 500}`,
    to: `b${at}`,
    relation: `r${at}`,
  }))
  const files = [{ file: 'a.ts', sha: '1' }]
  const entities = Array.from({ length: 500 }, (_, at) => ({
    id: `a${at}`,
    type: 'function',
    name: `a${at}`,
    file: 'a.ts',
  }))
  await ask('POST', `/code-graph:bulk?repo=r${edges}`, { mode: 'snapshot', files, entities, edges: relations })
  const { items } = await ask('GET', `/code/neighbors?repo=r${edges}&id=a1&relation=r${edges - 499}`)
  expect(items).toMatchObject([{ entity: { id: `b${edges - 499}` } }])
}

async function ingestFiles(files: number, seed: number): Promise<void> {
  const items = Array.from({ length: files }, (_, at) => ({
    content: codeOf(3_400, seed + at * 50),
    metadata: { repo: 'lib', file: `src/file${at}.ts` },
  }))
  const { id } = await ask('POST', '/memories:bulk', { repo: 'lib', items })
  await settled(`/ingest-jobs/${String(id)}`, ({ status }) => status !== 'running' && status !== 'queued')
  expect(await ask('GET', `/ingest-jobs/${String(id)}`)).toMatchObject({ done: files, failed: 0 })
}

/** Lines as code has them: names of their own beside names of all. */
function codeOf(characters: number, seed: number): string {
  const lines: string[] = []
  for (let [at, length] = [seed, 0]; length < characters; at++) {
    const line = `  const sessionOf${at % 5_000} = await ledger.readEntry(store${at % 37}, { limit: ${at % 10} }) // see docs/part${at % 90}.md`
    lines.push(line)
    length += line.length + 1
  }
  return lines.join('\n').slice(0, characters)
}

/**
 * Percent of the job's CPU; a slower machine changes both sides. Measured: 0.3, 0.8 and 0.3. Without the thread that
 * prepares it is 10, without those that sort or fold 22 and 13, without the pauses between files 1.8. The goal is 1.
 */
const most = { memory: 1, push: 2, ingest: 1 }

describe('the serving thread keeps nobody waiting (MEMORY-HEALTH-2)', { timeout: 300_000 }, () => {
  test('while a megabyte of code is stored', async () => {
    const job = (attempt: number): Promise<void> => storeText(codeOf(1_000_000, attempt * 1_000))
    expect(await leastShare('a megabyte of code', most.memory, job)).toBeLessThan(most.memory)
  })

  test('while 70,000 edges with as many names of relations are pushed and read', async () => {
    const job = (attempt: number): Promise<void> => pushGraph(70_000 + attempt * 500)
    expect(await leastShare('70,000 edges', most.push, job)).toBeLessThan(most.push)
  })

  test('while 200 files are ingested', async () => {
    const job = (attempt: number): Promise<void> => ingestFiles(200 + attempt, attempt * 3)
    expect(await leastShare('200 files', most.ingest, job)).toBeLessThan(most.ingest)
  })
})
