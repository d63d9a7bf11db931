/** The orchestrator while its identity provider hangs: it starts, webhooks are served, tokens are neither good nor bad. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { clientCredentials } from '../../http/token-source.ts'
import { captureLog } from '../../http/testing/fixture.ts'
import { systemClock } from '../../runtime/clock.ts'
import { startIdentity } from '../../standins/identity/identity.ts'
import { startOrchestrator } from '../wiring/start.ts'
import { settingsOf } from '../testing/fixture.ts'
import { portsForTests } from '../testing/ports.ts'

const operator = 'urn:statewright:operator'

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

test('an orchestrator starts while its provider hangs: webhooks are served, tokens answered with 503 until it answers (BEARER-8)', async () => {
  const hanging = createServer(() => undefined)
  hanging.listen(0, '127.0.0.1')
  await once(hanging, 'listening')
  const { port } = hanging.address() as AddressInfo
  const dir = mkdtempSync(join(tmpdir(), 'provider-away-'))
  const issuer = `http://127.0.0.1:${port}`
  const ports = portsForTests({ logger: captureLog().logger, programDir: dir })
  const orchestrator = await startOrchestrator(settingsOf(dir, issuer), ports)
  try {
    const get = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${orchestrator.url}${path}`, init)
    const headers = { 'x-github-event': 'ping', 'x-github-delivery': 'd1', 'x-hub-signature-256': 'sha256=00' }
    const webhook = await get('/operator/webhooks/nowhere', { method: 'POST', headers, body: '{}' })
    expect([webhook.status, ((await webhook.json()) as { code: string }).code]).toEqual([404, 'not-found'])
    const token = `${part({ alg: 'RS256', kid: 'k' })}.${part({ iss: issuer, aud: operator, sub: 's' })}.c2ln`
    const refused = await get('/resources/projects', { headers: { authorization: `Bearer ${token}` } })
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([503, 'identity-unavailable'])
    expect(await (await get('/readyz')).text()).toContain('identity provider')

    const closed = once(hanging, 'close')
    hanging.close()
    hanging.closeAllConnections()
    await closed
    const identity = await startIdentity({
      port,
      clients: [{ clientId: 'cli', secret: 'c', audiences: [operator] }],
    })
    try {
      const { tokenUrl } = identity
      const source = { tokenUrl, clientId: 'cli', secret: 'c', audience: operator, clock: systemClock, fetch }
      await vi.waitFor(
        async () => {
          const good = await clientCredentials(source).token()
          const answer = await get('/resources/projects', { headers: { authorization: `Bearer ${good}` } })
          expect(answer.status).toBe(200)
          expect(await (await get('/readyz')).text()).not.toContain('identity provider')
        },
        { timeout: 20_000, interval: 200 },
      )
    } finally {
      await identity.close()
    }
  } finally {
    await orchestrator.stop()
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  }
}, 60_000)
