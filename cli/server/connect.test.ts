import { mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readArgs, UsageError } from '../args.ts'
import { writeEndpoints } from '../local/endpoints.ts'
import { connectOrchestrator, serverOf, serverOptions } from './connect.ts'
import { contextsFile, readContexts, withContext, withoutContext, writeContexts, type Contexts } from './contexts.ts'

const two: Contexts = {
  current: 'work',
  contexts: { work: { server: 'https://work.example.org' }, home: { server: 'https://home.example.org' } },
}

/** A home with these logins. */
function home(contexts?: Contexts): Record<string, string> {
  const env = { XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), 'statewright-home-')) }
  if (contexts !== undefined) writeContexts(contextsFile(env), contexts)
  return env
}

const nothingHere = join(tmpdir(), 'statewright-nothing-runs-here')
const place = (args: readonly string[], env: Record<string, string>, here = nothingHere): unknown =>
  serverOf(readArgs(args, serverOptions, 'usage')!, env, here)

test.each([
  ['the server that is named', ['--server', 'https://a.example.org'], { url: 'https://a.example.org' }],
  ['the context that is named', ['--context', 'home'], { url: 'https://home.example.org' }],
  ['the folder that is named', ['--dir', 'elsewhere'], { dir: 'elsewhere' }],
  ['the current context', [], { url: 'https://work.example.org' }],
])('a command asks %s', (_name, args, expected) => {
  expect(place(args, home(two))).toEqual(expected)
})

test('STATEWRIGHT_SERVER goes before the current context, and flags go before it', () => {
  const env = { ...home(two), STATEWRIGHT_SERVER: 'https://of-the-shell.example.org' }
  expect(place([], env)).toEqual({ url: 'https://of-the-shell.example.org' })
  expect(place(['--context', 'home'], env)).toEqual({ url: 'https://home.example.org' })
  expect(place([], { ...env, STATEWRIGHT_SERVER: '' })).toEqual({ url: 'https://work.example.org' })
})

test('without any login a command asks what statewright up runs here', () => {
  expect(place([], home())).toEqual({ dir: nothingHere })
})

test('what statewright up runs in this folder is nearer than the current context', () => {
  const here = mkdtempSync(join(tmpdir(), 'statewright-here-'))
  const nowhere = { internal: '', inspector: '', forge: '', forgeApi: '', identity: '', model: '', tokenUrl: '' }
  const client = { orchestrator: 'http://127.0.0.1:1', clientId: 'cli', clientSecret: 's', audience: 'a', pid: 1 }
  writeEndpoints(here, { ...nowhere, ...client })
  expect(place([], home(two), here)).toEqual({ dir: here })
  expect(place(['--context', 'work'], home(two), here)).toEqual({ url: 'https://work.example.org' })
})

test('two orchestrators at once, and a context that nobody made, are faults of the call', () => {
  expect(() => place(['--server', 'https://a.example.org', '--dir', '.'], home(two))).toThrow(
    '--server and --dir name two orchestrators: give one',
  )
  expect(() => place(['--context', 'nobody'], home(two))).toThrow('there is no context nobody: there are work, home')
  expect(() => place(['--context', 'toString'], home(two))).toThrow(UsageError)
  expect(() => place(['--context', 'nobody'], home())).toThrow('statewright login --server URL makes one')
})

test('a context whose server somebody made plain HTTP gets no token', () => {
  const changed = { current: 'work', contexts: { work: { server: 'http://work.example.org' } } }
  expect(() => place([], home(changed))).toThrow('give an https address')
})

test('who is not signed in is given the command', async () => {
  const parsed = readArgs(['--context', 'home'], serverOptions, 'usage')!
  await expect(connectOrchestrator(parsed, home(two))).rejects.toThrow(
    'nobody is signed in at https://home.example.org: run statewright login --server https://home.example.org',
  )
})

test('the list of contexts is one for its owner alone, and another text in it is named', () => {
  const env = home(two)
  const path = contextsFile(env)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readContexts(path)).toEqual(two)
  writeFileSync(path, '{"contexts": []}')
  expect(() => readContexts(path)).toThrow('is not what statewright login wrote: remove it and sign in again')
})

test('a login becomes the current context, and one that goes leaves none current', () => {
  const three = withContext(two, 'third', 'https://third.example.org')
  expect(three.current).toBe('third')
  expect(withoutContext(three, 'third')).toEqual({ contexts: two.contexts })
  expect(withoutContext(three, 'home').current).toBe('third')
})
