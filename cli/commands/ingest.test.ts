import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ingest } from './ingest.ts'
import { said } from './testing.ts'

describe('ingest --dry-run', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'ingest-'))
    vi.stubEnv('XDG_CACHE_HOME', join(dir, 'cache'))
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
      would_send: ['README.md'],
      would_remove: [],
      left_out: [{ file: 'big.txt', reason: expect.stringMatching(/./) }],
    })
    const { out } = await run()
    expect(out).toContain('lib: would send 1 memories')
    expect(out).toMatch(/skipped big\.txt: ./)
    expect(fetched).not.toHaveBeenCalled()
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
