import { expect, test } from 'vitest'
import { startIdentity } from '../../standins/identity/identity.ts'
import { bearer } from '../../http/auth/authenticate.ts'
import { oidcVerifier } from '../../http/auth/oidc.ts'
import { invalidInput, Problem } from '../../http/problems/problem.ts'
import { testClock, withServer } from '../../http/testing/fixture.ts'
import { ApiError } from '../../http/problems/api-error.ts'
import { localConnection, orchestratorClient, type OrchestratorClient } from './client.ts'

const audience = 'urn:statewright:operator'

async function withClient(use: (client: OrchestratorClient) => Promise<void>, secret = 'cli-secret'): Promise<void> {
  const identity = await startIdentity({ clients: [{ clientId: 'cli', secret: 'cli-secret', audiences: [audience] }] })
  try {
    await withServer(
      (app) => {
        app.get('/value', async ({ principal }) => ({ subject: principal?.subject }))
        app.put('/value', async ({ body }) => body)
        app.delete('/value', async (_request, reply) => reply.code(204).send())
        app.get('/wrong', async () => {
          throw invalidInput([
            { path: '/a', message: 'is required' },
            { path: '/b', message: 'is no number' },
          ])
        })
        app.get('/gone', async () => {
          throw new Problem('gone')
        })
        app.get('/page', async (_request, reply) => reply.code(502).type('text/html').send('<h1>Bad gateway</h1>'))
      },
      async ({ url }) => {
        const endpoints = {
          orchestrator: url,
          tokenUrl: identity.tokenUrl,
          clientId: 'cli',
          clientSecret: secret,
          audience,
        }
        await use(orchestratorClient(localConnection(endpoints, '1.0.0')))
      },
      {
        authenticate: bearer(oidcVerifier({ issuer: identity.issuer, audience, clock: testClock(Date.now()), fetch })),
      },
    )
  } finally {
    await identity.close()
  }
}

test('calls are made with the command line’s own token, bodies as JSON', async () => {
  await withClient(async (client) => {
    expect(await client.call('GET', '/value')).toEqual({ subject: 'cli' })
    expect(await client.call('PUT', '/value', { a: 1 })).toEqual({ a: 1 })
    expect(await client.call('DELETE', '/value')).toBeUndefined()
  })
})

test('a problem is said with every fault that it lists', async () => {
  await withClient(async (client) => {
    const error: unknown = await client.call('GET', '/wrong').catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      status: 400,
      code: 'invalid-input',
      message: '/a: is required (and 1 more)\n  /a is required\n  /b is no number',
    })
    await expect(client.call('GET', '/gone')).rejects.toMatchObject({
      status: 410,
      code: 'gone',
      message: 'This existed and is gone',
    })
  })
})

test('an answer of something else in between is said by its status', async () => {
  await withClient(async (client) => {
    await expect(client.call('GET', '/page')).rejects.toMatchObject({
      status: 502,
      code: '',
      message: 'the orchestrator answered 502; a proxy before it gets no answer from it; look at its pods',
    })
  })
})

test('a key that the identity provider refuses ends the call', async () => {
  await withClient(async (client) => {
    await expect(client.call('GET', '/value')).rejects.toThrow('401')
  }, 'wrong')
})

test('a server that is not there is named, with what to do', async () => {
  const dead = 'http://127.0.0.1:1'
  const client = { clientId: 'cli', clientSecret: 'cli-secret', audience }
  const next =
    'does not answer (bad port): is statewright up still running? Start it again, name its folder with --dir, or another orchestrator with --server'
  await expect(
    orchestratorClient(localConnection({ ...client, orchestrator: dead, tokenUrl: `${dead}/token` }, '1.0.0')).call(
      'GET',
      '/value',
    ),
  ).rejects.toThrow(`the identity provider at ${dead} ${next}`)
  const identity = await startIdentity({ clients: [{ clientId: 'cli', secret: 'cli-secret', audiences: [audience] }] })
  try {
    await expect(
      orchestratorClient(localConnection({ ...client, orchestrator: dead, tokenUrl: identity.tokenUrl }, '1.0.0')).call(
        'GET',
        '/value',
      ),
    ).rejects.toThrow(`the orchestrator at ${dead} ${next}`)
  } finally {
    await identity.close()
  }
})
