/** An event that no alphabet has is an event that the prover never tells: each of the schemas' is in one. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, test } from 'vitest'
import type { AnyStateNode } from 'xstate'
import { allMachines } from '../../../machines/registry.ts'

interface Schema {
  readonly anyOf?: readonly Schema[]
  readonly properties?: { readonly type: { readonly const: string } }
}

function typesOf({ anyOf, properties }: Schema): readonly string[] {
  return anyOf?.flatMap(typesOf) ?? [properties!.type.const]
}

/** The one union that a machine's `events.ts` exports under its own name. */
async function eventsOf(kind: string): Promise<readonly string[]> {
  const name = kind.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const module = (await import(`../../../machines/${kind}/events.ts`)) as Readonly<Record<string, Schema>>
  return typesOf(module[`${name}Event`]!)
}

function missingIn(text: string, types: readonly string[]): readonly string[] {
  return types.filter((type) => !text.includes(`'${type}'`))
}

/** A row that only says that the actor stays counts as well: `events` of XState leaves those out. */
function heardIn({ transitions, states }: AnyStateNode): readonly string[] {
  return [...transitions.keys(), ...Object.values(states).flatMap(heardIn)]
}

const kinds = allMachines.map(({ kind }) => kind)

it.each(kinds)('%s: its alphabet names every event of its schema', async (kind) => {
  const text = readFileSync(join(import.meta.dirname, 'alphabets', `${kind}.ts`), 'utf8')
  expect(missingIn(text, await eventsOf(kind))).toEqual([])
})

it.each(kinds)('%s: its table has a row for every event of its schema, and for no other', async (kind) => {
  const { machine } = allMachines.find((one) => one.kind === kind)!
  const heard = new Set(heardIn(machine.root).filter((type) => type !== '' && !type.startsWith('xstate.')))
  expect([...heard].toSorted()).toEqual((await eventsOf(kind)).toSorted())
})

it.each(kinds)('%s: a test beside its machine sends every event of its schema', async (kind) => {
  const machines = join(import.meta.dirname, '../../../machines')
  const files = globSync([`${kind}/**/*.test.ts`, `testing/a-${kind}.ts`], { cwd: machines })
  const text = files.map((file) => readFileSync(join(machines, file), 'utf8')).join('')
  // Where its row is empty, nothing can be told apart.
  const inert = kind === 'merge-request' ? ['effect.failed'] : []
  expect(missingIn(text, await eventsOf(kind))).toEqual(inert)
})

test('an event that a text does not quote is named', () => {
  expect(missingIn("{ type: 'pod.start' }", ['pod.start', 'pod.stop', 'pod'])).toEqual(['pod.stop', 'pod'])
})
