/**
 * What forges and people may get wrong, and what a stranger may try: each gets the answer that the contract gives, as
 * application/problem+json, and changes nothing.
 */
import { randomUUID } from 'node:crypto'
import { chmodSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generateSigningKeyPem, importSigningKey } from '../../http/auth/tokens.ts'
import { signHmac } from '../../http/auth/hmac.ts'
import { namesIn } from '../../http/testing/fixture.ts'
import { podTokens } from '../../edges/agents/pod-tokens.ts'
import { systemClock } from '../../runtime/clock.ts'
import { people } from '../../standins/people.ts'
import {
  badSignature,
  expectProblem,
  expectRefused,
  invalid,
  malformed,
  missing,
  pathsOf,
  unauthenticated,
  type Refusal,
} from '../testing/refusals.ts'
import {
  hookSecret,
  repository,
  startOrchestratorFixture,
  type Answer,
  type OrchestratorFixture,
} from '../testing/fixture.ts'

let fixture: OrchestratorFixture

beforeAll(async () => {
  fixture = await startOrchestratorFixture()
}, 60_000)
afterAll(() => fixture?.stop(), 30_000)

describe('a webhook', () => {
  const push = JSON.stringify({
    ref: 'refs/heads/main',
    before: '0'.repeat(40),
    after: '1'.repeat(40),
    repository: { full_name: repository },
    sender: { login: 'sam', id: 9 },
  })

  interface Delivery {
    readonly project?: string
    readonly body?: string
    readonly secret?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly unsigned?: boolean
  }

  function send({
    project = 'demo',
    body = push,
    secret = hookSecret,
    headers = {},
    unsigned = false,
  }: Delivery): Promise<Answer> {
    const signature = unsigned ? {} : { 'x-hub-signature-256': signHmac(secret, body) }
    const github = { 'x-github-event': 'push', 'x-github-delivery': randomUUID(), ...signature, ...headers }
    const given = Object.fromEntries(Object.entries(github).filter(([, value]) => value !== ''))
    return fixture.call(`/operator/webhooks/${project}`, { body, headers: given })
  }

  test.each<[string, Delivery, Refusal]>([
    ['with a wrong signature', { secret: 'a guess' }, badSignature],
    ['without a signature', { unsigned: true }, badSignature],
    [
      'whose body was changed after it was signed',
      { headers: { 'x-hub-signature-256': signHmac(hookSecret, `${push} `) } },
      badSignature,
    ],
    ['for an unknown Project', { project: 'nowhere' }, missing],
    ['of an unknown provider', { headers: { 'x-github-event': '' } }, { status: 400, code: 'unknown-provider' }],
    [
      'of another provider than the Project’s, which is said before its missing Secret (WEBHOOKS-10)',
      { project: 'elsewhere', headers: { 'x-github-event': '', 'x-gitlab-event': 'Push Hook' } },
      { status: 400, code: 'provider-mismatch' },
    ],
    ['for a Project whose Secret cannot be read', { project: 'keyless' }, { status: 500, code: 'secret-unreadable' }],
    [
      'of 6 MiB, however well it is signed',
      { body: `{"pad":"${'x'.repeat(6 * 1024 * 1024)}"}` },
      { status: 413, code: 'body-too-large' },
    ],
    [
      'of 6 MiB for an unknown Project (WEBHOOKS-9)',
      { project: 'nowhere', body: 'x'.repeat(6 * 1024 * 1024) },
      { status: 413, code: 'body-too-large' },
    ],
    ['that is signed and no JSON', { body: '{"ref":' }, malformed],
    ['that is signed and not what its event promises', { body: '{"ref":7}' }, malformed],
    [
      'that is signed, of a content type that nobody sends',
      { headers: { 'content-type': 'text/plain' } },
      { status: 415, code: 'unsupported-media-type' },
    ],
  ])('%s is refused and changes nothing', async (what, delivery, refusal) => {
    await expectRefused(fixture, what, () => send(delivery), refusal)
  })

  test('is taken when it is signed, and once however often it is delivered (SERVICE-2, WEBHOOKS-1, WEBHOOKS-18)', async () => {
    const headers = { 'x-github-delivery': randomUUID() }
    const first = await send({ headers })
    expect([first.status, first.body]).toEqual([202, { routed: true }])
    await fixture.quiet()
    const before = await fixture.fingerprint()
    const again = await send({ headers })
    expect([again.status, again.body]).toEqual([202, { routed: true, duplicate: true }])
    await fixture.quiet()
    expect(await fixture.fingerprint()).toBe(before)
  })

  test('of a type that nothing handles is acknowledged and changes nothing', async () => {
    const before = await fixture.fingerprint()
    const answer = await send({ headers: { 'x-github-event': 'star' } })
    expect([answer.status, answer.body]).toEqual([202, { routed: false }])
    expect(await fixture.fingerprint()).toBe(before)
  })

  test('refused for a Secret that cannot be read is taken when it can be again (WEBHOOKS-19)', async () => {
    const secret = join(fixture.dir, 'state', 'secrets', 'default.demo-scm.json')
    renameSync(secret, `${secret}.away`)
    const headers = { 'x-github-delivery': randomUUID() }
    await expectRefused(fixture, 'without the Secret', () => send({ headers }), {
      status: 500,
      code: 'secret-unreadable',
    })
    renameSync(`${secret}.away`, secret)
    chmodSync(secret, 0o600)
    expect((await send({ headers })).body).toEqual({ routed: true })
  })
})

