import type { Worker } from 'node:worker_threads'
import type { Clock, Timer } from '../../runtime/clock.ts'
import { Slots } from '../slots.ts'
import { AskedThread, ThreadError } from './asked-thread.ts'

interface ThreadPoolOptions {
  readonly start: () => Worker
  /** What the threads are for, in the text of an error. */
  readonly purpose: string
  /** Threads at once; who comes later waits. */
  readonly most: number
  /** How long a thread waits for more work. Absent: it ends with its work. */
  readonly idle?: { readonly clock: Clock; readonly ms: number }
}

/** Threads that begin with the work and end without it: at rest there is none. */
export class ThreadPool<Question, Answer> {
  readonly #options: ThreadPoolOptions
  readonly #slots: Slots
  readonly #threads = new Set<AskedThread<Question, Answer>>()
  readonly #idle = new Map<AskedThread<Question, Answer>, Timer>()
  #isClosed = false

  constructor(options: ThreadPoolOptions) {
    this.#options = options
    this.#slots = new Slots(options.most)
  }

  /** `use` has a thread to itself. Rejects with `ThreadError` where that dies. */
  run<T>(use: (thread: AskedThread<Question, Answer>) => Promise<T>): Promise<T> {
    return this.#slots.run(async () => {
      if (this.#isClosed) throw new Error(`the threads of ${this.#options.purpose} are closed`)
      const thread = this.#take()
      try {
        return await use(thread)
      } finally {
        this.#giveBack(thread)
      }
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#idle.values()) timer.cancel()
    await Promise.all([...this.#threads].map((thread) => thread.end()))
  }

  #take(): AskedThread<Question, Answer> {
    for (const [thread, timer] of this.#idle) {
      timer.cancel()
      this.#idle.delete(thread)
      if (!thread.hasEnded) return thread
      this.#threads.delete(thread)
    }
    const thread = new AskedThread<Question, Answer>(this.#options.start(), this.#options.purpose)
    this.#threads.add(thread)
    return thread
  }

  #giveBack(thread: AskedThread<Question, Answer>): void {
    const { idle } = this.#options
    if (idle === undefined || thread.hasEnded || this.#isClosed) return this.#end(thread)
    const timer = idle.clock.setTimer(idle.ms, () => this.#end(thread))
    this.#idle.set(thread, timer)
  }

  #end(thread: AskedThread<Question, Answer>): void {
    this.#idle.delete(thread)
    this.#threads.delete(thread)
    void thread.end()
  }
}

/** A thread may die of what is not its work's fault; work that two die of is an error. */
export async function onceAgain<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof ThreadError) return run()
    throw error
  }
}
