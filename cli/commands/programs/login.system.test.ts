/** `statewright login` at a provider that nobody here wrote: `zitadel/oidc`'s example (`.ci/oidc.sh`). */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { bearer } from '../../../http/auth/authenticate.ts'
import { oidcVerifier } from '../../../http/auth/oidc.ts'
import { rightsOf } from '../../../http/auth/roles.ts'
import { testClock, withServer } from '../../../http/testing/fixture.ts'
import { tokenStore } from '../../../memory/client/token-store.ts'
import { protectedResourceRoute } from '../../../orchestrator/wiring/protected-resource.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import { confirmDevice, startZitadel } from '../../../testing/zitadel.ts'
import { credentialsFile } from '../../knowledge-service.ts'
import { login } from './login.ts'
import { cancel } from '../work/task-verbs.ts'
import { said } from '../testing/fixture.ts'

/** Its access tokens have the client as their audience. */
const audience = 'native'
const roles = { claim: 'roles', values: { operator: ['on-call'] }, owners: {} }

describeRequiring('oidc', 'statewright login at a provider of others', () => {
  test('signs a person in, brings the roles of the token, and renews it', { timeout: 90_000 }, async () => {
    vi.stubEnv('XDG_CONFIG_HOME', mkdtempSync(join(tmpdir(), 'statewright-home-')))
    onTestFinished(() => void vi.unstubAllEnvs())
    const { issuer, stop } = await startZitadel({ people: { ada: { roles: ['on-call'] } } })
    onTestFinished(stop)
    const may: unknown[] = []
    let url = ''
    await withServer(
      (app) => {
        const oidc = { issuer, audience, cliClientId: 'native' }
        protectedResourceRoute(app, { publicUrl: () => url, oidc, version: '1.0.0' })
        const check = bearer(oidcVerifier({ issuer, audience, clock: testClock(Date.now()), fetch }))
        app.post('/operations/cancel', async (request) => {
          const principal = await check(request)
          may.push([principal.subject, [...rightsOf(roles, principal).roles]])
          return { stage: 'rejected', stageReason: 'cancelled' }
        })
      },
      async (server) => {
        url = server.url
        const { lines, done } = confirming()
        vi.spyOn(console, 'log').mockImplementation(() => undefined)
        expect(await login(['--server', url])).toBe(0)
        await Promise.all(done)
        vi.restoreAllMocks()
        expect(lines[0]).toContain(`${issuer} is asked for a token of native`)
        expect((await said(() => cancel(['a', '--server', url]))).out).toBe('a: rejected, cancelled')
        const store = tokenStore(credentialsFile(process.env))
        const before = store.read(url)!
        store.write(url, { ...before, expiresAt: 0 })
        expect((await said(() => cancel(['a', '--server', url]))).out).toBe('a: rejected, cancelled')
        const after = store.read(url)!
        expect([after.accessToken === before.accessToken, after.refreshToken === before.refreshToken]).toEqual([
          false,
          false,
        ])
        expect(may).toEqual([
          ['ada', ['viewer', 'operator']],
          ['ada', ['viewer', 'operator']],
        ])
      },
    )
  })
})

/** A person types the code that the terminal shows. */
function confirming(): { readonly lines: readonly string[]; readonly done: Promise<void>[] } {
  const lines: string[] = []
  const done: Promise<void>[] = []
  vi.spyOn(console, 'error').mockImplementation((line) => {
    lines.push(String(line))
    const [, address, code] = /^open (\S+)[^]*the code (\S+)$/.exec(String(line)) ?? []
    if (address !== undefined && code !== undefined) done.push(confirmDevice(address, code, 'ada'))
  })
  return { lines, done }
}
