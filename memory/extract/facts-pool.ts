/** Parses in worker threads. A source on which a parser hangs or falls over costs its own facts, and that thread. */
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../runtime/clock.ts'
import type { FileFacts } from './facts.ts'

export interface FactsQuestion {
  readonly language: string
  readonly source: string
}

export interface FactsAnswer {
  readonly facts?: FileFacts
}

/** A mebibyte of source takes a second; what takes this long takes for ever. */
const longestMs = 30_000

export interface FactsPool {
  /** Undefined: the parser gave up. */
  facts(question: FactsQuestion): Promise<FileFacts | undefined>
  close(): Promise<void>
}

interface Thread {
  readonly worker: Worker
  ended: boolean
}

export interface FactsPoolParts {
  readonly programDir: string
  readonly clock: Clock
}

export function factsPool({ programDir, clock }: FactsPoolParts, size: number, longest = longestMs): FactsPool {
  const idle: Thread[] = []
  const all = new Set<Thread>()
  const waiting: ((thread: Thread) => void)[] = []

  function start(): Thread {
    const worker = new Worker(new URL('./facts-worker.ts', import.meta.url), { workerData: { programDir } })
    const thread: Thread = { worker, ended: false }
    worker.on('error', () => end(thread))
    worker.unref()
    all.add(thread)
    return thread
  }

  function end(thread: Thread): void {
    thread.ended = true
    all.delete(thread)
  }

  async function take(): Promise<Thread> {
    const free = idle.pop()
    if (free !== undefined) return free
    return all.size < size ? start() : new Promise((resolve) => waiting.push(resolve))
  }

  function giveBack(thread: Thread): void {
    const next = waiting.shift()
    if (next !== undefined) next(thread.ended ? start() : thread)
    else if (!thread.ended) idle.push(thread)
  }

  return {
    facts: async (question) => {
      const thread = await take()
      const answer = await ask(thread.worker, question, clock, longest)
      if (answer === undefined) {
        end(thread)
        await thread.worker.terminate()
      }
      giveBack(thread)
      return answer?.facts
    },
    close: async () => {
      await Promise.all([...all].map(({ worker }) => worker.terminate()))
    },
  }
}

function ask(worker: Worker, question: FactsQuestion, clock: Clock, longest: number): Promise<FactsAnswer | undefined> {
  return new Promise((resolve) => {
    const settle = (answer?: FactsAnswer): void => {
      timer.cancel()
      worker.off('message', settle)
      worker.off('error', fail)
      worker.off('exit', fail)
      resolve(answer)
    }
    const fail = (): void => settle()
    const timer = clock.setTimer(longest, fail)
    worker.on('message', settle)
    worker.on('error', fail)
    worker.on('exit', fail)
    worker.postMessage(question)
  })
}
