/** The commands that look into actors and their journals, asked over the API and on a store that nobody runs on. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Problem } from '../../../http/problems/problem.ts'
import { machines } from '../../../machines/registry.ts'
import { createRuntime } from '../../../runtime/create-runtime.ts'
import { TerminalError } from '../../../runtime/errors.ts'
import { silentLogger } from '../../../runtime/logger.ts'
import type { EffectHandler, Runtime } from '../../../runtime/runtime.ts'
import { simulatedClock } from '../../../runtime/simulated-clock.ts'
import { migrate } from '../../../runtime/store/migrate.ts'
import { openFolderSql } from '../../../runtime/store/pglite/pglite-folder.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import { storedJournal } from '../../../edges/journal/stored-journal.ts'
import { journalRoutes } from '../../../edges/journal/routes.ts'
import { actors } from './actors.ts'
import { exportActors } from './export.ts'
import { history } from './history.ts'
import { importBundles } from './import.ts'
import { deadLetters, effects } from './outbox.ts'
import { replay } from './replay.ts'
import { said, withOrchestrator, type CommandFixture } from '../testing/fixture.ts'

const at = 1_700_000_000_000
const project = 'project:default/demo'
const failing: EffectHandler = {
  onTerminal: 'dead-letter',
  perform: async () => {
    throw new TerminalError('forge-refused', 'the forge refused ghp_aaaaaaaaaaaaaaaaaaaa')
  },
}

let state: string
let sql: Sql
let runtime: Runtime

function start(): Runtime {
  const clock = simulatedClock(at)
  const random = (): number => 0.5
  return createRuntime({
    sql,
    definitions: machines,
    clock,
    random,
    logger: silentLogger,
    owner: 'one',
    shards: 2,
  })
}

beforeAll(async () => {
  state = mkdtempSync(join(tmpdir(), 'journal-'))
  sql = await openFolderSql(join(state, 'database'))
  await migrate(sql)
  runtime = start()
  await runtime.start({ checkProject: failing, resyncMirror: failing })
  const applied = { type: 'project.applied', at, generation: 1, maxConcurrentAgents: 1, capacity: 10, alertCapacity: 2 }
  await runtime.deliver({ to: project, key: 'applied/1', event: applied })
  const checked = {
    type: 'project.checked',
    at,
    generation: 1,
    ready: false,
    reason: 'SecretMissing',
    message: 'Ask Grace',
  }
  await runtime.deliver({ to: project, key: 'checked/1', event: checked })
  await runtime.deliver({ to: 'task:default/ghost', key: 'retry/1', event: { type: 'task.retry', at, by: 'grace' } })
  await vi.waitUntil(async () => (await runtime.pendingEffects({ state: 'dead' })).length > 0, 20_000)
})
afterAll(async () => {
  await close()
  rmSync(state, { recursive: true })
})

let isClosed = false

async function close(): Promise<void> {
  if (isClosed) return
  isClosed = true
  await runtime.stop()
  await sql.close()
}

function asked(use: (fixture: CommandFixture) => Promise<void>): Promise<void> {
  const journal = storedJournal({ sql, definitions: machines, randomBytes: () => new Uint8Array(32).fill(3) })
  return withOrchestrator(use, (app) => {
    journalRoutes(app, journal)
    const body = Type.Object({ key: Type.String() })
    app.post('/operations/redeliver', { schema: { body } }, async (request) => {
      if (!(await runtime.redeliver(request.body.key))) throw new Problem('not-found', 'nothing dead has the key')
      return { redelivered: true }
    })
  })
}

describe('of a running orchestrator', () => {
  test('actors lists them by prefix and status (OPERATIONS-5)', () =>
    asked(async ({ dir }) => {
      const { out } = await said(() => actors(['--dir', dir]))
      expect(out.split('\n')).toEqual([
        expect.stringMatching(/^ACTOR +STATUS +EVENTS +STATE$/),
        expect.stringMatching(/^project:default\/demo +active +2 +\S+$/),
        expect.stringMatching(/^queue:default\/demo +active +\d +\S/),
      ])
      expect((await said(() => actors(['queue:', '--json', '--dir', dir]))).out.split('\n')).toHaveLength(1)
      expect((await said(() => actors(['--status', 'quarantined', '--dir', dir]))).out).toBe('no actors')
      await expect(actors(['--status', 'ill', '--dir', dir])).rejects.toThrow(
        '--status takes active, done, quarantined',
      )
    }))

  test('history tells each event, oldest first, and the newest N of them (OPERATIONS-5)', () =>
    asked(async ({ dir }) => {
      const { out } = await said(() => history([project, '--dir', dir]))
      expect(
        out
          .split('\n')
          .slice(1)
          .map((line) => line.split(/\s+/).slice(0, 3)),
      ).toEqual([
        ['1', '2023-11-14T22:13:20.000Z', 'project.applied'],
        ['2', '2023-11-14T22:13:20.000Z', 'project.checked'],
      ])
      const newest = await said(() => history([project, '--limit', '1', '--json', '--dir', dir]))
      expect(JSON.parse(newest.out)).toMatchObject({ seq: 2, key: 'checked/1', handled: true })
      await expect(history(['project:default/nobody', '--dir', dir])).rejects.toThrow('statewright actors lists them')
      await expect(history(['nobody', '--dir', dir])).rejects.toThrow('there is no actor task:default/nobody')
    }))

  test('replay folds one journal or all of them (OPERATIONS-5)', () =>
    asked(async ({ dir }) => {
      const codes: unknown[] = []
      const one = await said(async () => codes.push(await replay([project, '--dir', dir])))
      expect(one.out).toBe(`${project}: 2 steps, equal\n1 actors, 2 steps, 0 different`)
      const all = await said(async () => codes.push(await replay(['--all', '--dir', dir])))
      expect(all.out).toMatch(/^2 actors, \d+ steps, 0 different$/)
      expect(codes).toEqual([0, 0])
      await expect(replay(['--dir', dir])).rejects.toThrow('replay takes actors, or --all')
    }))

  test('replay ends with 1 and names the place where a journal was tampered with', () =>
    asked(async ({ dir }) => {
      const { rows } = await sql.query<{ effects: string }>('select effects from event where actor = $1 and seq = 1', [
        project,
      ])
      await sql.query(`update event set effects = '[]' where actor = $1 and seq = 1`, [project])
      try {
        let code = 0
        const { out } = await said(async () => (code = await replay([project, '--dir', dir])))
        expect(out).toContain(`${project}: replay differs at ${project} 1`)
        expect(code).toBe(1)
      } finally {
        await sql.query('update event set effects = $2 where actor = $1 and seq = 1', [project, rows[0]!.effects])
      }
    }))

  test('export writes what import folds, without a word of what people said (OPERATIONS-5)', () =>
    asked(async ({ dir }) => {
      const file = join(dir, 'bundle.json')
      const { err } = await said(() => exportActors([project, 'queue:*', '--out', file, '--dir', dir]))
      expect(err.split('\n')).toEqual([
        `${project}: 2 events`,
        expect.stringMatching(/^queue:default\/demo: \d events$/),
      ])
      const content = readFileSync(file, 'utf8')
      expect(content).not.toMatch(/Grace|ghp_/)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      let code = 1
      const folded = await said(async () => (code = await importBundles([file])))
      expect(folded.out).toMatch(
        /^project:default\/demo: 2 steps, equal \(the same code\)\nqueue:.*\n2 actors, 0 different, 0 skipped$/,
      )
      expect(code).toBe(0)
    }))

  test('import ends with 1 at a journal that this version decides otherwise, and refuses what is no bundle', () =>
    asked(async (fixture) => {
      const file = join(fixture.dir, 'bundle.json')
      await said(() => exportActors([project, '--out', file, '--dir', fixture.dir]))
      const bundle = JSON.parse(readFileSync(file, 'utf8')) as { actors: { events: { path: string }[] }[] }
      bundle.actors[0]!.events[0]!.path = 'elsewhere'
      writeFileSync(file, JSON.stringify(bundle))
      let code = 0
      const { out } = await said(async () => (code = await importBundles([file])))
      expect(out).toMatch(/event 1, project.applied: state is "\w+", was "elsewhere"/)
      expect(code).toBe(1)
      await expect(importBundles([fixture.file('{"actors": []}')])).rejects.toThrow(
        /is not a bundle of statewright export:\n {2}\/actors must/,
      )
      await expect(importBundles([fixture.file('{')])).rejects.toThrow('is not valid JSON')
    }))

  test('effects and dead letters are listed, shown and put back (OPERATIONS-6)', () =>
    asked(async ({ dir }) => {
      const to = ['--dir', dir]
      const list = await said(() => effects(['--only', 'dead', '--json', ...to]))
      const { key } = JSON.parse(list.out.split('\n')[0]!) as { key: string }
      expect(JSON.parse((await said(() => effects(['show', key, ...to]))).out)).toMatchObject({
        key,
        actor: project,
        state: 'dead',
        lastError: 'forge-refused',
      })
      expect((await said(() => effects(['redeliver', key, ...to]))).out).toBe('1 redelivered, 0 refused')
      expect((await said(() => effects(['redeliver', 'task:a/1/0', ...to]))).out).toBe('0 redelivered, 1 refused')
      const letters = await said(() => deadLetters(to))
      expect(letters.out.split('\n')[1]).toMatch(
        /^letter:\d+ +2023-\S+ +task:default\/ghost +task\.retry +unknown actor$/,
      )
      const id = letters.out.split('\n')[1]!.split(' ')[0]!
      expect(JSON.parse((await said(() => deadLetters(['show', id, ...to]))).out)).toMatchObject({ id, key: 'retry/1' })
      expect((await said(() => deadLetters(['redeliver', '--all', ...to]))).out).toBe('0 redelivered, 1 refused')
      await expect(deadLetters(['show', 'letter:999', ...to])).rejects.toThrow('list them to see their ids')
      await expect(effects(['redeliver', ...to])).rejects.toThrow('usage: statewright effects')
    }))

  test('a dead letter is refused while nobody knows its actor, and then taken once, under its own key', () =>
    asked(async ({ dir }) => {
      const ledger = 'ledger:default/demo'
      const of = ['--actor', ledger, '--dir', dir]
      const settled = { type: 'reservation.settled', at, turn: 'default/a-1/1/0', tokens: 5 }
      await runtime.deliver({ to: ledger, key: 'settled/1', event: settled })
      const idOf = async (): Promise<string> =>
        (JSON.parse((await said(() => deadLetters(['--json', ...of]))).out) as { id: string }).id
      const redeliver = async (id: string): Promise<string> =>
        (await said(() => deadLetters(['redeliver', id, '--dir', dir]))).out
      expect(await redeliver(await idOf())).toBe('0 redelivered, 1 refused')
      const limits = { tokensPerTurn: 9, tokensPerTask: 0, tokensPerDay: 0, tokensPerProject: 0, maxRaisePerDay: 0 }
      await runtime.deliver({ to: ledger, key: 'limits/1', event: { type: 'ledger.configured', at, limits } })
      const id = await idOf()
      expect(await redeliver(id)).toBe('1 redelivered, 0 refused')
      expect((await said(() => deadLetters(of))).out).toBe('no dead letters')
      expect(await redeliver(id)).toBe('0 redelivered, 1 refused')
      const told = await said(() => history([ledger, '--json', '--dir', dir]))
      expect(told.out.split('\n').map((line) => JSON.parse(line) as object)).toMatchObject([
        { seq: 1, key: 'limits/1' },
        { seq: 2, key: 'settled/1', event: settled, handled: true },
      ])
    }))
})

describe('of a store', () => {
  test('that an orchestrator holds, they say who does and what to do', async () => {
    await expect(replay(['--all', '--state', state])).rejects.toThrow(
      /is held by process \d+: stop the orchestrator, or ask it with --dir/,
    )
  })

  test('that is not there, nothing is made in its place', async () => {
    await expect(replay(['--all', '--state', join(state, 'nowhere')])).rejects.toThrow('contains no embedded store')
    await expect(replay(['--all', '--state', state, '--database', 'x'])).rejects.toThrow('give one')
  })

  test('that nobody runs on, they read as well', async () => {
    await close()
    expect((await said(() => replay(['--all', '--state', state]))).out).toMatch(/^3 actors, \d+ steps, 0 different$/)
  })
})
