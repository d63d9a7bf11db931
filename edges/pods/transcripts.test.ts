import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { signHmac } from '../../http/auth/hmac.ts'
import { testClock, withServer } from '../../http/testing/fixture.ts'
import type { Transcript } from '../../machines/turn/transcript.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { openSharedSql } from '../../runtime/store/testing/shared-store.ts'
import { callbackSecret } from './inbound.ts'
import {
  dropTranscriptsBefore,
  podMigrations,
  readTranscript,
  registerTranscript,
  transcriptsOf,
} from './transcripts.ts'

const master = 'a master secret'
const transcript: Transcript = { task: 'default/task', pod: 2, truncated: false, lines: ['agent  Hello.'] }

let sql: Sql
const clock = testClock(5_000)
beforeAll(async () => void (sql = await openSharedSql([podMigrations])))
beforeEach(() => sql.exec('truncate pod_transcript'))
afterAll(() => sql.close())

interface Answer {
  readonly status: number
  readonly code?: unknown
  readonly accepted?: unknown
}

/** Posts it in the name of `signer`; empty: without a signature. */
async function post(body: object, signer = 'default/task/2'): Promise<Answer> {
  const living = ['pod:default/task/1', 'pod:default/task/2']
  const runtime = {
    read: async (address: string) => (living.includes(address) ? { address } : undefined) as never,
  }
  let answer: Answer = { status: 0 }
  const secrets = ['', 'the-model-key']
  await withServer(
    (app) => registerTranscript(app, { runtime, clock, sql, secret: master, secrets }),
    async ({ url }) => {
      const text = JSON.stringify(body)
      const response = await fetch(`${url}/internal/transcript`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(signer === '' ? {} : { 'x-platform-signature': signHmac(callbackSecret(master, signer), text) }),
        },
        body: text,
      })
      answer = { status: response.status, ...((await response.json()) as object) }
    },
  )
  return answer
}

describe('a transcript', () => {
  test('signed by its own pod is kept, and the last one that it hands over stands (TRANSCRIPT-4)', async () => {
    expect(await post(transcript)).toEqual({ status: 200, accepted: true })
    expect(await post({ ...transcript, truncated: true, lines: ['a\u0000b \ud800', ''] })).toMatchObject({
      status: 200,
    })
    expect(await readTranscript(sql, 'default/task', 2)).toEqual({
      ...{ pod: 2, at: clock.now(), truncated: true },
      lines: ['a\u0000b \ufffd', ''],
    })
    expect(await readTranscript(sql, 'default/task', 1)).toBe(undefined)
    expect(await transcriptsOf(sql, 'default/task')).toEqual([2])
  })

  test('of another pod, unsigned, or of a pod that nobody knows is not kept (TRANSCRIPT-4)', async () => {
    for (const signer of ['default/task/1', 'default/task/22', 'default/other/2', ''])
      expect(await post(transcript, signer)).toMatchObject({ status: 401, code: 'signature-invalid' })
    expect(await post({ ...transcript, pod: 3 }, 'default/task/3')).toEqual({ status: 200, accepted: false })
    expect(await transcriptsOf(sql, 'default/task')).toEqual([])
  })

  test('keeps no secret that its wrapper let through, not even one of several lines', async () => {
    const key = ['-----BEGIN PRIVATE KEY-----', 'MIIE', '-----END PRIVATE KEY-----']
    await post({ ...transcript, lines: [`x ghp_${'a'.repeat(36)}`, 'the-model-key', ...key, 'after'] })
    expect((await readTranscript(sql, 'default/task', 2))?.lines).toEqual(['x •••', '•••', '•••', 'after'])
  })

  test('that is too long, or has more fields than these, is refused', async () => {
    expect(await post({ ...transcript, lines: ['x'.repeat(8193)] })).toMatchObject({ status: 400 })
    expect(await post({ ...transcript, lines: Array.from({ length: 16_385 }, () => '') })).toMatchObject({
      status: 400,
    })
    expect(await post({ ...transcript, lines: Array.from({ length: 300 }, () => 'x'.repeat(8000)) })).toMatchObject({
      status: 413,
    })
    expect(await post({ ...transcript, outcome: 'x' })).toMatchObject({ status: 400 })
  })

  test('goes once it is too old', async () => {
    await post(transcript)
    await dropTranscriptsBefore(sql, clock.now())
    expect(await transcriptsOf(sql, 'default/task')).toEqual([2])
    await dropTranscriptsBefore(sql, clock.now() + 1)
    expect(await transcriptsOf(sql, 'default/task')).toEqual([])
  })
})
