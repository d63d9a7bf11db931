/** Which calls of tools the wrappers of a Task refused (law B3), as the results in the journals of its turns say. */
import type { RefusedCalls } from '../../machines/turn/schema.ts'
import type { StoryActor } from '../../machines/why/story.ts'
import type { RefusingTurn } from '../../machines/why/why-rows.ts'
import type { Runtime } from '../../runtime/runtime.ts'

/** More turns than a Task has unless it goes astray; of those, the journals of the newest are read. */
const mostTurns = 500
const mostRead = 100

/** Oldest first. What retention took out of a journal is not known any more. */
export async function readRefusedCalls(
  runtime: Pick<Runtime, 'list' | 'history'>,
  task: string,
): Promise<readonly RefusingTurn[]> {
  const views = await runtime.list('turn', { idPrefix: `${task}/`, limit: mostTurns })
  const addresses = views.map(({ address }) => address)
  const turns: Journal[] = []
  for (const address of addresses.toSorted(byOrdinals).slice(-mostRead)) {
    const rows = await runtime.history(address)
    turns.push({ address, rows: rows.filter(({ event }) => event.type === 'turn.result') })
  }
  return refusedCallsIn(turns)
}

type Journal = Pick<StoryActor, 'address' | 'rows'>

/** By the wrapper's id of the turn: one that waited for another's end has that one's result in its journal. */
export function refusedCallsIn(turns: readonly Journal[]): readonly RefusingTurn[] {
  const refusing = new Map<string, RefusingTurn>()
  for (const { address, rows } of turns)
    for (const { event } of rows) {
      const { turnId, refusedCalls } = event as { readonly turnId?: string; readonly refusedCalls?: RefusedCalls }
      if (event.type !== 'turn.result' || turnId === undefined || refusedCalls === undefined) continue
      const [pod, turn] = ordinalsOf(address)
      if (!refusing.has(turnId)) refusing.set(turnId, { pod, turn, calls: refusedCalls })
    }
  return [...refusing.values()]
}

function byOrdinals(one: string, other: string): number {
  const [a, b] = [ordinalsOf(one), ordinalsOf(other)]
  return a[0] - b[0] || a[1] - b[1]
}

/** `turn:<task>/<pod>/<turn>`. */
function ordinalsOf(address: string): readonly [pod: number, turn: number] {
  const [pod = '', turn = ''] = address.split('/').slice(-2)
  return [Number(pod), Number(turn)]
}
