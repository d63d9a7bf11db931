import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Value } from 'typebox/value'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { QueryBody } from '../../../memory/query/schema.ts'
import { writeEndpoints } from '../../local/endpoints.ts'
import { query } from './query.ts'
import { said } from '../testing/fixture.ts'

describe('query --kinds', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'query-'))
    const nowhere = { internal: '', inspector: '', forge: '', forgeApi: '', model: '', orchestrator: '', audience: '' }
    const local = { memory: 'http://memory.invalid', memoryAudience: 'urn:memory', identity: 'http://id.invalid' }
    const client = { tokenUrl: 'http://id.invalid/token', clientId: 'cli', clientSecret: 'secret' }
    writeEndpoints(dir, { pid: 1, ...nowhere, ...local, ...client })
    vi.stubEnv('XDG_CONFIG_HOME', join(dir, 'config'))
    for (const name of ['MEMORY_URL', 'OIDC_CLIENT_SECRET', 'OIDC_CLIENT_SECRET_FILE']) vi.stubEnv(name, '')
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    vi.unstubAllGlobals()
    rmSync(dir, { recursive: true, force: true })
  })

  /** Paths and bodies that the service gets. */
  async function sentBy(...args: readonly string[]): Promise<readonly (readonly [path: string, body: unknown])[]> {
    const sent: (readonly [string, unknown])[] = []
    vi.stubGlobal('fetch', async (url: string | URL, { body }: RequestInit) => {
      const { pathname } = new URL(url)
      if (pathname === '/token') return Response.json({ access_token: 't', token_type: 'Bearer', expires_in: 3600 })
      sent.push([pathname, await new Response(body).json()])
      return Response.json({ results: [] })
    })
    await said(() => query(['how', 'it', 'retries', '--json', '--dir', dir, ...args]))
    return sent
  }

  test('asks the service for memories of these kinds, each named once, as its schema wants it', async () => {
    const [sent, ...more] = await sentBy('--kinds', 'notes, files,notes')
    expect(sent).toEqual(['/queries', { mode: 'hybrid', text: 'how it retries', top_k: 10, kinds: ['files', 'notes'] }])
    expect(Value.Check(QueryBody, sent?.[1])).toBe(true)
    expect(more).toEqual([])
    expect(await sentBy('--kinds', 'changes', '--describe')).toMatchObject([
      ['/queries:describe', { kinds: ['changes'] }],
    ])
  })

  test('leaves the choice to the service where no kind is named', async () => {
    expect(await sentBy()).toEqual([['/queries', { mode: 'hybrid', text: 'how it retries', top_k: 10 }]])
  })

  test.each([
    ['files,issues,commits', 'issues, commits'],
    ['', '""'],
    ['files,', '""'],
  ])('refuses words that are no kind, names the kinds, and asks nobody: %j', async (given, refused) => {
    const fetched = vi.fn()
    vi.stubGlobal('fetch', fetched)
    const sentence = `--kinds takes files, changes, notes, not ${refused}`
    await expect(query(['text', '--dir', dir, '--kinds', given])).rejects.toThrow(sentence)
    expect(fetched).not.toHaveBeenCalled()
  })
})
