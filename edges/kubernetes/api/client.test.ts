import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { KubeError } from './answers.ts'
import { applyPatch, pathOf, type KubeClient, type WatchEvent } from './api.ts'
import { createKubeClient } from './client.ts'
import {
  answerJson,
  kubeconfigOf,
  withApiServer,
  type Answering,
  type ApiServerUnderTest,
} from '../testing/api-server.ts'

const tasks = { apiVersion: 'platform.dev/v1alpha1', plural: 'tasks' }
const path = pathOf(tasks, { namespace: 'team', name: 'one' })

async function withClient(
  answering: Answering,
  use: (client: KubeClient, server: ApiServerUnderTest) => Promise<void>,
  options: object = {},
): Promise<void> {
  await withApiServer(answering, async (server) => {
    const client = createKubeClient({ kubeconfig: server.kubeconfig, ...options })
    try {
      await use(client, server)
    } finally {
      await client.close()
    }
  })
}

async function failureOf(asked: Promise<unknown>): Promise<KubeError> {
  const failure = await asked.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(failure).toBeInstanceOf(KubeError)
  return failure as KubeError
}

const ok: Answering = (_asked, response) => answerJson(response, 200, { kind: 'Task' })

test('sends method, query, body, content type and token, and gives the body of the answer', async () => {
  await withClient(ok, async (client, { asked }) => {
    const query = { fieldManager: 'statewright', force: true }
    expect(await client.ask('PATCH', path, { query, body: { spec: {} }, type: applyPatch })).toEqual({ kind: 'Task' })
    await client.ask('GET', path)
    expect(asked.map(({ method, path: to, body }) => [method, to, body])).toEqual([
      ['PATCH', `${path}?fieldManager=statewright&force=true`, '{"spec":{}}'],
      ['GET', path, ''],
    ])
    expect(asked[0]?.headers).toMatchObject({ authorization: 'Bearer a-token', 'content-type': applyPatch })
    expect(asked[1]?.headers['content-type']).toBeUndefined()
  })
})

test('an answer that is asked for as text is given as it is, and a refusal of it is read as any other', async () => {
  const text: Answering = (_asked, response) => void response.end('{"a":1}\nplain')
  await withClient(text, async (client) =>
    expect(await client.ask('GET', path, { isText: true })).toBe('{"a":1}\nplain'),
  )
  const gone: Answering = (_asked, response) => answerJson(response, 404, { reason: 'NotFound', message: 'no pod' })
  await withClient(gone, (client) =>
    expect(client.ask('GET', path, { isText: true })).rejects.toMatchObject({ code: 404, message: 'no pod' }),
  )
})

test('a refusal is an error with code, reason, message and pause', async () => {
  const conflict = { kind: 'Status', reason: 'Conflict', message: 'the object has been modified', code: 409 }
  await withClient(
    (_asked, response) => answerJson(response, 409, conflict, { 'retry-after': '2' }),
    async (client) => {
      const { code, reason, message, retryAfterMs, isRetryable } = await failureOf(
        client.ask('PUT', path, { body: {} }),
      )
      expect({ code, reason, message, retryAfterMs, isRetryable }).toEqual({
        code: 409,
        reason: 'Conflict',
        message: 'the object has been modified',
        retryAfterMs: 2_000,
        isRetryable: true,
      })
    },
  )
})

test('a proxy’s page is an error by its code; a page with 200 is no answer', async () => {
  for (const [code, expected] of [
    [503, { code: 503, reason: 'ServiceUnavailable', isRetryable: true }],
    [200, { code: 0, reason: 'NoAnswer', isRetryable: true }],
  ] as const)
    await withClient(
      (_asked, response) => response.writeHead(code).end('<html>a-token</html>'),
      async (client) => {
        const failure = await failureOf(client.ask('GET', path))
        expect(failure).toMatchObject(expected)
        expect(failure.message).not.toContain('a-token')
      },
    )
})

test('no message shows the token, nor what a Secret that was written holds', async () => {
  await withClient(
    ({ headers, body }, response) => answerJson(response, 422, { message: `${headers.authorization} sent ${body}` }),
    async (client) => {
      const body = { data: { token: 'c2VjcmV0' }, stringData: { key: 'hunter2' } }
      const failure = await failureOf(client.ask('POST', '/api/v1/namespaces/team/secrets', { body }))
      expect(failure.message).toContain('Bearer [redacted] sent')
      expect(`${failure.message}${failure.stack}${JSON.stringify(failure)}`).not.toMatch(/a-token|c2VjcmV0|hunter2/)
    },
  )
})

test('a server that is not there is no answer, and worth asking again', async () => {
  await withApiServer(ok, async (server) => {
    await writeFile(server.kubeconfig, kubeconfigOf('http://127.0.0.1:1', {}))
    const client = createKubeClient({ kubeconfig: server.kubeconfig })
    expect(await failureOf(client.ask('GET', path))).toMatchObject({ code: 0, reason: 'NoAnswer', isRetryable: true })
    await client.close()
  })
})

