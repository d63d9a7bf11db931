/** The end of what is known: of a Project that is gone, and of a repository for which nothing stands any more. */
import { expect } from 'vitest'
import { withForgeEdge, type EdgeFixture } from '../../testing/fixture.ts'
import { forgetGone } from './forget.ts'
import { testInside } from '../../../../testing/inside.ts'

const REPO = 'acme/library'
const day = 24 * 3_600_000
const tables = ['delivery', 'subject', 'comment', 'account', 'cursor', 'push', 'history', 'repository']

interface Known extends EdgeFixture {
  /** Sweeps after so many days; false: there is more. */
  forget(days: number, projects?: EdgeFixture['project'][]): Promise<boolean>
  counts(): Promise<readonly number[]>
  readonly forgotten: unknown[]
}

async function withKnown(use: (known: Known) => Promise<void>): Promise<void> {
  await withForgeEdge({}, async (fixture) => {
    const { forge, quiet, edge, clock, sql, project } = fixture
    await edge.handlers.checkProject.perform({ project: 'default/demo' }, fixture.context('check'))
    const { number } = forge.openIssue('maintainer', REPO, { title: 'Add mul', body: 'x', labels: ['platform'] })
    forge.comment('maintainer', REPO, number, 'Fine.')
    await quiet()
    await edge.mirror.resync('demo')
    const push = { task: 'default/a', pod: 'default/a/1', ref: 'refs/heads/x', before: '0', after: '1' }
    await edge.auditPush({ ...push, project: 'demo', repository: 'library', outcome: 'accepted', at: clock.now() })
    const start = clock.now()
    const forgotten: unknown[] = []
    await use({
      ...fixture,
      forgotten,
      forget: (days, projects = [project]) =>
        forgetGone({
          sql,
          projects: async () => projects,
          now: start + days * day,
          forgotten: async (place) => void forgotten.push(place),
        }),
      counts: () =>
        Promise.all(
          tables.map(async (table) => {
            const { rows } = await sql.query<{ found: number }>(`select count(*)::int as found from forge_${table}`)
            return rows[0]!.found
          }),
        ),
    })
  })
}

const none = tables.map(() => 0)

const it = testInside(withKnown)

it('MIRROR-8: what lives is never forgotten, however long it lives', async ({ forget, counts, forgotten }) => {
  const before = await counts()
  expect(Math.min(...before)).toBeGreaterThan(0)
  for (const days of [0, 31, 400]) expect(await forget(days)).toBe(true)
  expect([await counts(), forgotten]).toEqual([before, []])
})

it('MIRROR-8: all that is known of a deleted Project goes 30 days after it was missed first, and not before', async (fixture) => {
  const { forget, counts, forgotten, edge } = fixture
  const before = await counts()
  const place = await edge.mirror.repositoryKey('demo', 'library')
  await forget(10, [])
  await forget(39.9, [])
  expect([await counts(), forgotten]).toEqual([before, []])
  expect(await forget(40.1, [])).toBe(true)
  expect([await counts(), forgotten]).toEqual([none, [place]])
})

it('MIRROR-8: what comes back within that time is kept, and its time begins anew', async (fixture) => {
  const { forget, counts, project } = fixture
  const before = await counts()
  await forget(0, [])
  await forget(29, [project])
  await forget(31, [])
  await forget(60, [])
  expect(await counts()).toEqual(before)
})

it('MIRROR-8: another Project and another repository of the name lose nothing when the first one is forgotten', async (fixture) => {
  const { forget, sql, edge, project, clock, forge } = fixture
  await edge.mirror.identify('demo', 'library', 'another')
  forge.openIssue('maintainer', REPO, { title: 'New', body: 'x', labels: ['platform'] })
  clock.advance(60_000)
  await edge.mirror.resync('demo')
  const kept = await edge.mirror.issues('demo')
  expect(kept.length).toBeGreaterThan(0)
  await forget(0, [project])
  expect(await forget(31, [project])).toBe(true)
  expect(await edge.mirror.issues('demo')).toEqual(kept)
  const { rows } = await sql.query('select distinct repository from forge_subject')
  expect(rows).toEqual([{ repository: 'library#another' }])
  const { rows: accounts } = await sql.query('select 1 from forge_account')
  expect(accounts.length).toBeGreaterThan(0)
})

it('MIRROR-8: a large repository goes in bounded parts, and what is left goes in the next sweeps', async (fixture) => {
  const { forget, counts, sql, forgotten } = fixture
  await sql.query(
    `insert into forge_comment select project, repository, on_sort, number, id || '-' || n, sort, author, document, body_hash, edited_by,
         created_at, updated_at, deleted_at, told, deleted_by, withdrawal, heard, dismissal from forge_comment, generate_series(1, 4500) n`,
  )
  await forget(0, [])
  expect([await forget(31, []), forgotten]).toEqual([false, []])
  expect((await counts())[2]).toBeGreaterThan(2000)
  expect([await forget(31, []), await forget(31, [])]).toEqual([false, true])
  expect([await counts(), forgotten.length]).toEqual([none, 1])
})
