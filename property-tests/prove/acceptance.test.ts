/** LAW-12 and its negative controls: each row of the table of outcomes is taken away once. */
import { describe, expect, it } from 'vitest'
import { agentKinds, type AgentKind } from '../../machines/task/events.ts'
import { refused, type Judge } from '../../machines/task/outcome/judgement.ts'
import { judgements } from '../../machines/task/outcome/judge.ts'
import { rowsOn, state, withTable } from '../machines/rewrite.ts'
import { actionsOf, unaccepted } from './acceptance.ts'

/** What the table says while it says no there. */
function withoutRow<T>(row: string, ask: () => T): T {
  const rows = judgements as Record<string, Judge>
  const real = rows[row]!
  rows[row] = () => refused('conflict', 'nobody takes it')
  try {
    return ask()
  } finally {
    rows[row] = real
  }
}

const everyAction = agentKinds.flatMap((kind) => actionsOf(kind).map((action) => [kind, action] as const))

function rowOf(kind: AgentKind, action: string): string {
  return Object.keys(judgements).find((row) => row.endsWith(` ${kind} ${action}`))!
}

describe('LAW-12', { timeout: 60_000 }, () => {
  it.each(agentKinds)('is kept by %s: each of its actions is accepted somewhere, and it is delivered', (kind) => {
    expect(unaccepted(kind)).toEqual([])
  })

  it.each(everyAction)('is broken when no state takes from %s the action %s', (kind, action) => {
    const broken = withoutRow(rowOf(kind, action), () => unaccepted(kind))
    expect(broken).toContain(`${action} of ${kind} is accepted nowhere`)
  })

  it('is broken when a kind has no way to its end', () => {
    const definitions = withTable('task', (table) => {
      for (const row of rowsOn(state(table, 'stage.live'), 'outcome'))
        if (row['target'] === '#delivered') row['target'] = '#rejected'
    })
    expect(unaccepted('brainstorm', { definitions })).toEqual(['no brainstorm is ever delivered'])
  })
})
