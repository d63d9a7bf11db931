import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { verifyHmac } from '../../http/auth/hmac.ts'
import { faultsOf } from '../../http/problems/validation.ts'
import type { Fetch } from '../../http/ports.ts'
import { captureLog, testClock } from '../../http/testing/fixture.ts'
import { mostTranscriptBytes, Transcript } from '../../machines/turn/transcript.ts'
import { rememberingLogger } from '../testing/quiet-log.ts'
import { createWrapperServer, type WrapperServerOptions } from '../server.ts'
import { handOverTranscript } from './hand-over.ts'
import { TranscriptTail } from './transcript-tail.ts'

const key = `ghp_${'a'.repeat(36)}`
const at = '2026-11-29T12:00:00.000Z'

let home: string
let path: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hand-over-'))
  path = join(home, '.claude', 'projects', 'workspace', 'session.jsonl')
  mkdirSync(dirname(path), { recursive: true })
})
afterEach(() => rmSync(home, { recursive: true }))

function line(type: 'user' | 'assistant', ...content: readonly object[]): string {
  return JSON.stringify({ type, timestamp: at, message: { content } })
}
const text = (said: string): object => ({ type: 'text', text: said })
const use = (name: string, input: unknown): object => ({ type: 'tool_use', id: 't', name, input })
const result = (content: unknown, isError = false): object => ({
  ...{ type: 'tool_result', tool_use_id: 't' },
  ...{ content, is_error: isError },
})

interface Outcome {
  readonly posted: readonly { readonly url: string; readonly body: string; readonly signature: string }[]
  readonly lines: readonly string[]
  readonly truncated: boolean
  readonly log: readonly string[]
  /** How long the stop waited for it. */
  readonly waitedMs: number
}

/** The receiver gives `answers` one after another, and the last one for ever; 0: nobody listens, -1: it is silent. */
async function handOver(answers: readonly number[] = [200], from = path): Promise<Outcome> {
  const clock = testClock()
  const { logger, lines: log } = rememberingLogger()
  const posted: Outcome['posted'][number][] = []
  const fetch: Fetch = async (url, { body, headers, signal } = {}) => {
    const signature = (headers as Record<string, string>)['x-platform-signature'] ?? ''
    const status = answers[Math.min(posted.length, answers.length - 1)] ?? 200
    posted.push({ url: String(url), body: String(body), signature })
    if (status === 0) throw new TypeError('connect ECONNREFUSED')
    if (status > 0) return new Response(null, { status })
    return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))))
  }
  const over = { isSo: false }
  const done = handOverTranscript({
    ...{ fetch, clock, logger, home, path: from, task: 'default/t', pod: 2, secret: 's' },
    ...{ callbackUrl: 'http://operator:8082/internal/turn-complete', secrets: ['', 'the-key'] },
  }).then(() => (over.isSo = true))
  for (let turns = 0; !over.isSo; turns += 1) {
    await new Promise((resolve) => setImmediate(resolve))
    if (posted.length > 0 && turns % 5 === 0) clock.advance(100)
  }
  await done
  const { lines, truncated } = JSON.parse(posted[0]?.body ?? '{"lines":[],"truncated":false}') as Transcript
  return { posted, lines, truncated, log, waitedMs: clock.elapsed() }
}

/** What a turn reads of it, and what GET /v1/transcript answers. */
async function readOtherwise(from: string): Promise<readonly unknown[]> {
  const transcript = new TranscriptTail(home)
  transcript.follow(from)
  const quiet = {
    ...captureLog(),
    clock: testClock(),
    ids: { next: () => 'id' },
    metrics: { exposeIn: () => undefined },
  }
  const parts = { ...quiet, authenticate: async () => ({}), conversation: { transcript } }
  const { app, close } = await createWrapperServer(parts as unknown as WrapperServerOptions)
  const { statusCode, body } = await app.inject('/v1/transcript')
  await close({ graceMs: 0 })
  return [await transcript.read(), statusCode, body]
}

