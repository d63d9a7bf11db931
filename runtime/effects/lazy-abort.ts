import { EffectNotHeldError } from '../errors.ts'
import type { EffectContext } from '../runtime.ts'

/** An abort signal that is made when somebody asks for it: most handlers never do, and one for each effect is not free. */
export class LazyAbort {
  #controller: AbortController | undefined
  #reason: unknown

  get isAborted(): boolean {
    return this.#reason !== undefined
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.isAborted) this.#controller.abort(this.#reason)
    return this.#controller.signal
  }

  abort(reason: Error): void {
    this.#reason ??= reason
    this.#controller?.abort(this.#reason)
  }
}

/** What a handler is given: its signal is made at the first look. */
export class EffectCall implements EffectContext {
  readonly key: EffectContext['key']
  readonly actor: EffectContext['actor']
  readonly attempt: number
  readonly at: number
  readonly #abort: LazyAbort
  readonly #isHeld: () => boolean

  constructor(
    { key, actor, attempt, at }: Omit<EffectContext, 'signal' | 'assertHeld'>,
    abort: LazyAbort,
    isHeld: () => boolean,
  ) {
    this.key = key
    this.actor = actor
    this.attempt = attempt
    this.at = at
    this.#abort = abort
    this.#isHeld = isHeld
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  assertHeld(): void {
    if (!this.#isHeld()) throw new EffectNotHeldError(this.key)
  }
}
