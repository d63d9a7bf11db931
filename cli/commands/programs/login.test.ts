import { mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { bearer, guard } from '../../../http/auth/authenticate.ts'
import { oidcVerifier } from '../../../http/auth/oidc.ts'
import { testClock, withServer } from '../../../http/testing/fixture.ts'
import { protectedResourceRoute } from '../../../orchestrator/wiring/protected-resource.ts'
import { startIdentity, type Identity } from '../../../standins/identity/identity.ts'
import { confirm } from '../../../standins/identity/testing/browser.ts'
import { UsageError } from '../../args.ts'
import { credentialsFile } from '../../knowledge-service.ts'
import { contextsFile } from '../../server/contexts.ts'
import { context } from './context.ts'
import { cancel } from '../work/task-verbs.ts'
import { login } from './login.ts'
import { said } from '../testing/fixture.ts'

const audience = 'urn:statewright:operator'
const signInCode = 'printed on the terminal of its operator'
let identity: Identity

beforeEach(async () => {
  vi.stubEnv('XDG_CONFIG_HOME', mkdtempSync(join(tmpdir(), 'statewright-home-')))
  const devices = [{ clientId: 'statewright-cli', audiences: [audience] }]
  identity = await startIdentity({ clients: [], people: { devices, signInCode } })
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await identity.close()
})

/** An orchestrator that knows one Task, and publishes where to sign in. */
async function withOrchestrator(use: (url: string, cancelledBy: string[]) => Promise<void>): Promise<void> {
  const cancelledBy: string[] = []
  const { issuer } = identity
  let url = ''
  await withServer(
    (app) => {
      const oidc = { issuer, audience, cliClientId: 'statewright-cli' }
      protectedResourceRoute(app, { publicUrl: () => url, oidc, version: '1.0.0' })
      app.post('/operations/cancel', { preHandler: authenticate(issuer) }, async ({ principal }) => {
        cancelledBy.push(principal?.subject ?? '')
        return { stage: 'rejected', stageReason: 'cancelled' }
      })
    },
    async (server) => {
      url = server.url
      await use(url, cancelledBy)
    },
  )
}

function authenticate(issuer: string) {
  return guard(bearer(oidcVerifier({ issuer, audience, clock: testClock(Date.now()), fetch })))
}

/** A person reads the address from the terminal and confirms it in a browser. */
function confirming(): { readonly lines: readonly string[]; readonly done: Promise<void>[] } {
  const lines: string[] = []
  const done: Promise<void>[] = []
  vi.spyOn(console, 'error').mockImplementation((line) => {
    lines.push(String(line))
    const address = /^open (\S+)/.exec(String(line))?.[1]
    if (address !== undefined) done.push(confirm(address, signInCode))
  })
  return { lines, done }
}

describe('statewright login --server', () => {
  test('signs a person in with the address alone; other commands then ask it, until the person signs out', async () => {
    await withOrchestrator(async (url, cancelledBy) => {
      const { lines, done } = confirming()
      const out = vi.spyOn(console, 'log').mockImplementation(() => undefined)
      expect(await login(['--server', url])).toBe(0)
      await Promise.all(done)
      const host = new URL(url).host
      expect(out).toHaveBeenLastCalledWith(`signed in at ${url}; the current context is ${host}`)
      // Before anybody confirms: what will be given to whom.
      expect(lines[0]).toBe(`${identity.issuer} is asked for a token of ${audience}, which ${url} will get`)
      const answered = await said(() => cancel(['a', '--context', host]))
      expect(answered.out).toBe('a: rejected, cancelled')
      expect(cancelledBy).toEqual(['ada'])
      const listed = await said(() => context([]))
      expect(listed.out).toContain(`*  ${host}`)
      for (const file of [credentialsFile(process.env), contextsFile(process.env)])
        expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(readFileSync(contextsFile(process.env), 'utf8')).not.toContain('eyJ')
      const left = await said(() => login(['--out', '--server', url]))
      expect(left.out).toBe(`signed out of ${url}`)
      await expect(cancel(['a', '--server', url])).rejects.toThrow(`nobody is signed in at ${url}`)
      expect((await said(() => context([]))).out).toBe('no contexts: statewright login --server URL makes one')
    })
  })

  test('a server that publishes nothing is named, with what to give in its place', async () => {
    await withServer(
      () => undefined,
      async ({ url }) => {
        await expect(login(['--server', url])).rejects.toThrow(
          `${url} does not publish where to sign in (${url} answered 404): check the address, or give --issuer and --audience`,
        )
      },
    )
  })

  test.each(['https://work.example.org', 'http://127.0.0.1:1', 'http://['])(
    'metadata of another resource, %s, is refused before anybody signs in, and the refusal names what to give',
    async (resource) => {
      vi.stubGlobal('fetch', async () =>
        Response.json({
          resource,
          resource_name: 'Statewright orchestrator',
          authorization_servers: [identity.issuer],
          bearer_methods_supported: ['header'],
          statewright_version: '1.0.0',
          statewright_audience: audience,
          statewright_client_id: 'statewright-cli',
        }),
      )
      onTestFinished(() => void vi.unstubAllGlobals())
      await expect(login(['--server', 'https://relay.example.org'])).rejects.toThrow(
        `https://relay.example.org publishes how to sign in at ${resource}, which is another address: give --server ${resource} if you mean that one, else --issuer and --audience`,
      )
    },
  )

  test('a plain address on another machine, two services and a context without a server are faults of the call', async () => {
    await expect(login(['--server', 'http://statewright.example.org'])).rejects.toThrow(UsageError)
    await expect(login(['--server', 'https://a.example.org', '--url', 'https://b.example.org'])).rejects.toThrow(
      '--server and --url name two services: give one',
    )
    await expect(login(['--context', 'work'])).rejects.toThrow('--context needs --server')
  })
})

test('statewright context use chooses, and names what is not there', async () => {
  await expect(context(['use', 'nobody'])).rejects.toThrow('there is no context nobody')
  await expect(context(['drop'])).rejects.toThrow(UsageError)
})
