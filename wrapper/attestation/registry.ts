/**
 * Law B3 as data: a call in the agent's name is the effect of one `tool_use` block of a model.
 * 1. A block counts in the turn whose request it answers, and in no other.
 * 2. Only tools that the request declared count.
 * 3. A block is spent once, by the call that equals it in id, name and arguments. The same call again is a repeat.
 * 4. An answer that broke off leaves nothing that could still be spent.
 * 5. Nothing counts outside of a turn.
 * 6. Arguments that nest too deep to be compared equal no block.
 */
import type { CallRefusal } from '../../machines/turn/schema.ts'

export interface Block {
  readonly id: string
  /** As the platform's server names the tool. */
  readonly tool: string
  /** Canonical JSON. */
  readonly input: string
}

export interface Call extends Omit<Block, 'input'> {
  /** Canonical JSON. Undefined: it nests too deep. */
  readonly input: string | undefined
}

export interface Registered extends Block {
  /** Ordinal of the model request that it answers. */
  readonly request: number
  readonly isSpent: boolean
}

export interface Registry {
  readonly turn: string | undefined
  readonly blocks: ReadonlyMap<string, Registered>
}

/** One request of the CLI to the model. */
export interface AskedModel {
  readonly ordinal: number
  /** The turn that it began in. */
  readonly turn: string | undefined
  /** The platform's tools that it declared. */
  readonly tools: ReadonlySet<string>
}

export type Verdict =
  | { readonly kind: 'spent' | 'repeat'; readonly block: Registered }
  | { readonly kind: 'refused'; readonly reason: CallRefusal }

export const outsideTurns: Registry = { turn: undefined, blocks: new Map() }

export function beginTurn(turn: string): Registry {
  return { turn, blocks: new Map() }
}

export function register(registry: Registry, asked: AskedModel, block: Block): Registry {
  if (registry.turn === undefined || asked.turn !== registry.turn || !asked.tools.has(block.tool)) return registry
  // An id that comes again is not given a second life.
  if (registry.blocks.get(block.id)?.isSpent) return registry
  const registered = { ...block, request: asked.ordinal, isSpent: false }
  return { ...registry, blocks: new Map(registry.blocks).set(block.id, registered) }
}

export function drop(registry: Registry, asked: AskedModel): Registry {
  const kept = [...registry.blocks].filter(([, { request, isSpent }]) => isSpent || request !== asked.ordinal)
  return { ...registry, blocks: new Map(kept) }
}

export function spend(registry: Registry, call: Call): readonly [Registry, Verdict] {
  const refused = (reason: CallRefusal): readonly [Registry, Verdict] => [registry, { kind: 'refused', reason }]
  if (registry.turn === undefined) return refused('no-turn')
  if (call.input === undefined) return refused('too-deep')
  const known = registry.blocks.get(call.id)
  if (!known) return refused('no-block')
  if (known.tool !== call.tool) return refused('other-tool')
  if (known.input !== call.input) return refused('other-arguments')
  if (known.isSpent) return [registry, { kind: 'repeat', block: known }]
  const block = { ...known, isSpent: true }
  return [
    { ...registry, blocks: new Map(registry.blocks).set(call.id, block) },
    { kind: 'spent', block },
  ]
}
