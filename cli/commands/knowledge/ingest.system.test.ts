/** What only a real service shows: machines that know nothing of each other keep one repository in it. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { createEmbeddedEngine } from '../../../memory/engine/embedded/engine.ts'
import { interfered, type Interference } from '../../../memory/ingest/testing/jobs.ts'
import { tokenStore } from '../../../memory/client/token-store.ts'
import { memoryMigrations } from '../../../memory/store/migrations.ts'
import { openTestMemory, type TestMemory } from '../../../memory/testing/service.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { silentLogger } from '../../../runtime/logger.ts'
import { migrate } from '../../../runtime/store/migrate.ts'
import { openPgSql } from '../../../runtime/store/postgres/pg-sql.ts'
import { ownDatabase } from '../../../testing/own-database.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import { credentialsFile } from '../../knowledge-service.ts'
import { programDir } from '../../program.ts'
import { ingest } from './ingest.ts'
import { said } from '../testing/fixture.ts'

interface Stored {
  readonly id: string
  readonly file: string
}

class Fixture {
  readonly #dir = mkdtempSync(join(tmpdir(), 'ingest-machines-'))
  readonly repository = join(this.#dir, 'lib')
  readonly memory: TestMemory

  constructor(memory: TestMemory) {
    this.memory = memory
    mkdirSync(this.repository)
    this.git('init', '-q', '-b', 'main')
  }

  git(...args: readonly string[]): string {
    const person = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid']
    return execFileSync('git', ['-C', this.repository, ...person, ...args])
      .toString()
      .trim()
  }

  commit(subject: string, files: Readonly<Record<string, string | undefined>>): string {
    for (const [file, text] of Object.entries(files)) {
      const path = join(this.repository, file)
      mkdirSync(dirname(path), { recursive: true })
      if (text === undefined) rmSync(path)
      else writeFileSync(path, text)
    }
    this.git('add', '-A')
    this.git('commit', '-q', '-m', subject)
    return this.git('rev-parse', 'HEAD')
  }

  /** A machine on which somebody has signed in and done nothing else. */
  machine(name: string): void {
    const home = join(this.#dir, name)
    vi.stubEnv('HOME', home)
    for (const unset of ['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'OIDC_CLIENT_SECRET', 'OIDC_CLIENT_SECRET_FILE'])
      vi.stubEnv(unset, '')
    vi.stubEnv('MEMORY_URL', this.memory.url)
    const login = { issuer: 'http://id.invalid', tokenUrl: 'http://id.invalid', clientId: 'cli', audience: 'memory' }
    const never = Number.MAX_SAFE_INTEGER
    tokenStore(credentialsFile(process.env)).write(this.memory.url, { ...login, accessToken: 'good', expiresAt: never })
  }

  async ingest(...more: readonly string[]): Promise<Record<string, unknown>> {
    const { out } = await said(() => ingest([this.repository, '--repo', 'lib', '--json', ...more]))
    return JSON.parse(out) as Record<string, unknown>
  }

  /** The program itself, with its whole group killed once `reached`. */
  async cut(reached: Promise<void>): Promise<void> {
    const parameters = [join(programDir, 'bin', 'statewright.mjs'), 'ingest', this.repository, '--repo', 'lib']
    const child = spawn(process.execPath, parameters, { stdio: 'ignore', detached: true })
    const ended = once(child, 'close')
    const first = await Promise.race([reached, ended])
    if (first !== undefined) throw new Error(`the program ended by itself: ${String(first)}`)
    process.kill(-child.pid!, 'SIGKILL')
    await ended
  }

  async stored(): Promise<Record<string, string>> {
    const { rows } = await this.memory.sql.query<Stored>('select id, file from memory where repo = $1', ['lib'])
    expect(new Set(rows.map(({ file }) => file)).size).toBe(rows.length)
    return Object.fromEntries(rows.map(({ file, id }) => [file, id]))
  }

  close(): void {
    vi.unstubAllEnvs()
    vi.unstubAllGlobals()
    rmSync(this.#dir, { recursive: true, force: true })
  }
}

async function withService(
  use: (fixture: Fixture) => Promise<void>,
  before: () => Interference = () => () => undefined,
): Promise<void> {
  const { url, drop } = await ownDatabase()
  const sql = await openPgSql({ url })
  try {
    await migrate(sql, memoryMigrations)
    const parts = { sql, clock: systemClock, random: Math.random, logger: silentLogger }
    const memory = await openTestMemory({ sql, engine: () => interfered(createEmbeddedEngine(parts), before) })
    const fixture = new Fixture(memory)
    try {
      await use(fixture)
    } finally {
      fixture.close()
      await memory.close()
    }
  } finally {
    await sql.close()
    await drop()
  }
}

describeRequiring('postgres', 'statewright ingest by machines that know nothing of each other', () => {
  it('sends what changed and removes what is gone, and what did not change stays as it is (REPO-INGEST-6, REPO-INGEST-7)', () =>
    withService(async (fixture) => {
      fixture.commit('Begin', { 'a.ts': 'const a = 1\n', 'b.ts': 'const b = 1\n', 'zebra.ts': 'const zebra = 1\n' })
      fixture.machine('one')
      expect(await fixture.ingest()).toMatchObject({ done: 4, failed: 0 })
      const before = await fixture.stored()

      const head = fixture.commit('Drop the zebra', { 'b.ts': 'const b = 2\n', 'zebra.ts': undefined })
      fixture.machine('two')
      const dry = { would_send: ['b.ts', `@commit/${head}`], would_remove: ['zebra.ts'] }
      expect(await fixture.ingest('--dry-run')).toMatchObject({ service: fixture.memory.url, ...dry })
      expect(await fixture.stored()).toEqual(before)
      expect(await fixture.ingest()).toMatchObject({ sent: 2, gone: 1, done: 2, purged: 2, failed: 0 })
      const after = await fixture.stored()
      const commits = Object.keys(before).filter((file) => file.startsWith('@commit/'))
      expect(Object.keys(after).toSorted()).toEqual([...commits, `@commit/${head}`, 'a.ts', 'b.ts'].toSorted())
      for (const file of ['a.ts', ...commits]) expect(after[file]).toBe(before[file])
      expect(after['b.ts']).not.toBe(before['b.ts'])

      fixture.machine('one')
      expect(await fixture.ingest()).toMatchObject({ sent: 0, gone: 0, jobs: 0 })
      expect(await fixture.stored()).toEqual(after)
    }))

  it('goes on where a run was killed, on another machine: its job ends first, and nothing is stored twice (REPO-INGEST-6, REPO-INGEST-8)', () => {
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const wait: Interference = ({ content }) => {
      if (!content.startsWith('f07')) return undefined
      reached.resolve()
      return released.promise
    }
    return withService(
      async (fixture) => {
        // More than one job has room for.
        const files = Array.from({ length: 410 }, (_, at) => [`f${String(at).padStart(3, '0')}.txt`, `${at}\n`])
        const head = fixture.commit('Begin', Object.fromEntries(files))
        fixture.machine('one')
        await fixture.cut(reached.promise)

        fixture.machine('two')
        const real = fetch
        vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
          // It looks at the job that the other one began.
          if (url.includes('/ingest-jobs/')) released.resolve()
          return real(url, init)
        })
        expect(await fixture.ingest()).toMatchObject({ sent: 11, jobs: 1, done: 11, purged: 0, skipped: 0, failed: 0 })
        expect(Object.keys(await fixture.stored())).toHaveLength(411)
        const record = await (await fixture.memory.ask('GET', '/ingest-record?repo=lib')).json()
        expect(record).toMatchObject({ commit: head })
        expect(await fixture.ingest()).toMatchObject({ sent: 0, jobs: 0 })
      },
      () => wait,
    )
  }, 60_000)
})
