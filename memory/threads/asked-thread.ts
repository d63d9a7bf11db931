import type { Worker } from 'node:worker_threads'

/** A thread that ended before it had answered: what it was to do may be tried again. */
export class ThreadError extends Error {
  override readonly name = 'ThreadError'
}

/** A thread that answers one question at a time. It keeps no process alive. */
export class AskedThread<Question, Answer> {
  readonly #worker: Worker
  #answer = Promise.withResolvers<Answer>()
  #fault: Error | undefined

  /** `purpose` is what the thread is for, in the text of an error. */
  constructor(worker: Worker, purpose: string) {
    this.#worker = worker
    worker.unref()
    worker.on('message', (answer: Answer) => this.#answer.resolve(answer))
    worker.on('error', (cause) => this.#fail(new ThreadError(`the thread of ${purpose} failed`, { cause })))
    worker.on('exit', () => this.#fail(new ThreadError(`the thread of ${purpose} ended without an answer`)))
  }

  get hasEnded(): boolean {
    return this.#fault !== undefined
  }

  #fail(fault: Error): void {
    this.#fault ??= fault
    // Nobody may be waiting just then; who asks next is refused.
    this.#answer.promise.catch(() => undefined)
    this.#answer.reject(this.#fault)
  }

  ask(question: Question): Promise<Answer> {
    if (this.#fault === undefined) this.#answer = Promise.withResolvers()
    this.post(question)
    return this.#answer.promise
  }

  /** Hands on what has no answer. */
  post(question: Question): void {
    if (this.#fault !== undefined) throw this.#fault
    this.#worker.postMessage(question)
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }
}
