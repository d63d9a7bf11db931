import { expect, test } from 'vitest'
import { withForge } from '../../testing/fixture.ts'

test('the root of the API answers a good token, and names the addresses under it', async () => {
  await withForge({ git: 'memory' }, async ({ forge }) => {
    const ask = (token: string): Promise<Response> =>
      fetch(`${forge.apiUrl}/`, { headers: { authorization: `token ${token}` } })
    const { status, headers } = await ask('token-of-bot')
    expect([status, headers.has('x-oauth-scopes')]).toEqual([200, true])
    expect(await (await fetch(forge.apiUrl)).json()).toMatchObject({ current_user_url: `${forge.apiUrl}/user` })
    expect((await ask('of nobody')).status).toBe(401)
  })
})

test('an unknown path of the API answers as an unknown object does, in GitHub’s own shape', async () => {
  await withForge({ git: 'memory' }, async ({ forge }) => {
    const body = { message: 'Not Found', documentation_url: `${forge.url}/docs`, status: '404' }
    for (const path of ['/no/such/path', '/repos/acme/absent', '/search/issues']) {
      const answer = await fetch(`${forge.apiUrl}${path}`)
      expect([answer.status, await answer.json()]).toEqual([404, body])
    }
  })
})