test('a socket that is cut before the answer, or within it, is no answer', async () => {
  const cuts: Answering[] = [
    (_asked, response) => response.destroy(),
    (_asked, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{"kind":', () => response.destroy())
    },
  ]
  for (const cut of cuts)
    await withClient(cut, async (client) => {
      expect(await failureOf(client.ask('GET', path))).toMatchObject({ code: 0, reason: 'NoAnswer', isRetryable: true })
    })
})

test('a server that takes a request and never answers is given up', async () => {
  await withClient(
    () => undefined,
    async (client) => {
      expect((await failureOf(client.ask('GET', path))).message).toContain('UND_ERR_HEADERS_TIMEOUT')
    },
    { timeoutMs: 200 },
  )
})

test('what the caller ends is aborted, and the socket of it is gone', async () => {
  await withClient(
    () => undefined,
    async (client, { asked }) => {
      const aborting = new AbortController()
      const failure = failureOf(client.ask('GET', path, { signal: aborting.signal }))
      await expect.poll(() => asked.length).toBe(1)
      aborting.abort()
      expect(await failure).toMatchObject({ code: 0, reason: 'Aborted', isRetryable: false })
    },
  )
})

test('all requests share a few sockets', async () => {
  await withClient(ok, async (client, { connections }) => {
    for (let times = 0; times < 20; times++) await client.ask('GET', path)
    // One that has answered is free a moment later.
    expect(connections()).toBeLessThanOrEqual(2)
    for (let times = 0; times < 10; times++)
      await Promise.all(Array.from({ length: 8 }, () => client.ask('PATCH', path, { body: {} })))
    expect(connections()).toBeLessThanOrEqual(20)
  })
})

test('a token in a file is read at every request', async () => {
  await withClient(ok, async (_client, server) => {
    await writeFile(join(server.folder, 'token'), 'first\n')
    await writeFile(server.kubeconfig, kubeconfigOf(server.url, { tokenFile: 'token' }))
    const client = createKubeClient({ kubeconfig: server.kubeconfig })
    await client.ask('GET', path)
    await writeFile(join(server.folder, 'token'), 'second\n')
    await client.ask('GET', path)
    expect(server.asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer first', 'Bearer second'])
    expect(server.connections()).toBeLessThanOrEqual(2)
    await client.close()
  })
})

const refusesOld: Answering = ({ headers }, response) =>
  headers.authorization === 'Bearer new-token'
    ? answerJson(response, 200, {})
    : answerJson(response, 401, { reason: 'Unauthorized', message: 'Unauthorized' })

test('refused as unknown, it reads the kubeconfig again and asks once more', async () => {
  await withClient(refusesOld, async (client, server) => {
    await writeFile(server.kubeconfig, kubeconfigOf(server.url, { token: 'new-token' }))
    await client.ask('GET', path)
    expect(server.asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer a-token', 'Bearer new-token'])
  })
})

test('refused twice, or with a kubeconfig that is half written, it is a 401 that is not worth asking again', async () => {
  for (const written of ['', undefined])
    await withClient(refusesOld, async (client, server) => {
      if (written !== undefined) await writeFile(server.kubeconfig, written)
      expect(await failureOf(client.ask('GET', path))).toMatchObject({ code: 401, isRetryable: false })
      expect(server.asked.length).toBe(2)
    })
})

test('a plugin gives the token, and is run again when the server refuses it', async () => {
  await withApiServer(refusesOld, async (server) => {
    const plugin = join(server.folder, 'plugin')
    const script = `#!/bin/sh
[ -e "${server.folder}/ran" ] && token=new-token || token=old-token
touch "${server.folder}/ran"
echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "'$token'"}}'`
    await writeFile(plugin, script)
    await chmod(plugin, 0o755)
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: plugin }
    await writeFile(server.kubeconfig, kubeconfigOf(server.url, { exec }))
    const client = createKubeClient({ kubeconfig: server.kubeconfig })
    for (let times = 0; times < 3; times++) await client.ask('GET', path)
    const tokens = server.asked.map(({ headers }) => headers.authorization)
    expect(tokens).toEqual(['Bearer old-token', ...Array.from({ length: 3 }, () => 'Bearer new-token')])
    await client.close()
  })
})

test('a plugin that prints no JSON is no credentials, and what it printed is not shown', async () => {
  await withApiServer(ok, async (server) => {
    const plugin = join(server.folder, 'plugin')
    await writeFile(plugin, '#!/bin/sh\necho a-bare-token')
    await chmod(plugin, 0o755)
    await writeFile(server.kubeconfig, kubeconfigOf(server.url, { exec: { command: plugin } }))
    const client = createKubeClient({ kubeconfig: server.kubeconfig })
    const failure = await failureOf(client.ask('GET', path))
    expect(failure).toMatchObject({ code: 0, reason: 'NoCredentials', isRetryable: true })
    expect(failure.message).not.toContain('a-bare')
    await client.close()
  })
})

test('a file that is no kubeconfig, and a process that is in no pod, are refused at the start', async () => {
  await withApiServer(ok, async ({ kubeconfig, folder }) => {
    expect(() => createKubeClient({ kubeconfig: join(folder, 'missing') })).toThrow('ENOENT')
    await writeFile(kubeconfig, '{}')
    expect(() => createKubeClient({ kubeconfig })).toThrow('no current cluster')
    expect(() => createKubeClient()).toThrow('this is no pod of a cluster')
  })
})

async function eventsOf(client: KubeClient, signal?: AbortSignal): Promise<WatchEvent[]> {
  const events: WatchEvent[] = []
  for await (const event of client.watch(pathOf(tasks), {
    query: { resourceVersion: '5' },
    ...(signal ? { signal } : {}),
  }))
    events.push(event)
  return events
}

const eventLine = (name: string): string => `${JSON.stringify({ type: 'ADDED', object: { metadata: { name } } })}\n`

test('a watch gives its documents one by one, however its bytes are cut', async () => {
  const bytes = Buffer.from(`${eventLine('ä')}\n${eventLine('b')}${eventLine('c')}`)
  await withClient(
    (_asked, response) => {
      response.writeHead(200)
      const parts = Array.from({ length: bytes.length }, (_, at) => bytes.subarray(at, at + 1))
      const send = (): void => {
        const part = parts.shift()
        if (part === undefined) response.end()
        else response.write(part, send)
      }
      send()
    },
    async (client, { asked }) => {
      expect((await eventsOf(client)).map(({ object }) => object.metadata.name)).toEqual(['ä', 'b', 'c'])
      expect(asked[0]?.path).toBe(`${pathOf(tasks)}?resourceVersion=5&watch=true`)
    },
  )
})

test('a watch that is refused, cut, or ended within a document is an error; what came before counts', async () => {
  const cases: [Answering, object][] = [
    [(_asked, response) => answerJson(response, 410, { reason: 'Expired' }), { code: 410, reason: 'Expired' }],
    [(_asked, response) => response.write(eventLine('a'), () => response.destroy()), { code: 0, reason: 'NoAnswer' }],
    [(_asked, response) => response.end(`${eventLine('a')}{"type":`), { code: 0, reason: 'NoAnswer' }],
  ]
  for (const [answering, expected] of cases)
    await withClient(answering, async (client) => {
      expect(await failureOf(eventsOf(client))).toMatchObject(expected)
    })
})

test('a watch that is silent for too long is given up', async () => {
  await withClient(
    (_asked, response) => response.write(eventLine('a')),
    async (client) => {
      expect((await failureOf(eventsOf(client))).message).toContain('UND_ERR_BODY_TIMEOUT')
    },
    { watchSilenceMs: 200 },
  )
})

test('a watch ends without an error when its signal fires, before and after its first document', async () => {
  for (const answering of [() => undefined, (_asked, response) => response.write(eventLine('a'))] as Answering[])
    await withClient(answering, async (client, { asked }) => {
      const aborting = new AbortController()
      const ended = eventsOf(client, aborting.signal)
      await expect.poll(() => asked.length).toBe(1)
      aborting.abort()
      await ended
    })
})

test('after close nothing is asked, and a watch under way ends', async () => {
  await withClient(
    (_asked, response) => response.write(eventLine('a')),
    async (client, { asked }) => {
      const ended = failureOf(eventsOf(client))
      await expect.poll(() => asked.length).toBe(1)
      await client.close()
      expect(await ended).toMatchObject({ reason: 'Aborted' })
      expect(await failureOf(client.ask('GET', path))).toMatchObject({ reason: 'Aborted' })
      expect(asked.length).toBe(1)
    },
  )
})

test('other certificates have other sockets; a watch over the earlier ones goes on, and ends with the client', async () => {
  const watching: Answering = ({ path: to }, response) =>
    to.includes('watch=true') ? response.write(eventLine('a')) : answerJson(response, 200, {})
  await withApiServer(watching, async (server) => {
    const authority = join(server.folder, 'ca')
    await writeFile(authority, 'first')
    const cluster = { 'insecure-skip-tls-verify': true, 'certificate-authority': 'ca' }
    await writeFile(server.kubeconfig, kubeconfigOf(server.url, { token: 'a-token' }, cluster))
    const client = createKubeClient({ kubeconfig: server.kubeconfig })
    const events: WatchEvent[] = []
    const ended = failureOf(
      (async () => {
        for await (const event of client.watch(pathOf(tasks), {})) events.push(event)
      })(),
    )
    await expect.poll(() => events.length).toBe(1)
    for (let times = 0; times < 5; times++) await client.ask('GET', path)
    const before = server.connections()
    await writeFile(authority, 'second')
    await client.ask('GET', path)
    expect(server.connections()).toBeGreaterThan(before)
    await client.close()
    expect(await ended).toMatchObject({ reason: 'Aborted' })
  })
})
