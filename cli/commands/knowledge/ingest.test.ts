import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ingest } from './ingest.ts'
import { said } from '../testing/fixture.ts'

describe('ingest --dry-run', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'ingest-'))
    vi.stubEnv('MEMORY_URL', '')
    writeFileSync(join(dir, 'README.md'), '# A library\n')
    writeFileSync(join(dir, 'big.txt'), 'x'.repeat(2_000))
    const git = (...args: readonly string[]): void => void execFileSync('git', args, { cwd: dir, stdio: 'ignore' })
    git('init', '--quiet')
    git('add', 'README.md', 'big.txt')
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
    rmSync(dir, { recursive: true, force: true })
  })

  const run = (...more: readonly string[]): Promise<{ readonly out: string }> =>
    said(
      async () =>
        void (await ingest([dir, '--repo', 'lib', '--dry-run', '--max-file-size', '1000', '--dir', dir, ...more])),
    )

  test('lists what a run would send and why it leaves out the rest, and sends nothing (REPO-INGEST-4)', async () => {
    const fetched = vi.fn()
    vi.stubGlobal('fetch', fetched)
    expect(JSON.parse((await run('--json')).out)).toMatchObject({
      repo: 'lib',
      service: null,
      would_send: ['README.md'],
      would_remove: [],
      left_out: [{ file: 'big.txt', reason: expect.stringMatching(/./) }],
    })
    const { out } = await run()
    expect(out).toContain('lib: no knowledge service is configured, so everything counts as new')
    expect(out).toContain('lib: would send 1 memories')
    expect(out).toMatch(/skipped big\.txt: ./)
    expect(fetched).not.toHaveBeenCalled()
  })

  test('reads the commit HEAD, and what is not committed only where nothing is (REPO-INGEST-16)', async () => {
    const sent = async (): Promise<unknown> => JSON.parse((await run('--json')).out).would_send
    expect(await sent()).toEqual(['README.md'])
    const person = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid']
    execFileSync('git', [...person, 'commit', '-q', '-m', 'Begin'], { cwd: dir })
    writeFileSync(join(dir, 'README.md'), 'api_key = not committed\n')
    writeFileSync(join(dir, 'new.txt'), 'new\n')
    expect(await sent()).toEqual(['README.md', expect.stringMatching(/^@commit\//)])
  })

  test('counts on a terminal how far it is, and prints nothing of it elsewhere (REPO-INGEST-5)', async () => {
    const shown: string[] = []
    const { isTTY } = process.stderr
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => shown.push(String(text)) > 0)
    try {
      process.stderr.isTTY = false
      await run('--json')
      expect(shown).toEqual([])
      process.stderr.isTTY = true
      await run('--json')
      expect(shown.join('')).toMatch(/reading \[=* *\] \d+\/\d+/)
    } finally {
      process.stderr.isTTY = isTTY
    }
  })
})

describe('ingest', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'ingest-'))
    const local = { memory: 'http://memory.invalid', memoryAudience: 'urn:memory', identity: 'http://id.invalid' }
    const client = { tokenUrl: 'http://id.invalid/token', clientId: 'cli', clientSecret: 'secret' }
    writeFileSync(join(dir, 'endpoints.json'), JSON.stringify({ ...local, ...client }))
    vi.stubEnv('XDG_CONFIG_HOME', join(dir, 'config'))
    for (const name of ['MEMORY_URL', 'OIDC_CLIENT_SECRET', 'OIDC_CLIENT_SECRET_FILE']) vi.stubEnv(name, '')
    mkdirSync(join(dir, 'lib'))
    writeFileSync(join(dir, 'lib', 'README.md'), '# A library\n')
    execFileSync('git', ['init', '--quiet'], { cwd: join(dir, 'lib') })
    execFileSync('git', ['add', 'README.md'], { cwd: join(dir, 'lib') })
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    vi.unstubAllGlobals()
    rmSync(dir, { recursive: true, force: true })
  })

  /** A service whose one job ends so. */
  async function codeAfter(job: { readonly status: string; readonly failed: number }): Promise<number> {
    const errors = job.failed === 0 ? [] : [{ idempotency_key: 'lib:README.md:0', message: 'too strange' }]
    const body = { id: 'j', total: 1, done: 1 - job.failed, skipped: 0, purged: 0, errors, ...job }
    const token = { access_token: 't', token_type: 'Bearer', expires_in: 3600 }
    const nothing = { repo: 'lib', commit: null, finished_at: null, items: [] }
    vi.stubGlobal('fetch', async (given: string | URL) => {
      const { pathname } = new URL(given)
      const isList = pathname === '/ingest-record' || pathname === '/ingest-jobs'
      return Response.json(isList ? nothing : pathname === '/token' ? token : body)
    })
    let code = -1
    await said(async () => void (code = await ingest([join(dir, 'lib'), '--dir', dir])))
    return code
  }

  test('ends with 1 when an item failed, and with 0 when none did (REPO-INGEST-10)', async () => {
    expect(await codeAfter({ status: 'failed', failed: 1 })).toBe(1)
    expect(await codeAfter({ status: 'succeeded', failed: 0 })).toBe(0)
  })
})
