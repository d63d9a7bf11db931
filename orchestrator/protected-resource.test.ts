import { expect, test } from 'vitest'
import { withServer } from '../http/testing/fixture.ts'
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
        resource: 'https://statewright.example.org',
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
