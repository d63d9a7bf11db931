/** The three effects that the runtime performs itself, inside the commit: `deliver`, `answer` and `withdrawEffects`. */
import type { ActorAddress, JsonObject, MachineEvent } from '../../machines/definition.ts'
import { parseAddress } from '../address.ts'
import type { Answer, Effect } from '../runtime.ts'

const ownTypes: ReadonlySet<string> = new Set(['deliver', 'answer', 'withdrawEffects'])

export function isOwnEffect(effect: Effect): boolean {
  return ownTypes.has(effect.type)
}

interface ChildEvent {
  readonly to: ActorAddress
  readonly event: MachineEvent
}

/** `deliver {to, event}`: the event takes its cause's time unless it has one. Undefined when the params are not that. */
export function childOf(effect: Effect, causeAt: number): ChildEvent | undefined {
  const { to, event } = effect.params
  if (typeof to !== 'string' || !parseAddress(to) || !isEvent(event)) return undefined
  return { to: to as ActorAddress, event: { at: causeAt, ...event } }
}

function isEvent(value: unknown): value is JsonObject & { readonly type: string } {
  return typeof value === 'object' && value !== null && typeof (value as JsonObject)['type'] === 'string'
}

/** `answer {status, body}`. Of several the last counts: an entry action knows more than the transition before it. */
export function answerOf(effects: readonly Effect[]): Answer | undefined {
  const params = effects.findLast((effect) => effect.type === 'answer')?.params
  if (!params) return undefined
  const { status, body, ...rest } = params
  const isBody = typeof body === 'object' && body !== null && !Array.isArray(body)
  return { status: typeof status === 'number' ? status : 200, body: isBody ? (body as JsonObject) : rest }
}

/** `withdrawEffects {types}`. */
export function withdrawnTypes(effect: Effect): readonly string[] {
  const types = effect.type === 'withdrawEffects' ? effect.params['types'] : undefined
  return Array.isArray(types) ? types.filter((type) => typeof type === 'string') : []
}
