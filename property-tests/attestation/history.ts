/** Histories of turns, model answers and calls of tools, and what law B3 says of each call in one. It asks no registry. */
import fc from 'fast-check'
import type { AskedModel, Block, Registry, Verdict } from '../../wrapper/attestation/registry.ts'

/** What is judged: the registry's functions, or a mutant's. */
export interface Rules {
  readonly beginTurn: (turn: string) => Registry
  readonly endTurn: () => Registry
  readonly register: (registry: Registry, asked: AskedModel, block: Block) => Registry
  readonly drop: (registry: Registry, asked: AskedModel) => Registry
  readonly spend: (registry: Registry, call: Block) => readonly [Registry, Verdict]
}

export type Move =
  | { readonly kind: 'begin' | 'end' }
  | { readonly kind: 'ask'; readonly tools: readonly string[] }
  /** `nth`: of the requests so far, counted from the last. */
  | { readonly kind: 'block'; readonly nth: number; readonly block: Block }
  | { readonly kind: 'break'; readonly nth: number }
  /** `like`: equal to a block that came before, counted from the last. */
  | { readonly kind: 'call'; readonly call: Block; readonly like?: number | undefined }

const tools = ['task_note', 'submit_outcome']
const block = fc.record({
  id: fc.constantFrom('toolu_1', 'toolu_2', 'toolu_3'),
  tool: fc.constantFrom(...tools),
  input: fc.constantFrom('{}', '{"verdict":"approve"}'),
})
const nth = fc.constantFrom(0, 0, 0, 1, 2)
const like = fc.constantFrom(0, 0, 1, 2, undefined, undefined)

const moves = fc.array(
  fc.oneof(
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('begin' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('end' as const) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('ask' as const),
        tools: fc.constantFrom(tools, tools, ['task_note'], []),
      }),
    },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('block' as const), nth, block }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('break' as const), nth }) },
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('call' as const), call: block, like }) },
  ),
  { minLength: 5, maxLength: 40 },
)

/** Most begin with a turn and a request in it: else the first calls of each history say nothing. */
export const histories: fc.Arbitrary<readonly Move[]> = fc
  .tuple(fc.constantFrom(true, true, true, false), moves)
  .map(([begins, then]) => (begins ? [{ kind: 'begin' }, { kind: 'ask', tools }, ...then] : then))

interface Lived {
  readonly move: Move
  /** Of `ask`: its own; of `block` and `break`: the request's that they belong to. */
  readonly asked?: AskedModel
  readonly verdict?: Verdict['kind']
}

export function play(rules: Rules, made: readonly Move[]): readonly Lived[] {
  let registry = rules.endTurn()
  const requests: AskedModel[] = []
  const blocks: Block[] = []
  let turns = 0
  let turn: string | undefined
  return made.map((move): Lived => {
    if (move.kind === 'begin') registry = rules.beginTurn((turn = `turn-${(turns += 1)}`))
    if (move.kind === 'end') [registry, turn] = [rules.endTurn(), undefined]
    if (move.kind === 'ask') requests.push({ ordinal: requests.length, turn, tools: new Set(move.tools) })
    const asked = requests.at(-1 - ('nth' in move ? move.nth : 0))
    if (move.kind === 'block') blocks.push(move.block)
    if (move.kind === 'block' && asked) registry = rules.register(registry, asked, move.block)
    if (move.kind === 'break' && asked) registry = rules.drop(registry, asked)
    if (move.kind !== 'call') return { move, ...(asked && { asked }) }
    const call = (move.like === undefined ? undefined : blocks.at(-1 - move.like)) ?? move.call
    const [next, verdict] = rules.spend(registry, call)
    registry = next
    return { move: { kind: 'call', call }, verdict: verdict.kind }
  })
}

const isSame = (one: Block, other: Block): boolean =>
  one.id === other.id && one.tool === other.tool && one.input === other.input

/** What each call had to be: read from the moves before it alone. */
export function expected(lived: readonly Lived[], at: number): Verdict['kind'] {
  const { move } = lived[at]!
  if (move.kind !== 'call') throw new Error('only calls are judged')
  const began = lived.slice(0, at).findLastIndex((one) => one.move.kind === 'begin' || one.move.kind === 'end')
  if (lived[began]?.move.kind !== 'begin') return 'refused'
  const turn = `turn-${lived.slice(0, began + 1).filter((one) => one.move.kind === 'begin').length}`
  let decided: { readonly block: Block; readonly request: number } | undefined
  let isSpent = false
  for (const one of lived.slice(began + 1, at)) {
    const counts = one.asked?.turn === turn
    if (one.move.kind === 'block' && one.move.block.id === move.call.id && counts && !isSpent)
      if (one.asked.tools.has(one.move.block.tool)) decided = { block: one.move.block, request: one.asked.ordinal }
    if (one.move.kind === 'break' && one.asked?.ordinal === decided?.request && !isSpent) decided = undefined
    if (one.move.kind === 'call' && decided && isSame(one.move.call, decided.block)) isSpent = true
  }
  if (!decided || !isSame(decided.block, move.call)) return 'refused'
  return isSpent ? 'repeat' : 'spent'
}

/** The first call that was judged otherwise than the law judges it. */
export function breach(rules: Rules, made: readonly Move[]): string | undefined {
  const lived = play(rules, made)
  for (const [at, { move, verdict }] of lived.entries()) {
    if (move.kind !== 'call') continue
    const due = expected(lived, at)
    if (verdict !== due) return `call ${at} was ${verdict}, and had to be ${due}`
  }
  return undefined
}
