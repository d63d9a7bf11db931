import { expect, test } from 'vitest'
import { redact, redacted, redactText } from './redact.ts'
import { hideSecrets } from './secrets-in-text.ts'

test.each([
  'token',
  'accessToken',
  'webhookSecret',
  'password',
  'passwd',
  'passphrase',
  'Authorization',
  'cookie',
  'credentials',
  'apiKey',
  'api_key',
  'ANTHROPIC_API_KEY',
  'privateKey',
  'signing_key',
])('text under %s is hidden, however deep it lies', (key) => {
  expect(redact({ a: [{ [key]: 'hunter2' }] })).toEqual({ a: [{ [key]: redacted }] })
  expect(redact({ [key]: ['hunter2', { inner: 'hunter3' }] })).toEqual({ [key]: [redacted, { inner: redacted }] })
})

test.each([
  ['tokenSecretRef', { name: 'forge', key: 'token-of-forge' }, { name: 'forge', key: 'token-of-forge' }],
  ['tokensUsed', 1200, 1200],
  ['inputTokens', 12, 12],
  ['secretName', 'forge', 'forge'],
  ['tokenUrl', 'http://127.0.0.1/token', 'http://127.0.0.1/token'],
  ['token', '', ''],
  ['goal', 'add a token parser', 'add a token parser'],
  ['maintainer', true, true],
  ['nothing', null, null],
])('%s is no secret and stays', (key, value, shown) => {
  expect(redact({ [key]: value })).toEqual({ [key]: shown })
})

test.each([
  ['a GitHub token', 'ghp_0123456789abcdefghij'],
  ['a fine-grained GitHub token', 'github_pat_0123456789abcdefghij_x'],
  ['a GitLab token', 'glpat-0123456789abcdefghij'],
  ['a model key', 'sk-ant-api03-0123456789abcdef'],
  ['an AWS key id', 'AKIA0123456789ABCDEF'],
  ['a JWT', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl'],
  ['a Slack token', 'xoxb-0123456789-abc'],
  ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----'],
  ['half a private key', '-----BEGIN PRIVATE KEY-----\nMIIE'],
])('%s is hidden wherever it stands, and the words around it stay', (_what, secret) => {
  expect(redactText(`before ${secret} after`)).toMatch(/^before •••( after)?$/)
  expect(JSON.stringify(redact({ body: [`see ${secret}`] }))).not.toContain(secret)
})

test('of a header and of an address with a password only the secret part is hidden', () => {
  expect(redactText('Authorization: Bearer abcdefgh12345')).toBe(`Authorization: Bearer ${redacted}`)
  expect(redactText('git push https://bot:hunter2@forge.example/lib.git')).toBe(
    `git push https://${redacted}@forge.example/lib.git`,
  )
})

test('words that are known are hidden whatever they look like, and an empty one hides nothing', () => {
  expect(hideSecrets('the-key of the-key ghp_0123456789abcdefghij', ['', 'the-key'])).toBe('••• of ••• •••')
})

test('of what surrounds a JWT nothing else is hidden, and text of its beginnings alone costs no time', () => {
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl'
  expect(hideSecrets(`a.b ${jwt},{"t":"${jwt}"} eyJhbGci.x`)).toBe('a.b •••,{"t":"•••"} eyJhbGci.x')
  expect(hideSecrets(`token-${jwt}`)).toBe('•••')
  // From each of its beginnings anew this would take hours.
  const beginnings = 'eyJ-'.repeat(500_000)
  expect(hideSecrets(beginnings)).toBe(beginnings)
  expect(hideSecrets(`${beginnings}.aaaaa`)).toBe(`${beginnings}.aaaaa`)
})

test('very long text is cut, and how much was cut is said', () => {
  expect(redactText('x'.repeat(4100))).toBe(`${'x'.repeat(4000)}… (100 characters more)`)
})
