import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { simulatedClock } from '../../../runtime/simulated-clock.ts'
import { createLogger } from '../../../http/operational/logging.ts'
import { createServer } from '../../../http/server.ts'
import { signHmac } from '../../../http/auth/hmac.ts'
import type { ProjectDirectory, ProjectSecret, ProjectSettings, Provider } from '../projects.ts'
import { githubWebhooks } from '../github/inbound.ts'
import { registerForgeWebhooks } from './route.ts'
import type { NewDelivery } from './store.ts'
import { testInside } from '../../../testing/inside.ts'

const SECRET = "It's a Secret to Everybody"

interface RouteFixture {
  readonly accepted: NewDelivery[]
  readonly secretReads: string[]
  provider: Provider
  includeConfidential: boolean
  secret: (() => Promise<ProjectSecret | undefined>) | undefined
  post(request: {
    project?: string
    headers?: Record<string, string>
    body?: string | Buffer
  }): Promise<{ status: number; body: { code?: string; routed?: boolean; duplicate?: boolean } }>
}

async function withRoute(use: (fixture: RouteFixture) => Promise<void>): Promise<void> {
  const clock = simulatedClock(1000)
  const server = await createServer({
    name: 'hooks',
    version: '0',
    logger: createLogger({ name: 'hooks', level: 'silent' }),
    clock,
    ids: { next: () => 'id' },
    openapi: { title: 't', description: 'd' },
  })
  const fixture = {
    accepted: [],
    secretReads: [],
    provider: 'forge_a',
    includeConfidential: false,
    secret: undefined,
  } as unknown as RouteFixture & {
    post: RouteFixture['post']
  }
  const directory: ProjectDirectory = {
    project: async (name) =>
      name === 'demo'
        ? ({
            uid: 'uid-of-demo',
            name,
            namespace: 'default',
            scm: { provider: fixture.provider, includeConfidential: fixture.includeConfidential },
          } as unknown as ProjectSettings)
        : undefined,
    projects: async () => [],
    secret: (name) => {
      fixture.secretReads.push(name)
      return fixture.secret === undefined ? Promise.resolve({ token: 't', webhookSecret: SECRET }) : fixture.secret()
    },
  }
  const inbox = {
    accept: async (delivery: NewDelivery): Promise<boolean> => {
      const fresh = !fixture.accepted.some(
        (one) => one.project === delivery.project && one.delivery === delivery.delivery,
      )
      if (fresh) fixture.accepted.push(delivery)
      return fresh
    },
  }
  registerForgeWebhooks(server.app, { directory, inbox, clock })
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 })
  fixture.post = async ({ project = 'demo', headers = {}, body = '' }) => {
    const answer = await fetch(`${url}/operator/webhooks/${project}`, { method: 'POST', headers, body: body as never })
    return { status: answer.status, body: (await answer.json()) as never }
  }
  try {
    await use(fixture)
  } finally {
    await server.close({ graceMs: 100 })
  }
}

const PUSH = JSON.stringify({
  ref: 'refs/heads/main',
  before: '0'.repeat(40),
  after: '1'.repeat(40),
  repository: { full_name: 'acme/library' },
  sender: { login: 'ann', id: 1 },
})

function signed(body: string | Buffer, headers: Record<string, string> = {}): Record<string, string> {
  return {
    'content-type': 'application/json',
    'x-github-event': 'push',
    'x-github-delivery': 'd-1',
    'x-hub-signature-256': signHmac(SECRET, body),
    ...headers,
  }
}

const it = testInside(withRoute)

test("GitHub's known answer verifies, and not with another body, secret or form (WEBHOOKS-5)", () => {
  const body = Buffer.from('Hello, World!')
  const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
  const verify = (secret: string, headers: Record<string, string>, of = body): boolean =>
    githubWebhooks.verify(secret, headers, of, 0)
  expect(verify(SECRET, { 'x-hub-signature-256': signature })).toBe(true)
  expect(verify(SECRET, { 'x-hub-signature-256': signature }, Buffer.from('Hello, World'))).toBe(false)
  expect(verify('other', { 'x-hub-signature-256': signature })).toBe(false)
  const ofNothing = `sha256=${createHmac('sha256', '').update(body).digest('hex')}`
  expect(verify('', { 'x-hub-signature-256': ofNothing })).toBe(false)
  expect(verify(SECRET, { 'x-hub-signature-256': signature.slice(7) })).toBe(false)
})