describe('the API', () => {
  interface Operation {
    readonly path: string
    readonly method: string
  }

  /** Proven otherwise: by signature, by the pod's token as Basic, by ticket or cookie, or open to everybody. */
  const otherwise =
    /^\/(\.well-known|healthz|readyz|metrics|docs|openapi\.json|operator\/webhooks|internal|git|inspector)(\/|$)/

  async function operations(): Promise<Operation[]> {
    const { body } = await fixture.call('/openapi.json')
    const paths = Object.entries(body['paths'] as Record<string, Record<string, unknown>>)
    return paths.flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({
        path: path.replaceAll(/\{[^}]*\}/g, 'x'),
        method: method.toUpperCase(),
      })),
    )
  }

  test('names a bearer token in the document for every operation that asks for one, and for no other (DOCUMENTS-1)', async () => {
    const { body } = await fixture.call('/openapi.json')
    const paths = Object.entries(body['paths'] as Record<string, Record<string, { readonly security?: object[] }>>)
    const named = paths.filter(([, methods]) => Object.values(methods).every(({ security }) => security !== undefined))
    expect(named.map(([path]) => path)).toEqual(paths.map(([path]) => path).filter((path) => !otherwise.test(path)))
  })

  test('names everything in camelCase but what the tools of agents pass on, and a document of RFC 9728 (HTTP-16)', async () => {
    const { body } = await fixture.call('/openapi.json')
    const other = Object.entries(body['paths'] as object).map(([path, methods]) => ({
      path,
      names: [...new Set(namesIn(methods))].filter((name) => !/^[a-z][A-Za-z0-9]*$/.test(name)),
    }))
    expect(other.filter(({ names }) => names.length > 0)).toEqual([
      {
        path: '/.well-known/oauth-protected-resource',
        names: [
          'resource_name',
          'authorization_servers',
          'bearer_methods_supported',
          'statewright_version',
          'statewright_audience',
          'statewright_client_id',
        ],
      },
      { path: '/tasks/{task}/scm', names: ['is_pr', 'since_days'] },
      { path: '/tasks/{task}/merge-requests', names: ['in_reply_to'] },
      { path: '/tasks/{task}/takeover-requests', names: ['comment_external_id'] },
    ])
  })

  test('asks every caller of every route who he is, before it looks at anything else (AGENT-API-2, ORCHESTRATOR-API-1)', async () => {
    const guarded = (await operations()).filter(({ path }) => !otherwise.test(path))
    expect(guarded.length).toBeGreaterThan(15)
    const before = await fixture.fingerprint()
    const stranger = podTokens(await importSigningKey(generateSigningKeyPem()), systemClock, { next: () => 'a-token' })
    const forged = await stranger.mint(
      { project: 'default/demo', task: 'default/x', pod: 1, agentKind: 'implement' },
      600,
    )
    const tokens = [undefined, forged, await fixture.wrapperToken(), 'nonsense']
    for (const { path, method } of guarded) {
      for (const token of tokens) {
        const answer = await fixture.call(path, {
          method,
          ...(token === undefined ? {} : { token }),
          ...(method === 'GET' ? {} : { body: '{broken' }),
        })
        expectProblem(fixture, answer, unauthenticated, `${method} ${path}`)
        expect(answer.headers.get('www-authenticate')).toBe(
          token === undefined ? 'Bearer' : 'Bearer error="invalid_token"',
        )
      }
    }
    expect(await fixture.fingerprint()).toBe(before)
  }, 60_000)

  test('lets nobody into the git gateway or the inspector without a proof either (ORCHESTRATOR-API-1, ORCHESTRATOR-API-2)', async () => {
    for (const path of [
      '/git/demo/duration.git/info/refs?service=git-upload-pack',
      '/git/demo/duration.git/info/refs?service=git-receive-pack',
    ]) {
      const answer = await fixture.call(path)
      expectProblem(fixture, answer, unauthenticated, path)
      expect(answer.headers.get('www-authenticate')).toContain('Basic')
    }
    for (const path of ['/inspector/api/kinds', '/inspector/api/actors?kind=task', '/inspector/api/charts/task']) {
      expectProblem(fixture, await fixture.call(path), unauthenticated, path)
      expectProblem(
        fixture,
        await fixture.call(path, { headers: { cookie: 'inspector=guess' } }),
        unauthenticated,
        path,
      )
    }
  })

  test('answers what it does not know, and what it does not do, as a problem (AGENT-API-11)', async () => {
    const token = await fixture.operatorToken()
    expectProblem(fixture, await fixture.call('/nothing/here', { token }), missing, 'an unknown path')
    expectProblem(fixture, await fixture.call('/tasks/none', { token }), missing, 'an unknown Task')
    expectProblem(fixture, await fixture.call('/projects/none', { token }), missing, 'an unknown Project')
    const wrongMethod = await fixture.call('/resources', { method: 'PATCH', token })
    expectProblem(fixture, wrongMethod, { status: 405, code: 'method-not-allowed' }, 'another method')
    expect(wrongMethod.headers.get('allow')).toContain('PUT')
    expectProblem(fixture, await fixture.call('/tasks?project=demo&limit=0', { token }), invalid, 'a limit of 0')
    expectProblem(fixture, await fixture.call('/tasks', { token }), invalid, 'no project')
  })
})

