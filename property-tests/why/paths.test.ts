import type { AnyStateMachine } from 'xstate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stageReasons } from '../../machines/task/reasons.ts'
import { taskMachine } from '../../machines/task/machine.ts'
import { migrate } from '../../runtime/store/migrate.ts'
import { openMemorySql } from '../../runtime/store/pglite/pglite-memory.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { arrive, stageOver, type Stage } from './run-path.ts'
import { stories } from './stories.ts'
import type { Moment } from './told.ts'

type Node = AnyStateMachine['root']

/** One of each kind, state and reason, from all moments of all stories. */
function standings(): ReadonlyMap<string, Moment> {
  const moments = stories.flatMap(({ task }) => task.moments)
  const named = moments.map((moment): [string, Moment] => {
    const {
      kind,
      stage: { reason: stageReason, class: stageClass },
    } = moment.context
    return [`${kind}: ${moment.path}${stageClass === 'parked' ? ` (${stageReason})` : ''}`, moment]
  })
  return new Map(named.filter(([, { context }]) => context.stage.class !== 'terminal').toReversed())
}

function leavesOf(node: Node): readonly string[] {
  const children = Object.values(node.states) as Node[]
  if (node.type === 'final') return []
  return children.length === 0 ? [node.path.join('.')] : children.flatMap(leavesOf)
}

/** A maintainer retries it on its issue, and another Task comes of it. */
const hopeless = (context: Moment['context']): boolean => context.stage.name === 'implement-declined'

const known = standings()

describe('the stories stand everywhere', () => {
  test('every state of the table that lasts is in one of them', () => {
    const stood = new Set([...known.values()].flatMap(({ path }) => path.split(' ')))
    const passing = 'stage.live.minted'
    expect(leavesOf(taskMachine.root).filter((leaf) => leaf !== passing && !stood.has(leaf))).toEqual([])
  })

  test('every reason of a park is in one of them', () => {
    const said = new Set([...known.values()].map(({ context }) => context.stage.reason))
    const reasons = Object.entries(stageReasons).filter(([, { stage }]) => stage !== 'final')
    expect(reasons.map(([reason]) => reason).filter((reason) => !said.has(reason))).toEqual([])
  })

  test('every kind is in one of them', () => {
    expect(new Set([...known.values()].map(({ context }) => context.kind)).size).toBe(7)
  })
})

describe('the shortest way to delivered, gone by deliveries on the runtime', () => {
  let sql: Sql
  let stage: Stage
  beforeAll(async () => {
    sql = await openMemorySql()
    await migrate(sql)
    stage = stageOver(sql)
    await stage.start()
  })
  afterAll(async () => {
    await stage.runtime.stop()
    await sql.close()
  })

  test(
    'from every state of every kind it arrives, and passes the stages that were said',
    { timeout: 120_000 },
    async () => {
      const strays: string[] = []
      const go = async ([name, moment]: readonly [string, Moment], index: number): Promise<void> => {
        const { path, stage: at, astray } = await arrive(stage, moment, `default/way-${index}`)
        if (hopeless(moment.context)) expect(path, name).toBeUndefined()
        else if (at !== 'delivered' || astray !== undefined) strays.push(`${name}: ${path ? (astray ?? at) : 'no way'}`)
      }
      const all = [...known].map((one, index) => ({ one, index }))
      // Time passes for all at once, so those that wait for it go alone.
      const hasty = all.filter(({ one: [, { told }] }) => !told.some((each) => 'timer' in each))
      await Promise.all(hasty.map(({ one, index }) => go(one, index)))
      for (const { one, index } of all) if (!hasty.some((other) => other.index === index)) await go(one, index)
      expect(strays).toEqual([])
    },
  )
})
