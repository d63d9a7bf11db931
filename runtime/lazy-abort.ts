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

type Lazy<Facts> = Omit<Facts, 'signal'> & { readonly signal: AbortSignal }

/** What a handler is given: its signal is made at the first look. */
export function withSignal<Facts extends { readonly signal: LazyAbort }>(facts: Facts): Lazy<Facts> {
  const { signal: abort, ...rest } = facts
  return {
    ...rest,
    get signal() {
      return abort.signal
    },
  }
}