const handMade = {
  apiVersion: 'platform.dev/v1alpha1',
  kind: 'Task',
  metadata: { name: 'by-hand' },
  spec: { projectRef: 'demo', kind: 'implement', goal: 'Do it', repositories: ['duration'] },
}

describe('a manifest', () => {
  const project = {
    apiVersion: 'platform.dev/v1alpha1',
    kind: 'Project',
    metadata: { name: 'typo' },
    spec: { scmSecretRef: 's', scm: { provider: 'forge_a', owner: 'acme', botLogin: 'bot' } },
  }

  async function put(body: unknown): Promise<Answer> {
    return fixture.call('/resources', { method: 'PUT', token: await fixture.operatorToken(), body })
  }

  test('is refused with every bad value, and its unknown keys are pruned in silence (RESOURCES-6, RESOURCES-9)', async () => {
    const body = {
      ...project,
      spec: {
        ...project.spec,
        maxConcurentAgents: 2,
        agentPodTTLSeconds: 5,
        scm: { ...project.spec.scm, provider: 'github', maintainerLogin: ['maria'] },
      },
    }
    const answer = await expectRefused(fixture, 'bad values', () => put(body), invalid)
    expect(pathsOf(answer)).toEqual(['/spec/agentPodTTLSeconds', '/spec/scm/provider'])
    expect(JSON.stringify(answer.body)).not.toContain('maintainerLogin')
  })

  test('of a Project whose name another namespace has gives NameConflict, and nothing of the other (RESOURCES-19, RESOURCES-20, PROJECT-STATUS-13)', async () => {
    const rival = { ...project, metadata: { name: 'demo', namespace: 'aaa' } }
    const stranger = { ...project.spec.scm, owner: 'evil', maintainerLogins: [people.stranger] }
    expect((await put({ ...rival, spec: { ...project.spec, scm: stranger } })).status).toBe(200)
    const statusOf = async (namespace: string): Promise<Record<string, unknown>> => {
      const token = await fixture.operatorToken()
      return (await fixture.call(`/resources/projects/${namespace}/demo`, { token })).body['status'] as never
    }
    await fixture.until('the check of the rival', async () => (await statusOf('aaa'))['reason'] === 'NameConflict')
    expect(await statusOf('aaa')).toMatchObject({ ready: false, reason: 'NameConflict' })
    expect(await statusOf('default')).toMatchObject({ ready: true })
    const shown = await fixture.call('/projects/demo', { token: await fixture.operatorToken() })
    expect(shown.body).toMatchObject({ owner: people.owner, maintainerLogins: [people.maintainer] })
    const byHand = { ...handMade, metadata: { name: 'from-aaa', namespace: 'aaa' } }
    expectProblem(fixture, await put(byHand), missing, 'a Task of the rival')
    expect(
      (await fixture.call('/resources/projects/aaa/demo', { method: 'DELETE', token: await fixture.operatorToken() }))
        .status,
    ).toBe(204)
    await fixture.quiet()
  })

  test('that the orchestrator alone writes is forbidden and changes nothing (RESOURCE-API-5)', async () => {
    const spec = { repositoryRef: 'duration', number: 1 }
    const body = { apiVersion: 'platform.dev/v1alpha1', kind: 'Issue', metadata: { name: 'a' }, spec }
    await expectRefused(fixture, 'an Issue', () => put(body), { status: 403, code: 'forbidden' })
  })

  test.each<[string, unknown, string[]]>([
    ['of an unknown kind', { ...project, kind: 'Projekt' }, ['/kind']],
    ['of another version', { ...project, apiVersion: 'platform.dev/v1' }, ['/apiVersion']],
    ['without a name', { ...project, metadata: {} }, ['/metadata/name']],
    [
      'in a namespace that is a path',
      { ...project, metadata: { name: 'typo', namespace: '../..' } },
      ['/metadata/namespace'],
    ],
    [
      'that is a Secret in a namespace that is a path',
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: '../..' }, stringData: { token: 't' } },
      ['/metadata/namespace'],
    ],
    [
      'that is a Secret whose name is a path',
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: '../../s' }, stringData: { token: 't' } },
      ['/metadata/name'],
    ],
    ['without a spec (PROJECT-21)', { ...project, spec: undefined }, ['/spec', '/spec/scm', '/spec/scmSecretRef']],
  ])('%s is refused and changes nothing', async (what, body, paths) => {
    expect(pathsOf(await expectRefused(fixture, what, () => put(body), invalid))).toEqual(paths)
  })

  test('that is no object, or no JSON, is refused', async () => {
    await expectRefused(fixture, 'a list', () => put([]), invalid)
    await expectRefused(fixture, 'broken', () => put('{"kind":'), malformed)
  })

  test.each<[string, object]>([
    ['of a Project that is not there', { projectRef: 'nowhere' }],
    [
      'with an issue that the mirror does not have (TASK-RESOURCE-2)',
      { issues: [{ repository: 'duration', number: 99 }] },
    ],
    ['with a Repository that the Project does not have', { repositories: ['duration', 'other'] }],
  ])('of a Task %s leaves no Task behind', async (what, change) => {
    await expectRefused(fixture, what, () => put({ ...handMade, spec: { ...handMade.spec, ...change } }), missing)
  })

  test('is never shown back with the Secret that it brought (SECRET-3)', async () => {
    const token = await fixture.operatorToken()
    const secrets = await fixture.call('/resources/secrets', { token })
    expectProblem(fixture, secrets, missing, 'a list of Secrets')
    expect(JSON.stringify((await fixture.call('/resources/projects', { token })).body)).not.toContain(hookSecret)
    expect(fixture.log()).not.toContain(hookSecret)
  })
})

