import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allMachines } from '../../../machines/registry.ts'
import { inPath } from '../../../runtime/listings.ts'
import { findListed, tallyActors } from '../../../runtime/store/actors/list-actors.ts'
import { migrate } from '../../../runtime/store/migrate.ts'
import { openSharedSql } from '../../../runtime/store/testing/shared-store.ts'
import { choicesOf } from './choices.ts'

let sql: Awaited<ReturnType<typeof openSharedSql>>

beforeAll(async () => {
  sql = await openSharedSql()
  await migrate(sql)
})
afterAll(() => sql.close())

interface StateNode {
  readonly path: readonly string[]
  readonly states: Readonly<Record<string, StateNode>>
}

function leavesOf({ path, states }: StateNode): readonly string[] {
  const inner = Object.values(states)
  return inner.length === 0 ? [path.join('.')] : inner.flatMap(leavesOf)
}

describe('each state to filter by finds as many as it says, of an actor in each state of its chart (INSPECTOR-7)', () => {
  test.each(allMachines)('$kind', async ({ kind, machine }) => {
    const paths = leavesOf(machine.root)
    await sql.query(
      `insert into actor (address, kind, seq, version, machine_hash, status, path, shard, created_at, updated_at)
        select $1 || ':' || path, $1, 1, 1, '', 'active', path, 0, 0, 0 from unnest($2::text[]) path`,
      [kind, paths],
    )
    const { states } = await tallyActors(sql, [])
    const choices = choicesOf({ states, words: [] }).filter((one) => one.kind === kind && one.filter === 'state')
    expect(choices.length).toBeGreaterThan(0)
    for (const { value, count, text } of choices) {
      const { total } = await findListed(sql, kind, { path: value, limit: 1, isListed: false })
      expect([text, total]).toEqual([text, count])
      expect([text, paths.filter((path) => inPath(path, value)).length]).toEqual([text, count])
    }
  })
})

test('a Task that only begins is found by that state alone, under its name', () => {
  const path = 'stage.live.minted pod.none'
  const choices = choicesOf({ states: [{ kind: 'task', path, count: 1 }], words: [] })
  expect(choices.map(({ text }) => text)).toContain('minted')
})
