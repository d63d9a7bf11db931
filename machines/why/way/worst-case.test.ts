import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ATask } from '../../testing/a-task.ts'
import { agentKinds, type AgentKind } from '../../task/events.ts'
import { worstCase } from './worst-case.ts'

const prices = { agentPodTTLSeconds: 3600, tokensPerTurn: 1000, tokensPerTask: 0 }
const turnsOf = (kind: AgentKind) => worstCase(kind, prices).stages.map(({ stage, turns }) => `${stage} ${turns}`)

describe('the most that a Task can cost', () => {
  test('is as many turns as the counters of each stage on its way let through', () => {
    // Three silent turns, two failures before each of them.
    expect(turnsOf('brainstorm')).toEqual(['brainstorming 9'])
    // One more where somebody might answer: it asks, its pod waits to the TTL and hands off.
    expect(turnsOf('review')).toEqual(['reviewing 10'])
    // A claim that comes to nothing calms the counters, so that each of the 24 pods of a visit begins anew.
    expect(turnsOf('implement')).toEqual(['implementing 240', 'reviewing 10'])
  })

  test('every kind has a bound for a pass, and those with a review repeat it', () => {
    for (const kind of agentKinds) expect(worstCase(kind, prices).tokensPerPass, kind).toBeGreaterThan(0)
    expect(agentKinds.filter((kind) => worstCase(kind, prices).laps)).toEqual(['implement', 'documentation', 'upgrade'])
  })

  test('longer lives of pods mean fewer of them, and fewer turns', () => {
    const long = worstCase('implement', { ...prices, agentPodTTLSeconds: 12 * 3600 })
    expect(long.stages[0]).toEqual({ stage: 'implementing', turns: 20 })
  })

  test('is held by the ledger where the Project says so', () => {
    expect(worstCase('implement', { ...prices, tokensPerTask: 5000 }).tokensAtMost).toBe(5000)
    expect(worstCase('implement', prices).tokensAtMost).toBeNull()
  })
})

type Deed = 'silent' | 'fails' | 'asks' | 'claims'

class Counted extends ATask {
  turns = 0

  override send(type: string, fields: Readonly<Record<string, unknown>> = {}): this {
    super.send(type, fields)
    return this.#count()
  }

  override fire(timer: string): this {
    super.fire(timer)
    return this.#count()
  }

  #count(): this {
    this.turns += this.told('pod').filter(({ type }) => type === 'turn.requested').length
    return this
  }
}

function does(task: Counted, deed: Deed): void {
  const pod = JSON.stringify(task.pod)
  if (pod.includes('awaitingSlot')) return void task.slot()
  if (pod.includes('starting')) return void task.works()
  if (pod.includes('resting')) return void task.fire('turnDelay')
  if (pod.includes('idle')) {
    task.turns += 1
    return void task.final('gone', { residencyMs: 3_600_000 })
  }
  task.accepted()
  if (deed === 'asks') task.send('agent.asked', { pod: task.context.pod.ordinal, repository: 'lib', number: 1 })
  if (deed === 'claims') task.outcome('approved', { plan_note_id: 'none' })
  if (deed === 'fails') task.failed('api_error')
  else task.ended()
}

/** What an agent does by itself, counted by the turns that its Task asks for, and the hand-offs. */
function live(kind: AgentKind, deeds: readonly Deed[]): number {
  const task = new Counted().mint({ kind, issues: [] })
  const { visit } = task.context.stage
  for (const deed of deeds) if (task.context.stage.visit === visit) does(task, deed)
  return task.turns
}

test('whatever an agent does by itself, a visit takes no more turns than that', () => {
  const deeds = fc.array(fc.constantFrom<Deed>('silent', 'fails', 'fails', 'asks', 'claims'), { maxLength: 80 })
  fc.assert(
    fc.property(fc.constantFrom<AgentKind>('brainstorm', 'refine', 'incident', 'documentation'), deeds, (kind, all) => {
      expect(live(kind, all)).toBeLessThanOrEqual(worstCase(kind, prices).stages[0]?.turns ?? 0)
    }),
    { numRuns: 200 },
  )
})
