/** What the agent of a parked Task did last, for people: its words, its last call of a tool, and how the turn ended. */
import type { ActorAddress } from '../machines/definition.ts'
import type { TaskContext } from '../machines/task/context.ts'
import type { TurnEvent } from '../machines/turn/events.ts'
import type { LastTurn } from '../machines/why/why.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { hideSecrets } from '../runtime/secrets-in-text.ts'

/** Letters of what an agent said, and of an error. */
const mostLetters = 500

type Result = Extract<TurnEvent, { readonly type: 'turn.result' }>

/** Undefined: it is not parked, or no turn of it ended. The tool and the end are those of its journal, while that is kept. */
export async function readLastTurn(
  runtime: Pick<Runtime, 'history'>,
  { id, stage, turn }: Pick<TaskContext, 'id' | 'stage' | 'turn'>,
): Promise<LastTurn | undefined> {
  if (stage.class !== 'parked' || turn.count === 0 || turn.last === null) return undefined
  const address: ActorAddress = `turn:${id}/${turn.lastPod}/${turn.last}`
  const rows = await runtime.history(address)
  const result = rows
    .map(({ event }) => event as unknown as TurnEvent)
    .findLast((one): one is Result => one.type === 'turn.result')
  const words = shown(result?.finalText ?? turn.lastFinalText)
  const ended = result && shown([result.stopReason, result.error ?? ''].filter(Boolean).join(', '))
  return {
    pod: turn.lastPod,
    words,
    ...(result?.lastTool === undefined ? {} : { tool: result.lastTool }),
    ...(ended === undefined ? {} : { ended }),
  }
}

/** Masked before it is cut: half of a secret is none that a pattern knows. */
function shown(text: string): string {
  const letters = [...hideSecrets(text).trim()]
  return letters.length > mostLetters ? `${letters.slice(0, mostLetters).join('')}…` : letters.join('')
}
