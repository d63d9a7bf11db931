import { expect, test } from 'vitest'
import { checkOrigin } from './access.ts'

test.each([
  ['127.0.0.1:8080', undefined],
  ['localhost:8080', 'http://localhost:8080'],
  ['LOCALHOST', undefined],
  ['[::1]:8080', 'http://[::1]:8080'],
  ['inspect.example', 'https://inspect.example'],
])('host %s with origin %s is let in', (host, origin) => {
  expect(() => checkOrigin({ host, ...(origin === undefined ? {} : { origin }) }, ['inspect.example'])).not.toThrow()
})

test.each([
  ['evil.example', undefined],
  ['evil.example:8080', 'http://evil.example:8080'],
  ['127.0.0.1.evil.example', undefined],
  ['localhost:8080', 'http://localhost:9999'],
  ['localhost:8080', 'http://evil.example'],
  ['localhost:8080', 'null'],
  ['', undefined],
  [undefined, undefined],
])('host %s with origin %s is refused (INSPECTOR-4, INSPECTOR-RULE-2)', (host, origin) => {
  const headers = { ...(host === undefined ? {} : { host }), ...(origin === undefined ? {} : { origin }) }
  expect(() => checkOrigin(headers, ['inspect.example'])).toThrow(expect.objectContaining({ status: 403 }))
})
