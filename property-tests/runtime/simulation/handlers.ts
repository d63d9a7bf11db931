/** What performs the effects: notes every call where no crash reaches it, and behaves as the effect's own `how` says. */
import type { ActorAddress, JsonObject } from '../../../machines/definition.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { RetryableError, TerminalError } from '../../../runtime/errors.ts'
import type { Delivery, EffectContext, EffectHandler, Runtime } from '../../../runtime/runtime.ts'
import type { Lifeline } from './lifeline.ts'
import type { Evidence } from './evidence.ts'

export interface HandlerOptions {
  readonly line: Lifeline
  readonly clock: Clock
  readonly evidence: Evidence
  readonly runtime: Runtime
}

const slowMs = 2500
const askedWaitMs = 700
const usualMs = 30

export function handlersOf(options: HandlerOptions): Readonly<Record<string, EffectHandler>> {
  const handler =
    (type: string): EffectHandler['perform'] =>
    (params, context) =>
      perform(type, options, params, context)
  return {
    call: { concurrency: 2, maxAttempts: 3, perform: handler('call') },
    callInOrder: { ordered: true, maxAttempts: 3, perform: handler('callInOrder') },
    fileNote: { onTerminal: 'dead-letter', maxAttempts: 3, perform: handler('fileNote') },
    merge: { perform: handler('merge') },
  }
}

async function perform(
  type: string,
  options: HandlerOptions,
  params: JsonObject,
  context: EffectContext,
): Promise<readonly Delivery[]> {
  const { line, evidence } = options
  if (line.passes(`${type}: asked and not begun`)) return never()
  const call = evidence.asked({ type, key: context.key, params, attempt: context.attempt, by: line.name })
  const how = String(params['how'])
  await wait(line, how === 'slow' ? slowMs : line.world.latency.fraction() * usualMs)
  if (how === 'hangs') await withdrawal(context.signal)
  context.assertHeld()
  evidence.ended(call)
  if (line.passes(`${type}: done and not settled`)) return never()
  failAs(how, evidence.callsOf(context.key))
  return resultsOf(how, options, context)
}

function never(): Promise<never> {
  return new Promise(() => undefined)
}

function wait(line: Lifeline, delayMs: number): Promise<void> {
  return new Promise((resolve) => line.world.after(delayMs, () => line.hear(resolve)))
}

function withdrawal(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => reject(signal.reason as Error)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}

/** By the calls that were ever begun under the key, as an outside system would count. */
function failAs(how: string, calls: number): void {
  if (how === 'refuses') throw new TerminalError('refused')
  if (how === 'always fails') throw new Error('it fails')
  if ((how === 'fails once' && calls < 2) || (how === 'fails twice' && calls < 3)) throw new RetryableError('not yet')
  if (how === 'asks to wait' && calls < 2) throw new RetryableError('wait', { retryAfterMs: askedWaitMs })
}

function resultsOf(
  how: string,
  { clock, runtime }: HandlerOptions,
  { key, actor }: EffectContext,
): readonly Delivery[] {
  const event = { type: 'call.done', at: clock.now(), note: how === 'brings poison' ? 'unholdable' : key }
  if (how === 'misaddresses') return [{ to: 'nowhere' as ActorAddress, key: `${key}/done`, event }]
  const done: Delivery = { to: actor, key: `${key}/done`, event }
  // The outside says it by a callback too, sooner or later than the handler's own answer.
  if (how === 'answers twice') void runtime.deliver(done).catch(() => undefined)
  return how === 'answers twice' ? [done, done] : [done]
}
