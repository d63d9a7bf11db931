import { expect, test } from 'vitest'
import { oidcVerifier } from '../../http/auth/oidc.ts'
import { deviceLogin } from '../../memory/client/device-login.ts'
import { discover } from '../../memory/client/discovery.ts'
import { askForToken } from '../../memory/client/token-answer.ts'
import { systemClock } from '../../runtime/clock.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { confirmDevice, startZitadel } from '../../testing/zitadel.ts'

const tools = { fetch, clock: systemClock }

describeRequiring('oidc', 'a provider that nobody here wrote', () => {
  test('a person signs in by device, and the token is believed and renewed (KNOWLEDGE-13)', async () => {
    const zitadel = await startZitadel({ people: { ada: { roles: ['viewers'] } } })
    try {
      const { tokenUrl, deviceUrl = '' } = await discover(zitadel.issuer, tools)
      let confirmed: Promise<void> | undefined
      const granted = await deviceLogin({
        deviceUrl,
        tokenUrl,
        clientId: 'native',
        // Its tokens are for their client, whatever audience was asked for.
        audience: 'native',
        ...tools,
        wait: async () => confirmed,
        show: (address, code) => {
          confirmed = confirmDevice(address, code, 'ada')
        },
      })
      const verify = oidcVerifier({ issuer: zitadel.issuer, audience: 'native', ...tools })
      expect(await verify(granted.access_token)).toMatchObject({ subject: 'ada', claims: { roles: ['viewers'] } })

      const refresh = { grant_type: 'refresh_token', refresh_token: granted.refresh_token ?? '', client_id: 'native' }
      const again = await askForToken(tokenUrl, refresh, tools)
      if ('refused' in again) throw new Error(again.why)
      expect(await verify(again.granted.access_token)).toMatchObject({ subject: 'ada' })
      expect(await askForToken(tokenUrl, refresh, tools)).toMatchObject({ refused: 'invalid_grant' })
    } finally {
      await zitadel.stop()
    }
  })
})
