import type { MachineEvent } from '../../machines/definition.ts'
import type { TurnResult } from '../../machines/turn/schema.ts'

/** The wrapper's record of an ended turn as the turn actor's event. */
export function turnResult(turn: TurnResult, at: number): MachineEvent {
  const resetsAt = turn.error?.resetsAt
  return {
    type: 'turn.result',
    at,
    turnId: turn.turnId,
    state: turn.state === 'completed' ? 'completed' : 'failed',
    stopReason: turn.stopReason ?? 'end_turn',
    finalText: turn.finalText ?? '',
    usage: turn.usage ?? {},
    pushed: turn.pushed ?? [],
    failed: turn.failed ?? [],
    ...(turn.refusedCalls === undefined ? {} : { refusedCalls: turn.refusedCalls }),
    ...(turn.lastTool === undefined ? {} : { lastTool: turn.lastTool }),
    ...(turn.error === undefined ? {} : { error: `${turn.error.code}: ${turn.error.message}` }),
    ...(resetsAt === undefined ? {} : { resetsAt: Date.parse(resetsAt) }),
  }
}
