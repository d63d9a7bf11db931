import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readArgs, UsageError, type Parsed } from '../args.ts'
import { said, withOrchestrator, type CommandFixture } from '../commands/testing/fixture.ts'
import { query } from '../commands/knowledge/query.ts'
import { requireEndpoints, writeEndpoints } from '../local/endpoints.ts'
import { connectMemory, memoryAt, memoryOptions } from './connect-memory.ts'

const parsed = (...args: readonly string[]): Parsed => readArgs(args, memoryOptions, '')!

beforeEach(() => {
  vi.stubEnv('XDG_CONFIG_HOME', '/nowhere')
  for (const name of ['MEMORY_URL', 'OIDC_CLIENT_SECRET', 'OIDC_CLIENT_SECRET_FILE', 'STATEWRIGHT_SERVER'])
    vi.stubEnv(name, '')
})
afterEach(() => vi.unstubAllEnvs())

/** A machine with two Projects; the memory of `second` is where its orchestrator says. */
function showMemory({ dir, items }: CommandFixture, memory: object | undefined): string {
  const endpoints = requireEndpoints(dir)
  writeEndpoints(dir, { ...endpoints, memory: 'http://memory.invalid', memoryAudience: endpoints.audience })
  const metadata = { name: 'second', namespace: 'default' }
  items['projects'] = [{ kind: 'Project', metadata, spec: {}, status: memory === undefined ? {} : { memory } }]
  return endpoints.orchestrator
}

test('query --project asks the memory that the orchestrator of this machine names, as its own client', async () => {
  const asked: unknown[] = []
  await withOrchestrator(
    async (fixture) => {
      const endpoint = showMemory(fixture, undefined)
      showMemory(fixture, { phase: 'Running', endpoint })
      const { out } = await said(() => query(['what', 'is', 'there', '--project', 'second', '--dir', fixture.dir]))
      expect(asked).toEqual([expect.objectContaining({ text: 'what is there' })])
      expect(out).toContain('no results')
    },
    (app) =>
      void app.post('/queries', async ({ body }) => {
        asked.push(body)
        return { results: [] }
      }),
  )
})

test.each([
  ['none', undefined, 'Project second has no memory that serves: see statewright describe project second'],
  ['one that starts', { phase: 'Pending' }, 'Project second has no memory that serves'],
])('a Project with %s is said so', async (_what, memory, words) => {
  await withOrchestrator(async (fixture) => {
    showMemory(fixture, memory)
    await expect(memoryAt(parsed('--project', 'second', '--dir', fixture.dir), {})).rejects.toThrow(words)
    await expect(memoryAt(parsed('--project', 'third', '--dir', fixture.dir), {})).rejects.toThrow('no projects third')
  })
})

test.each([
  ['https://memory.invalid/base', undefined],
  ['http://memory.invalid', 'would get a token that everybody on the way can read'],
  ['https://user:password@memory.invalid', 'names an address of no memory'],
  ['https://memory.invalid/$(id)', 'names an address of no memory'],
  ['https://memory.invalid/?q=1', 'names an address of no memory'],
  ['memory', 'names an address of no memory'],
])('of another machine, %s gets tokens over TLS, and is text to copy (%s)', async (externalEndpoint, refusal) => {
  await withOrchestrator(async (fixture) => {
    showMemory(fixture, { endpoint: 'http://memory.svc', externalEndpoint })
    const { orchestrator, identity, clientId, clientSecret, audience } = requireEndpoints(fixture.dir)
    const asked = memoryAt(parsed('--project', 'second'), {
      ...{ STATEWRIGHT_SERVER: orchestrator, OIDC_ISSUER: identity, OIDC_AUDIENCE: audience },
      ...{ OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret },
    })
    if (refusal === undefined) expect(await asked).toEqual({ url: externalEndpoint, isOfMachine: false })
    else await expect(asked).rejects.toThrow(refusal)
  })
})

test.each(['a/b/second', '../../x', '..', '/../projects/default/second', '', 'Second', 'a/'])(
  '%j is no name of a Project, and leads to no other',
  async (name) => {
    await withOrchestrator(async (fixture) => {
      showMemory(fixture, { phase: 'Running', endpoint: 'http://memory' })
      await expect(memoryAt(parsed('--project', name, '--dir', fixture.dir), {})).rejects.toThrow(UsageError)
    })
  },
)

test('--project and --url name two services', async () => {
  await expect(memoryAt(parsed('--project', 'second', '--url', 'http://memory'), {})).rejects.toThrow(UsageError)
})

test('whoever is not signed in reads the whole command, with the folder of this machine', async () => {
  await withOrchestrator(async ({ dir }) => {
    const sentence = `run statewright login --url http://away.invalid --dir ${dir}`
    await expect(connectMemory(parsed('--url', 'http://away.invalid', '--dir', dir), {})).rejects.toThrow(sentence)
  })
})
