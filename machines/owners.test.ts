/** Every state says who can move it (ARCHITECTURE, "Every message names what it answers"); effects are data and nothing else. */
import type { AnyStateMachine } from 'xstate'
import { describe, expect, test } from 'vitest'
import { owners } from './definition.ts'
import { effectSchemas } from './effect.ts'
import { reasons } from './generated/reasons.ts'
import { allMachines } from './registry.ts'
import { ingestJobDefinition } from './ingest-job/machine.ts'
import { issueDefinition } from './issue/machine.ts'
import { mergeRequestDefinition } from './merge-request/machine.ts'
import { podDefinition } from './pod/machine.ts'
import { projectDefinition } from './project/machine.ts'
import { turnDefinition } from './turn/machine.ts'

type Node = AnyStateMachine['root']

function below(node: Node): readonly Node[] {
  const children = Object.values(node.states) as Node[]
  return children.flatMap((child) => [child, ...below(child)])
}

const needsMeta = (node: Node): boolean =>
  node.type !== 'parallel' && node.meta === undefined && node.type !== 'compound'

describe.each([
  ingestJobDefinition,
  podDefinition,
  turnDefinition,
  issueDefinition,
  mergeRequestDefinition,
  projectDefinition,
])('$kind', ({ machine }) => {
  test('every state where the actor can rest names its owner and the reason', () => {
    expect(
      below(machine.root)
        .filter(needsMeta)
        .map(({ id }) => id),
    ).toEqual([])
    for (const { meta, type, id } of below(machine.root)) {
      if (!meta) continue
      expect(meta, id).toMatchObject({ owner: expect.stringMatching(/./), reason: expect.stringMatching(/./) })
      if (type !== 'final') expect(meta.unblocks, id).toMatch(/./)
    }
  })
  test('no action of the table bears the name of an effect: it would be performed instead of asked for', () => {
    expect(Object.keys(machine.implementations.actions).filter((name) => name in effectSchemas)).toEqual([])
  })
  test('every action and guard that the table names exists', () => {
    const { actions, guards } = machine.implementations
    const named = below(machine.root).flatMap((node) => [...node.transitions.values()].flat())
    const actionsNamed = below(machine.root)
      .flatMap((node) => [...node.entry, ...node.exit])
      .concat(named.flatMap((transition) => transition.actions as never[]))
      .map(nameOf)
      .filter((name) => !name.startsWith('xstate.'))
    expect(actionsNamed.filter((name) => !(name in actions))).toEqual([])
    expect(
      named.flatMap(({ guard }) => (guard === undefined ? [] : [nameOf(guard)])).filter((name) => !(name in guards)),
    ).toEqual([])
  })
  test('nothing stands unused: every action and guard that exists is named', () => {
    const text = JSON.stringify(machine.config)
    const unused = [...Object.keys(machine.implementations.actions), ...Object.keys(machine.implementations.guards)]
    expect(unused.filter((name) => !text.includes(`"${name}"`))).toEqual([])
  })
})

function nameOf(reference: unknown): string {
  return typeof reference === 'string' ? reference : ((reference as { readonly type?: string }).type ?? '(inline)')
}

test.each(allMachines)(
  'every state of $kind that is not final says who can move it, why it rests and what would, in the one enum',
  (definition) => {
    const resting = below(definition.machine.root).filter(({ type }) => type === 'atomic')
    const keys = resting.map(({ path }) => `${definition.kind}/${path.join('.')}`)
    expect(keys.filter((key) => !(key in reasons))).toEqual([])
    for (const { meta, id } of below(definition.machine.root))
      if (meta) expect(owners, id).toContain((meta as { owner: string }).owner)
  },
)