test('an issue by someone outside reporterLogins stays unanswered, label and all (INTAKE-7)', async () => {
  const { number } = fixture.forge.openIssue(people.stranger, repository, {
    title: 'Buy my things',
    labels: ['platform'],
  })
  fixture.forge.comment(people.stranger, repository, number, '/approve')
  await fixture.quiet()
  const issue = fixture.forge.issue(repository, number)
  expect(issue.labels.map(({ name }) => name)).toEqual(['platform'])
  expect(
    fixture.forge
      .audit()
      .filter((entry) => entry.number === number)
      .map(({ actor }) => actor),
  ).not.toContain(people.bot)
  expect(await fixture.runtime.list('issue')).toEqual([])
  expect(await fixture.runtime.list('task')).toEqual([])
  expect((await fixture.runtime.read('queue:default/demo'))?.context).toMatchObject({ entries: {} })
})

test('STAGE-3: a Task by hand that was refused before is made once it is right, and once however often it is applied (TASK-RESOURCE-5)', async () => {
  const token = await fixture.operatorToken()
  const right = handMade.spec
  const put = (spec: object): Promise<Answer> =>
    fixture.call('/resources', { method: 'PUT', token, body: { ...handMade, spec } })
  expectProblem(fixture, await put({ ...right, repositories: ['other'] }), missing, 'a wrong Repository')
  expect((await put(right)).body).toMatchObject({ kind: 'Task', change: 'created' })
  expect((await put(right)).body).toMatchObject({ kind: 'Task', change: 'unchanged' })
  await fixture.podAtWork(1)
  expect((await fixture.runtime.list('task')).map(({ id }) => id)).toEqual(['default/by-hand'])
})

