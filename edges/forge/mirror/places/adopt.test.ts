/** What stood under bare names before migration 0007: a start keeps what it can prove. */
import { pushRefusalIn } from '../../forge-edge.ts'
import { expect } from 'vitest'
import { withForgeEdge, type EdgeFixture } from '../../testing/fixture.ts'
import { testInside } from '../../../../testing/inside.ts'

const REPO = 'acme/library'
const tables = ['delivery', 'subject', 'comment', 'account', 'cursor', 'push', 'history', 'owed']

/** The rows of the fixture, as migration 0007 leaves those of before. */
async function asBefore({ sql, edge }: EdgeFixture): Promise<void> {
  const { forgeId } = await edge.mirror.repositoryKey('demo', 'library')
  for (const table of tables) await sql.query(`update forge_${table} set project = 'name/demo'`)
  for (const table of tables.filter((one) => one !== 'delivery' && one !== 'account'))
    await sql.query(`update forge_${table} set repository = 'library' where repository = $1`, [`library#${forgeId}`])
  await sql.query('delete from forge_repository')
}

async function rowsOf({ sql }: EdgeFixture, project: string): Promise<Record<string, number>> {
  const counted = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await sql.query<{ found: number }>(
        `select count(*)::int as found from forge_${table} where project = $1`,
        [project],
      )
      return [table, rows[0]!.found] as const
    }),
  )
  return Object.fromEntries(counted.filter(([, found]) => found > 0))
}

/** An issue with a comment that its author deleted after a withdrawal: no reading of the forge brings that back. */
async function withKnown(use: (fixture: EdgeFixture, issue: number) => Promise<void>): Promise<void> {
  await withForgeEdge({}, async (fixture) => {
    const { forge, quiet, edge, clock } = fixture
    await edge.handlers.checkProject.perform({ project: 'default/demo' }, fixture.context('check'))
    const { number } = forge.openIssue('maintainer', REPO, { title: 'Add mul', body: 'x', labels: ['platform'] })
    const { id } = forge.comment('maintainer', REPO, number, '/hold')
    await quiet()
    forge.deleteComment('maintainer', REPO, id)
    await quiet()
    await edge.mirror.resync('demo')
    const push = { task: 'default/a', pod: 'default/a/1', ref: 'refs/heads/x', before: '0', after: '1' }
    const refused = {
      project: 'demo',
      repository: 'library',
      outcome: 'refused',
      reason: 'no',
      at: clock.now(),
    } as const
    await edge.auditPush({ ...push, ...refused })
    await asBefore(fixture)
    await use(fixture, number)
  })
}

const it = testInside(withKnown)

it('MIRROR-7: rows whose pages are all below the Repository’s address are kept, and get their place once the forge is asked', async (fixture, issue) => {
  const { edge } = fixture
  const before = await rowsOf(fixture, 'name/demo')
  await edge.adopt()
  expect([await rowsOf(fixture, 'name/demo'), await rowsOf(fixture, 'uid-of-demo')]).toEqual([{}, before])
  expect(await edge.mirror.issue('demo', 'library', issue)).toBeUndefined()
  await edge.mirror.repositoryKey('demo', 'library')
  expect(await edge.mirror.issue('demo', 'library', issue)).toMatchObject({ issue: { title: 'Add mul' } })
  expect((await edge.mirror.comments('demo', 'library', 'issue', issue)).map(({ deletedAt }) => deletedAt)).toEqual([
    expect.any(Number),
  ])
  expect(await pushRefusalIn(fixture)('demo', 'library', 'default/a')).toBe('no')
})

it('MIRROR-7: of rows that are of two repositories those of the other one go, and all that can belong to either', async (fixture, issue) => {
  const { sql, edge } = fixture
  await sql.query(
    `insert into forge_subject select project, repository, sort, 99, state, head_sha, head_branch, author,
         replace(document, 'acme/library', 'others/library'), notes, complete, updated_at, seen_at, facts_hash, revision from forge_subject limit 1`,
  )
  await edge.adopt()
  await edge.mirror.repositoryKey('demo', 'library')
  expect((await edge.mirror.issues('demo')).map(({ number }) => number)).toEqual([issue])
  expect(await rowsOf(fixture, 'name/demo')).toEqual({})
  expect(Object.keys(await rowsOf(fixture, 'uid-of-demo'))).toEqual(['delivery', 'subject', 'comment', 'account'])
})

it('MIRROR-7: where nothing is proven nothing is kept', async (fixture) => {
  const { sql, edge } = fixture
  await sql.query(`update forge_subject set document = replace(document, 'acme/library', 'acme/library-old')`)
  await edge.adopt()
  expect([await rowsOf(fixture, 'name/demo'), await rowsOf(fixture, 'uid-of-demo')]).toEqual([{}, {}])
})