it('a signed delivery is stored as it came and answered 202; the same one again changes nothing (WEBHOOKS-2, WEBHOOKS-18, WEBHOOKS-20)', async (fixture) => {
  expect(await fixture.post({ headers: signed(PUSH), body: PUSH })).toEqual({ status: 202, body: { routed: true } })
  expect(fixture.accepted).toEqual([
    { project: 'uid-of-demo', delivery: 'd-1', provider: 'forge_a', event: 'push', body: PUSH, at: 1000 },
  ])
  expect(await fixture.post({ headers: signed(PUSH), body: PUSH })).toEqual({
    status: 202,
    body: { routed: true, duplicate: true },
  })
  expect(fixture.accepted).toHaveLength(1)
})

it('WEBHOOK-RULE-2: a form-encoded delivery is taken, signed over the raw form (WEBHOOKS-22)', async (fixture) => {
  const body = new URLSearchParams({ payload: PUSH }).toString()
  const answer = await fixture.post({
    headers: signed(body, { 'content-type': 'application/x-www-form-urlencoded' }),
    body,
  })
  expect(answer.status).toBe(202)
  expect(fixture.accepted[0]?.body).toBe(PUSH)
})

it('a ping answers 200 and an event type that nothing handles 202 unrouted; neither is stored (WEBHOOKS-3, WEBHOOKS-4)', async (fixture) => {
  expect((await fixture.post({ headers: signed('{}', { 'x-github-event': 'ping' }), body: '{}' })).status).toBe(200)
  expect(await fixture.post({ headers: signed('{}', { 'x-github-event': 'star' }), body: '{}' })).toEqual({
    status: 202,
    body: { routed: false },
  })
  expect(fixture.accepted).toEqual([])
})

const CONFIDENTIAL = {
  project: { id: 7, path_with_namespace: 'acme/library', description: 'a secret' },
  user: { id: 1, username: 'ann', name: 'a secret' },
  labels: [{ title: 'a secret' }],
  changes: { description: { previous: 'a secret', current: 'a secret' } },
  object_attributes: {
    iid: 3,
    id: 11,
    title: 'a secret',
    description: 'a secret',
    note: 'a secret',
    author_id: 1,
    action: 'create',
    url: 'http://forge.test/acme/library/-/issues/3#note_11',
    created_at: '2026-01-02 03:04:05 UTC',
    updated_at: '2026-01-02 03:04:05 UTC',
    labels: [{ title: 'a secret' }],
  },
  issue: { iid: 3, title: 'a secret', description: 'a secret', confidential: true },
}

it.for(['Confidential Issue Hook', 'Confidential Note Hook'])(
  'of a %s no word is stored, unless the Project wants them (PROJECT-SCM-22)',
  async (event, fixture) => {
    fixture.provider = 'forge_b'
    const body = JSON.stringify(CONFIDENTIAL)
    const headers = { 'content-type': 'application/json', 'x-gitlab-event': event, 'x-gitlab-token': SECRET }
    for (const includeConfidential of [false, true]) {
      fixture.includeConfidential = includeConfidential
      await fixture.post({ headers: { ...headers, 'idempotency-key': `key-${includeConfidential}` }, body })
    }
    expect(fixture.accepted.map((one) => [one.event, one.body.includes('a secret')])).toEqual([
      [event, false],
      [event, true],
    ])
    expect(fixture.accepted[1]?.body).toBe(body)
  },
)

