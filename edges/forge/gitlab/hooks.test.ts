import { expect, test } from 'vitest'
import { scriptedForge } from './testing/scripted-forge.ts'

const PATH = 'grp/app'
const HOOKS = '/projects/grp%2Fapp/hooks'
const url = 'https://platform.example/operator/webhooks/p'
const spec = { url, secret: 's' }
const hook = { id: 3, url, alert_status: 'executable' }

test('a hook is made for exactly the events that are handled (WEBHOOK-RULE-3, WEBHOOKS-24)', async () => {
  const answers = {
    [`GET ${HOOKS}`]: { body: [{ ...hook, url: 'https://other.example' }] },
    [`POST ${HOOKS}`]: { body: hook },
  }
  const { port, asked } = scriptedForge(answers)
  expect(await port.ensureHook(PATH, spec)).toEqual({ id: '3', url })
  expect(asked.at(-1)!.body).toEqual({
    url,
    token: 's',
    push_events: true,
    issues_events: true,
    note_events: true,
    merge_requests_events: true,
    pipeline_events: true,
    job_events: true,
    tag_push_events: false,
    confidential_issues_events: true,
    confidential_note_events: true,
    enable_ssl_verification: true,
  })
})

test('a hook that is there is written all the same, because its secret may be another', async () => {
  const { port, asked } = scriptedForge({ [`GET ${HOOKS}`]: { body: [hook] }, [`PUT ${HOOKS}/3`]: { body: hook } })
  expect(await port.ensureHook(PATH, { url, secret: 'rotated' })).toEqual({ id: '3', url })
  expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([`GET ${HOOKS}?per_page=100`, `PUT ${HOOKS}/3`])
  expect(asked[1]!.body).toMatchObject({ token: 'rotated' })
})

test.each([
  ['disabled', 1],
  ['temporarily_disabled', 0],
  ['executable', 0],
])('a hook whose state is %s is tried out %i times', async (alert_status, times) => {
  const { port, asked } = scriptedForge({
    [`GET ${HOOKS}`]: { body: [{ ...hook, alert_status }] },
    [`PUT ${HOOKS}/3`]: { body: hook },
    [`POST ${HOOKS}/3/test/push_events`]: { status: 422, body: { message: 'failed' } },
  })
  await port.ensureHook(PATH, spec)
  expect(asked.filter(({ path }) => path.includes('/test/'))).toHaveLength(times)
})

function event(id: number, more: object = {}): object {
  const request_headers = { 'X-Gitlab-Event': 'Issue Hook', 'Idempotency-Key': `key-${id}` }
  return { id, request_headers, response_status: '200', created_at: '2026-01-02T03:00:00.000Z', ...more }
}

test('deliveries go by the key that they keep when they are sent again', async () => {
  const since = Date.parse('2026-01-02T00:00:00Z')
  const { port, asked } = scriptedForge({
    [`GET ${HOOKS}/3/events`]: {
      body: [
        event(1),
        event(2, { response_status: 'internal error' }),
        event(3, { created_at: undefined, response_headers: { Date: 'Fri, 02 Jan 2026 04:00:00 GMT' } }),
        event(4, { created_at: undefined, response_status: 503 }),
        event(5, { request_headers: { 'X-Gitlab-Event': 'Push Hook' } }),
        event(6, { created_at: '2026-01-01T00:00:00Z' }),
      ],
      headers: { 'x-next-page': '2' },
    },
  })
  expect(await port.listDeliveries(PATH, '3', since)).toEqual([
    { id: '1', delivery: 'key-1', event: 'Issue Hook', at: Date.parse('2026-01-02T03:00:00Z'), ok: true },
    { id: '2', delivery: 'key-2', event: 'Issue Hook', at: Date.parse('2026-01-02T03:00:00Z'), ok: false },
    { id: '3', delivery: 'key-3', event: 'Issue Hook', at: Date.parse('2026-01-02T04:00:00Z'), ok: true },
    // Nobody knows when: perhaps missed, so it is no older than what is asked for.
    { id: '4', delivery: 'key-4', event: 'Issue Hook', at: since, ok: false },
  ])
  expect(asked).toHaveLength(1)
})

test('an older server has no list of deliveries', async () => {
  const { port } = scriptedForge({ [`GET ${HOOKS}/4/events`]: { status: 500 } })
  expect(await port.listDeliveries(PATH, '3', 0)).toEqual([])
  await expect(port.listDeliveries(PATH, '4', 0)).rejects.toMatchObject({ name: 'ForgeUnavailableError' })
})

test('a delivery is sent again by its attempt, and one that fails again was sent', async () => {
  const { port, asked } = scriptedForge({
    [`POST ${HOOKS}/3/events/7/resend`]: [{ body: { response_status: 200 } }, { status: 422 }, { status: 403 }],
  })
  await port.redeliver(PATH, '3', '7')
  await port.redeliver(PATH, '3', '7')
  await expect(port.redeliver(PATH, '3', '7')).rejects.toMatchObject({ name: 'ForbiddenError' })
  expect(asked).toHaveLength(3)
})

test('a secret that is a signing key is one to both kinds of servers', async () => {
  const { port, asked } = scriptedForge({ [`GET ${HOOKS}`]: { body: [] }, [`POST ${HOOKS}`]: { body: hook } })
  await port.ensureHook(PATH, { url, secret: 'whsec_AAAA' })
  expect(asked.at(-1)!.body).toMatchObject({ token: 'whsec_AAAA', signing_token: 'whsec_AAAA' })
})