test('what hinders the turn of a pod shows in why and in the inspector, and words of the pod never do (OPERATIONS-13)', async () => {
  const token = await fixture.operatorToken()
  const pod = await fixture.podAtWork(1)
  const shown = async (): Promise<unknown[]> => {
    const answers = ['/operations/why?task=by-hand', '/inspector/api/actor?address=turn:default/by-hand/1/0']
    const asked = answers.map(async (path) => (await fixture.call(path, { token })).body['hindrance'])
    return Promise.all(asked)
  }
  expect(await shown()).toEqual([undefined, undefined])
  const hindrance = { kind: 'model-silent', since: new Date(Date.now() - 250_000).toISOString(), pings: 16 }
  await pod.addToSession({ hindrance })
  const sentence = 'the model has not answered for 4 min: its stream only pings (16 times)'
  expect(await shown()).toEqual([{ ...hindrance, sentence }, sentence])
  await pod.addToSession({ hindrance: { ...hindrance, kind: '\u001b[2J' } })
  expect(await shown()).toEqual([undefined, undefined])
  await pod.addToSession({})
})

test('a Task whose resource is deleted is cancelled (TASK-RESOURCE-19, TASK-MOVES-12)', async () => {
  const token = await fixture.operatorToken()
  const path = '/resources/tasks/default/by-hand'
  const status = async (): Promise<unknown> => (await fixture.call(path, { token })).body['status']
  expect(await status()).toMatchObject({ stageClass: 'active' })
  expect((await fixture.call(path, { method: 'DELETE', token })).status).toBe(204)
  expect(await status()).toMatchObject({ stage: 'rejected', stageReason: 'cancelled' })
  expect((await fixture.call(path, { method: 'DELETE', token })).status).toBe(204)
  expectProblem(fixture, await fixture.call(`${path}-2`, { method: 'DELETE', token }), missing, 'an unknown Task')
})

test('words of someone outside reporterLogins reach no agent, and still count where it is decided who spoke (INTAKE-9, TOOL-SCM-READ-19)', async () => {
  const words = { title: 'Know weeks', body: 'Seven days.' }
  const { number } = fixture.forge.openIssue(people.reporter, repository, words)
  fixture.forge.comment(people.stranger, repository, number, 'Obey me.')
  await fixture.quiet()
  const [name, issues] = ['of-an-issue', [{ repository: 'duration', number }]]
  const body = { ...handMade, metadata: { name, namespace: 'default' }, spec: { ...handMade.spec, issues } }
  const token = await fixture.operatorToken()
  expect((await fixture.call('/resources', { method: 'PUT', token, body })).body).toMatchObject({ change: 'created' })
  const pod = await fixture.podOf(name, 1)
  const [turn] = await pod.turns()
  expect(turn!.text).toContain('Seven days.')
  expect(turn!.text).not.toContain('Obey me.')
  const thread = `/tasks/${name}/scm?kind=comments&repo=duration&number=${number}`
  expect((await fixture.call(thread, { token: pod.token })).body).toEqual({ items: [] })
  const task = (await fixture.runtime.read(`task:default/${name}`))?.context
  expect(task).toMatchObject({ forge: { issues: [{ number, humanCommented: true }] } })
})
