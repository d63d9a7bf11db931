import { expect, test } from 'vitest'
import { UsageError } from '../args.ts'
import { serverAddress } from './address.ts'

test.each([
  ['https://statewright.example.org', 'https://statewright.example.org'],
  ['https://Statewright.Example.org:443/', 'https://statewright.example.org'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['http://127.9.9.9:8080/', 'http://127.9.9.9:8080'],
  ['http://localhost:1', 'http://localhost:1'],
  ['http://[::1]:1', 'http://[::1]:1'],
])('%s is the server %s', (given, origin) => {
  expect(serverAddress(given)).toBe(origin)
})

test.each([
  ['statewright.example.org', 'is no address such as https://'],
  ['ftp://statewright.example.org', 'is no address such as https://'],
  ['https://ada:secret@statewright.example.org', 'has no user and no password'],
  ['https://statewright.example.org/inspector', 'has more than a host: give https://statewright.example.org'],
  ['https://statewright.example.org/?a=b', 'has more than a host'],
  // A token over plain HTTP is everybody's on the way.
  ['http://statewright.example.org', 'give an https address, or forward a port to this machine'],
  ['http://127.0.0.1.example.org', 'give an https address'],
  ['http://localhost.example.org', 'give an https address'],
])('%s is refused: %s', (given, why) => {
  expect(() => serverAddress(given)).toThrow(UsageError)
  expect(() => serverAddress(given)).toThrow(why)
})

test('a password in an address is not repeated', () => {
  expect(() => serverAddress('https://ada:hunter2@statewright.example.org')).not.toThrow('hunter2')
})
