import type { MachineEvent } from '../../machines/definition.ts'

interface PlainEvent {
  readonly event: MachineEvent
  readonly body: string
}

/** What the journal will say: the step must see exactly that, or replay could differ from it (R11). */
export function plainEvent(given: MachineEvent): PlainEvent | undefined {
  try {
    const body = JSON.stringify(given)
    const event = JSON.parse(body) as MachineEvent
    return typeof event.type === 'string' && Number.isFinite(event.at) ? { event, body } : undefined
  } catch {
    return undefined
  }
}
