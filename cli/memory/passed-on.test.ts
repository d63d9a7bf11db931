import { expect, test } from 'vitest'
import { askedVariables } from '../../wrapper/testing/asked-variables.ts'
import { memorySettings } from '../../edges/local/memory/settings.ts'
import { readMemorySettings } from './settings.ts'

/** What the place of the service decides by itself. */
const decided = ['DATABASE_URL', 'HTTP_ADDR', 'OIDC_AUDIENCE', 'OIDC_ISSUER', 'STATE_DIR']

test('every setting of a memory service of this machine reaches it from outside, by itself and as a file (MEMORY-SETTINGS-3)', () => {
  const names = askedVariables(readMemorySettings).filter((name) => !decided.includes(name))
  expect(names.length).toBeGreaterThan(10)
  const given = Object.fromEntries(names.flatMap((name) => [name, `${name}_FILE`]).map((name) => [name, `of ${name}`]))
  const foreign = {
    DATABASE_URL: 'postgres://else',
    HTTP_ADDR: ':1',
    OIDC_ISSUER: 'x',
    OWNER: 'x',
    PATH: '/',
    SECRET: 's',
  }
  expect(memorySettings({ ...given, ...foreign })).toEqual(given)
  expect(memorySettings({ GRAPH_URL: undefined })).toEqual({})
})