const refusals: [string, number, string, Parameters<RouteFixture['post']>[0], boolean][] = [
  [
    'a body over 5 MiB (WEBHOOKS-11)',
    413,
    'body-too-large',
    { headers: signed('x'), body: Buffer.alloc(5 * 1024 * 1024 + 1, 'x') },
    false,
  ],
  [
    'headers of no known provider (WEBHOOKS-12)',
    400,
    'unknown-provider',
    { headers: { 'content-type': 'application/json' }, body: PUSH },
    false,
  ],
  [
    'an unknown Project, even with a bad signature (WEBHOOKS-13)',
    404,
    'not-found',
    { project: 'nobody', headers: signed('other'), body: PUSH },
    false,
  ],
  [
    "the other provider's headers (WEBHOOKS-14)",
    400,
    'provider-mismatch',
    {
      headers: { 'content-type': 'application/json', 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': SECRET },
      body: PUSH,
    },
    false,
  ],
  ['a wrong signature (WEBHOOKS-16)', 401, 'signature-invalid', { headers: signed('other'), body: PUSH }, true],
  [
    'a missing signature (WEBHOOKS-16)',
    401,
    'signature-invalid',
    {
      headers: { 'content-type': 'application/json', 'x-github-event': 'push', 'x-github-delivery': 'd-1' },
      body: PUSH,
    },
    true,
  ],
  [
    'a wrong signature over what is no JSON (WEBHOOKS-9)',
    401,
    'signature-invalid',
    { headers: signed('other'), body: '{' },
    true,
  ],
  [
    'a content type that is neither (WEBHOOKS-22)',
    415,
    'unsupported-media-type',
    { headers: signed(PUSH, { 'content-type': 'text/plain' }), body: PUSH },
    true,
  ],
  ['signed text that is no JSON', 400, 'malformed-request', { headers: signed('{'), body: '{' }, true],
  [
    'a signed payload of another shape',
    400,
    'malformed-request',
    { headers: signed('{"ref":1}'), body: '{"ref":1}' },
    true,
  ],
  [
    'a delivery without an id',
    400,
    'malformed-request',
    {
      headers: Object.fromEntries(Object.entries(signed(PUSH)).filter(([name]) => name !== 'x-github-delivery')),
      body: PUSH,
    },
    true,
  ],
]

it.for(refusals)(
  'WEBHOOKS-17: %s is answered %i %s, and nothing is stored (WEBHOOKS-9, WEBHOOKS-17, WEBHOOK-RULE-1)',
  async ([, status, code, request, readsSecret], fixture) => {
    const answer = await fixture.post(request)
    expect([answer.status, answer.body.code]).toEqual([status, code])
    expect(fixture.accepted).toEqual([])
    expect(fixture.secretReads.length > 0).toBe(readsSecret)
  },
)

it.for([
  ['cannot be read', () => Promise.reject(new Error('disk'))],
  ['does not exist', () => Promise.resolve(undefined)],
  ['has an empty key', () => Promise.resolve({ token: 't', webhookSecret: '' })],
])(
  'WEBHOOKS-15: a Secret that %s is our fault: 500, and the forge may redeliver (WEBHOOKS-15)',
  async ([, secret], fixture) => {
    fixture.secret = secret
    const answer = await fixture.post({ headers: signed(PUSH), body: PUSH })
    expect([answer.status, answer.body.code]).toEqual([500, 'secret-unreadable'])
    expect(fixture.accepted).toEqual([])
  },
)

it('WEBHOOKS-8: the secret is read at each delivery: a rotated one holds at once (WEBHOOKS-7, WEBHOOKS-8)', async (fixture) => {
  fixture.secret = async () => ({ webhookSecret: 'rotated' })
  expect((await fixture.post({ headers: signed(PUSH), body: PUSH })).status).toBe(401)
  expect(
    (
      await fixture.post({
        headers: { ...signed(PUSH), 'x-hub-signature-256': signHmac('rotated', PUSH) },
        body: PUSH,
      })
    ).status,
  ).toBe(202)
})

it('a signed delivery is never refused for its characters or its depth, and an unsigned one is not read (WEBHOOKS-26)', async (fixture) => {
  const odd = PUSH.replace('"sender"', '"a\\u0000\\ud800":"\\u0000\\udc00","sender"')
  const deep = PUSH.replace('"sender"', `"deep":${'['.repeat(100_000)}${']'.repeat(100_000)},"sender"`)
  for (const [at, body] of [odd, deep].entries()) {
    const headers = signed(body, { 'x-github-delivery': `d-${at}` })
    expect(await fixture.post({ headers, body })).toEqual({ status: 202, body: { routed: true } })
    expect(fixture.accepted[at]?.body).toBe(body)
    expect((await fixture.post({ headers: { ...headers, ...signed('other') }, body })).status).toBe(401)
  }
})
