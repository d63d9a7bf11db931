import { request } from 'node:http'
import { expect, test } from 'vitest'
import { withServer } from '../../http/testing/fixture.ts'
import { protectedResourcePath, protectedResourceRoute } from './protected-resource.ts'

const oidc = {
  issuer: 'https://identity.example.org',
  audience: 'urn:operator',
  cliClientId: 'cli',
  clientSecret: 'never here',
}

test('anybody learns where to sign in and for what, and nothing else (ORCHESTRATOR-API-7)', async () => {
  await withServer(
    (app) =>
      protectedResourceRoute(app, { publicUrl: () => 'https://statewright.example.org', oidc, version: '1.2.3' }),
    async ({ url }) => {
      const answer = await fetch(`${url}${protectedResourcePath}`)
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-cache'])
      expect(await answer.json()).toEqual({
        resource: url,
        resource_name: 'Statewright orchestrator',
        authorization_servers: ['https://identity.example.org'],
        bearer_methods_supported: ['header'],
        statewright_version: '1.2.3',
        statewright_audience: 'urn:operator',
        statewright_client_id: 'cli',
      })
    },
  )
})

/** What it names as itself to somebody who reached it under this name. */
function resourceAt(url: string, host: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request(`${url}${protectedResourcePath}`, { headers: { host } }, (answer) => {
      let text = ''
      answer.on('data', (chunk) => (text += String(chunk)))
      answer.on('end', () => resolve((JSON.parse(text) as { readonly resource: unknown }).resource))
    })
      .on('error', reject)
      .end()
  })
}

test('through a forwarded port it names the address there, and under any other name its own (ORCHESTRATOR-API-7)', async () => {
  const publicUrl = 'https://statewright.example.org'
  await withServer(
    (app) => protectedResourceRoute(app, { publicUrl: () => publicUrl, oidc, version: '1.2.3' }),
    async ({ url }) => {
      for (const host of ['127.0.0.1:8080', 'localhost:8080', '[::1]:8080'])
        expect(await resourceAt(url, host)).toBe(`http://${host}`)
      for (const host of ['relay.example.org', '127.0.0.1.example.org', 'localhost.example.org:80', 'x@localhost'])
        expect(await resourceAt(url, host)).toBe(publicUrl)
    },
  )
})