describe('the transcript that a wrapper hands over', () => {
  test('tells who said and did what and when, signed, beside the address of callbacks (TRANSCRIPT-3, TRANSCRIPT-5)', async () => {
    const lines = [
      line('user', text('Do it.\nNow.')),
      'no JSON',
      line('assistant', { type: 'thinking', thinking: 'x' }, text('I try.'), use('Bash', { command: 'npm test' })),
      line('user', result([text('1 failed')], true)),
      line('user', result('ok')),
      JSON.stringify({
        type: 'assistant',
        timestamp: '\u001b[2J',
        isApiErrorMessage: true,
        message: { content: 'Overloaded' },
      }),
    ]
    writeFileSync(path, lines.join('\n'))
    const { posted, ...outcome } = await handOver()
    expect(outcome).toMatchObject({
      lines: [
        `${at} user: Do it.`,
        '  Now.',
        `${at} agent: I try.`,
        `${at} call: Bash {"command":"npm test"}`,
        `${at} failed: 1 failed`,
        `${at} result: ok`,
        ' error: Overloaded',
      ],
      ...{ truncated: false, log: [] },
    })
    expect(posted.map(({ url }) => url)).toEqual(['http://operator:8082/internal/transcript'])
    expect(verifyHmac('s', posted[0]?.body ?? '', posted[0]?.signature)).toBe(true)
    expect(JSON.parse(posted[0]?.body ?? '')).toMatchObject({ task: 'default/t', pod: 2 })
  })

  test('shows no secret, not even the half of one that is left by a cut (TRANSCRIPT-6)', async () => {
    const around = (letters: number): string => `${'x'.repeat(letters)} ${key} the-key`
    writeFileSync(
      path,
      [
        line('user', text(around(3980)), result(around(980))),
        line('assistant', text(around(3980)), use(`${around(180)}`, {})),
        line('assistant', use('Bash', { command: `echo\n${key}`, password: 'hunter2', more: around(440) })),
      ].join('\n'),
    )
    const { lines } = await handOver()
    expect(lines).toHaveLength(5)
    for (const one of lines) expect(one).toMatch(/•••/)
    expect(lines.join('\n')).not.toMatch(/ghp_|the-k|hunter2/)
  })

  test('is the newest that fits, in a form that the orchestrator takes (TRANSCRIPT-5)', async () => {
    const each = (n: number): string =>
      line(
        'assistant',
        text(`${n} ${'\u0001'.repeat(3000)}${'\n'.repeat(900)}`),
        use('x'.repeat(9000), { a: 'y'.repeat(9000) }),
      )
    writeFileSync(path, Array.from({ length: 60 }, (_, n) => each(n)).join('\n'))
    const { posted, lines, truncated } = await handOver()
    expect(truncated).toBe(true)
    expect(lines.findLast((one) => one.includes('agent'))).toMatch(/ agent: 59 /)
    expect(Buffer.byteLength(lines.join('\n'))).toBeLessThan(mostTranscriptBytes)
    expect(faultsOf(Transcript, JSON.parse(posted[0]?.body ?? ''))).toEqual([])
    expect(Buffer.byteLength(posted[0]?.body ?? '')).toBeLessThan(2 * 1024 * 1024)
  })

  test('of a file without an end is what stands in its last 8 MiB', async () => {
    writeFileSync(
      path,
      [line('user', text('first')), line('user', text('x'.repeat(9 * 1024 * 1024))), line('user', text('last'))].join(
        '\n',
      ),
    )
    expect(await handOver()).toMatchObject({ lines: [`${at} user: last`], truncated: true })
  })

  test('is nothing to anybody where the agent planted a link, or a path of its own (TRANSCRIPT-7)', async () => {
    const outside = join(home, 'outside')
    mkdirSync(outside)
    for (const name of ['session.jsonl', 'other.jsonl'])
      writeFileSync(join(outside, name), line('user', text('of somebody else')))
    const projects = join(home, '.claude', 'projects')
    symlinkSync(join(outside, 'session.jsonl'), path)
    symlinkSync(outside, join(projects, 'linked'))
    linkSync(join(outside, 'other.jsonl'), join(projects, 'hard.jsonl'))
    writeFileSync(join(projects, 'whole.jsonl'), '')
    symlinkSync(join(projects, 'whole.jsonl'), join(projects, 'within.jsonl'))
    const planted = [
      path,
      join(projects, 'linked', 'session.jsonl'),
      join(projects, 'hard.jsonl'),
      join(projects, 'within.jsonl'),
      `${projects}/../../outside/session.jsonl`,
      projects,
      '/proc/self/environ',
    ]
    for (const from of planted) {
      const { posted, log } = await handOver([200], from)
      expect(posted, from).toEqual([])
      expect(log.join('\n'), from).toContain('cannot hand the transcript over')
      expect(await readOtherwise(from), from).toEqual([[], 404, expect.not.stringContaining('else')])
    }
    const own = line('user', text('of its own'))
    writeFileSync(join(projects, 'whole.jsonl'), `${own}\n`)
    expect(await readOtherwise(join(projects, 'whole.jsonl'))).toMatchObject([[{ type: 'user' }], 200, `${own}\n`])
    expect(await readOtherwise(join(projects, 'later.jsonl'))).toEqual([[], 200, ''])
  })

  test('of a pod without a turn is not handed over', async () => {
    expect(await handOver([200], '')).toMatchObject({ posted: [], log: [] })
  })

  test('is posted again while nobody takes it, and a stop waits 5 s for that at most (TRANSCRIPT-3)', async () => {
    writeFileSync(path, line('user', text('x')))
    expect((await handOver([0, 503, 200])).posted).toHaveLength(3)
    for (const answer of [0, 503, -1]) {
      const { waitedMs, log } = await handOver([answer])
      expect(waitedMs).toBeLessThanOrEqual(5_000)
      expect(log.join('\n')).toContain('did not take the transcript')
    }
    for (const refusal of [401, 404]) expect((await handOver([refusal])).posted).toHaveLength(1)
  })
})
