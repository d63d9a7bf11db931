/** The example of docs/operating.md: its settings and claims go through what reads settings and claims. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { rightsOf, rightsWith, roles, type RoleSettings } from '../../http/auth/roles.ts'
import { readSettings } from './settings.ts'

const providers = ['Keycloak', 'Entra', 'Zitadel'] as const
const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')
const [example = ''] = /^### An example\n[^]*?(?=^#)/m.exec(page) ?? []

/** By the word that the text before the settings begins with. */
function settingsOf(provider: string): RoleSettings {
  const [, claim = '', values = ''] =
    new RegExp(`^${provider} [^\`]*[^]*?^\`\`\`sh\nROLE_CLAIM=(.*)\nROLES='(.*)'$`, 'm').exec(example) ?? []
  const around = {
    OIDC_ISSUER: 'https://id.example',
    OIDC_AUDIENCE: 'o',
    WRAPPER_AUDIENCE: 'w',
    OIDC_CLIENT_ID: 'c',
    OIDC_CLIENT_SECRET: 's',
    MODEL_PROVIDER_API_KEY: 'k',
  }
  return readSettings({ ...around, ROLE_CLAIM: claim, ROLES: values }, 'false').roles
}

const rows = [...example.matchAll(/^\| (\w+), (\w+) \| `(.*)` \| (.*) \|$/gm)].map(
  ([, person = '', provider = '', claims = '', is = '']) => ({ person, provider, claims, is }),
)

describe.each(providers)('with the claims of %s', (provider) => {
  const own = rows.filter((row) => row.provider === provider)

  test('a team, the platform team, an employee and a guest have a row each', () => {
    expect(own.map(({ person }) => person)).toEqual(['cart', 'platform', 'employee', 'guest'])
  })

  test.each(own)('$person is what the page has: $is (ORCHESTRATOR-API-5)', ({ claims, is }) => {
    const named = [...is.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
    const given = roles.filter((role) => named.includes(role))
    const owned = named.filter((name) => name.includes('/'))
    expect(given.length + owned.length).toBe(named.length)
    const known = JSON.parse(claims) as Record<string, unknown>
    expect(rightsOf(settingsOf(provider), { claims: known })).toEqual(rightsWith(given, owned))
  })
})

test('the example gives what its text promises', () => {
  const promised = ['`viewer`, owner of `shop/cart` and `shop/checkout`', '`operator`', '`viewer`', 'nothing']
  expect(rows.map(({ is }) => is)).toEqual(providers.flatMap(() => promised))
})
