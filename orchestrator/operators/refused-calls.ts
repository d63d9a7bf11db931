/** Which calls of tools the wrappers of a Task refused (law B3), as the results in the journals of its turns say. */
import type { TurnContext } from '../../machines/turn/context.ts'
import type { RefusedCalls } from '../../machines/turn/schema.ts'
import type { RefusingTurn } from '../../machines/why/why-rows.ts'
import type { ActorView, Runtime } from '../../runtime/runtime.ts'

/** More turns than a Task has unless it goes astray; of those, the journals of the newest are read. */
const mostTurns = 500
const mostRead = 100

/** Oldest first. What retention took out of a journal is not known any more. */
export async function readRefusedCalls(
  runtime: Pick<Runtime, 'list' | 'history'>,
  task: string,
): Promise<readonly RefusingTurn[]> {
  const views = await runtime.list('turn', { idPrefix: `${task}/`, limit: mostTurns })
  const turns = views.toSorted((a, b) => podOf(a) - podOf(b) || ordinalOf(a) - ordinalOf(b))
  const refusing = new Map<string, RefusingTurn>()
  for (const turn of turns.slice(-mostRead))
    for (const [turnId, found] of await refusalsIn(runtime, turn))
      if (!refusing.has(turnId)) refusing.set(turnId, found)
  return [...refusing.values()]
}

type Found = readonly [turnId: string, RefusingTurn]

/** By the wrapper's id of the turn: one that waited for another's end has that one's result in its journal. */
async function refusalsIn(runtime: Pick<Runtime, 'history'>, view: ActorView): Promise<readonly Found[]> {
  const rows = await runtime.history(view.address)
  return rows.flatMap(({ event }) => {
    const { turnId, refusedCalls } = event as { readonly turnId?: string; readonly refusedCalls?: RefusedCalls }
    if (event.type !== 'turn.result' || turnId === undefined || refusedCalls === undefined) return []
    return [[turnId, { pod: podOf(view), turn: ordinalOf(view), calls: refusedCalls }] as const]
  })
}

function podOf({ context }: ActorView): number {
  return (context as unknown as TurnContext).podOrdinal
}

function ordinalOf({ context }: ActorView): number {
  return (context as unknown as TurnContext).ordinal
}
