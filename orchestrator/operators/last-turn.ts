/** What the agent of a parked Task did last, for people: its words, its last call of a tool, and how the turn ended. */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { ActorAddress } from '../../machines/definition.ts'
import { LastTool } from '../../machines/turn/schema.ts'
import type { LastTurn } from '../../machines/why/why.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { hideSecrets } from '../../runtime/secrets-in-text.ts'

/** Letters of what an agent said, and of an error. */
const mostLetters = 500

/** The context of a Task that is parked and that a turn ended of. */
const Parked = Type.Object({
  id: Type.String(),
  stage: Type.Object({ class: Type.Literal('parked') }),
  turn: Type.Object({ last: Type.Integer(), lastPod: Type.Integer(), lastFinalText: Type.String() }),
})

const Result = Type.Object({
  type: Type.Literal('turn.result'),
  finalText: Type.String(),
  stopReason: Type.String(),
  error: Type.Optional(Type.String()),
  lastTool: Type.Optional(LastTool),
})

/** Undefined: it is no such Task. The tool and the end are those of its turn's journal, while that is kept. */
export async function readLastTurn(runtime: Pick<Runtime, 'history'>, context: unknown): Promise<LastTurn | undefined> {
  if (!Value.Check(Parked, context)) return undefined
  const { id, turn } = context
  const address: ActorAddress = `turn:${id}/${turn.lastPod}/${turn.last}`
  const rows = await runtime.history(address)
  const result = rows.map(({ event }): unknown => event).findLast((event) => Value.Check(Result, event))
  const ended = result && shown([result.stopReason, result.error ?? ''].filter(Boolean).join(', '))
  return {
    pod: turn.lastPod,
    words: shown(result?.finalText ?? turn.lastFinalText),
    ...(result?.lastTool === undefined ? {} : { tool: result.lastTool }),
    ...(ended === undefined ? {} : { ended }),
  }
}

/** Masked before it is cut: half of a secret is none that a pattern knows. */
function shown(text: string): string {
  const letters = [...hideSecrets(text).trim()]
  return letters.length > mostLetters ? `${letters.slice(0, mostLetters).join('')}…` : letters.join('')
}
