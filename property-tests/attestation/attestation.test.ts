/** Law B3 over histories: a call of a tool is done exactly where a block of this turn's model stands for it, and once. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { beginTurn, drop, outsideTurns, register, spend, type Registry } from '../../wrapper/attestation/registry.ts'
import { breach, histories, play, type Rules } from './history.ts'

const runs = 3000
const rules: Rules = { beginTurn, endTurn: () => outsideTurns, register, drop, spend }

/** A registry that knows its spent blocks as unspent. */
function unspent(registry: Registry): Registry {
  const blocks = [...registry.blocks].map(([id, block]) => [id, { ...block, isSpent: false }] as const)
  return { ...registry, blocks: new Map(blocks) }
}

let carried: Registry = outsideTurns
const mutants: Readonly<Record<string, Rules>> = {
  'spends a block twice': { ...rules, spend: (registry, call) => spend(unspent(registry), call) },
  'takes other arguments': {
    ...rules,
    spend: (registry, call) => spend(registry, { ...call, input: registry.blocks.get(call.id)?.input ?? call.input }),
  },
  'takes another tool': {
    ...rules,
    spend: (registry, call) => spend(registry, { ...call, tool: registry.blocks.get(call.id)?.tool ?? call.tool }),
  },
  'takes any id': {
    ...rules,
    spend: (registry, call) => {
      const alike = [...registry.blocks.values()].find(
        ({ tool, input, isSpent }) => !isSpent && tool === call.tool && input === call.input,
      )
      return spend(registry, { ...call, id: alike?.id ?? call.id })
    },
  },
  'takes a block after its turn': {
    ...rules,
    endTurn: () => carried,
    register: (...given) => (carried = register(...given)),
  },
  'takes a block of an earlier turn’s request': {
    ...rules,
    register: (registry, asked, block) => register(registry, { ...asked, turn: registry.turn }, block),
  },
  'takes a tool that was not declared': {
    ...rules,
    register: (registry, asked, block) => register(registry, { ...asked, tools: new Set([block.tool]) }, block),
  },
  'keeps the blocks of an answer that broke off': { ...rules, drop: (registry) => registry },
  'drops the blocks of other answers': { ...rules, drop: (registry) => ({ ...registry, blocks: new Map() }) },
  'forgets what was spent when an answer breaks off': {
    ...rules,
    drop: (registry, asked) => drop(unspent(registry), asked),
  },
  'gives a spent id a second life': {
    ...rules,
    register: (registry, asked, block) => register(unspent(registry), asked, block),
  },
  'refuses all': { ...rules, spend: (registry) => [registry, { kind: 'refused', reason: 'no-block' }] },
}

describe('law B3, only the model decides', () => {
  test('holds over histories of turns, answers and calls', () => {
    const seen = { spent: 0, repeat: 0, refused: 0 }
    const property = fc.property(histories, (moves) => {
      for (const { verdict } of play(rules, moves)) if (verdict) seen[verdict] += 1
      expect(breach(rules, moves)).toBeUndefined()
    })
    fc.assert(property, { numRuns: runs })
    // Histories in which nothing is ever spent would prove nothing.
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(runs / 10)
  })

  test.each(Object.entries(mutants))('is broken by a registry that %s', (_what, mutant) => {
    const found = fc.check(
      fc.property(histories, (moves) => {
        carried = outsideTurns
        return breach(mutant, moves) === undefined
      }),
      { numRuns: runs },
    )
    expect(found.failed).toBe(true)
  })
})
