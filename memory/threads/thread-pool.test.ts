import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import { ThreadError } from './asked-thread.ts'
import { onceAgain, ThreadPool } from './thread-pool.ts'

/** Answers each word with it; `die` ends it. */
const echo = `const { parentPort } = require('node:worker_threads')
parentPort.on('message', (word) => word === 'die' ? process.exit(3) : parentPort.postMessage(word))`

interface Pool {
  readonly pool: ThreadPool<string, string>
  readonly clock: ReturnType<typeof simulatedClock>
  readonly started: Worker[]
}

function aPool(most = 2): Pool {
  const [clock, started] = [simulatedClock(0), [] as Worker[]]
  const start = (): Worker => {
    started.push(new Worker(echo, { eval: true }))
    return started.at(-1)!
  }
  return { clock, started, pool: new ThreadPool({ start, purpose: 'a test', most, idle: { clock, ms: 1_000 } }) }
}

describe('a pool of threads', () => {
  test('uses a thread again that has nothing to do, and ends it when nothing came for a while', async () => {
    const { pool, clock, started } = aPool()
    expect(await pool.run((thread) => thread.ask('one'))).toBe('one')
    clock.advance(999)
    expect(await pool.run((thread) => thread.ask('two'))).toBe('two')
    expect(started).toHaveLength(1)
    const ended = once(started[0]!, 'exit')
    clock.advance(1_000)
    await ended
    expect(clock.waiting()).toBe(0)
    expect(await pool.run((thread) => thread.ask('three'))).toBe('three')
    expect(started).toHaveLength(2)
    await pool.close()
  })

  test('has no more threads than its bound; who comes later waits', async () => {
    const { pool, started } = aPool(2)
    const words = Array.from({ length: 9 }, (_, at) => `word ${at}`)
    expect(await Promise.all(words.map((word) => pool.run((thread) => thread.ask(word))))).toEqual(words)
    expect(started).toHaveLength(2)
    await pool.close()
  })

  test('gives nobody a thread that died, neither at work nor while it waited', async () => {
    const { pool, started } = aPool(1)
    await expect(pool.run((thread) => thread.ask('die'))).rejects.toBeInstanceOf(ThreadError)
    expect(await pool.run((thread) => thread.ask('one'))).toBe('one')
    await started[1]!.terminate()
    expect(await pool.run((thread) => thread.ask('two'))).toBe('two')
    expect(started).toHaveLength(3)
    await pool.close()
  })

  test('ends what runs when it closes, and begins no more', async () => {
    const { pool, started } = aPool(1)
    const running = pool.run(() => pool.close())
    await running
    await expect(pool.run((thread) => thread.ask('one'))).rejects.toThrow('closed')
    expect(started.map(({ threadId }) => threadId)).toEqual([-1])
  })

  test('does work again whose thread died, once, and repeats no other fault', async () => {
    const { pool } = aPool(1)
    const times = { dying: 0, refusing: 0 }
    const dying = onceAgain(() => pool.run((thread) => thread.ask((times.dying += 1) === 1 ? 'die' : 'alive')))
    expect(await dying).toBe('alive')
    const alwaysDying = onceAgain(() => pool.run((thread) => thread.ask('die')))
    await expect(alwaysDying).rejects.toBeInstanceOf(ThreadError)
    const refused = onceAgain(async () => {
      times.refusing += 1
      throw new Error('no')
    })
    await expect(refused).rejects.toThrow('no')
    expect(times).toEqual({ dying: 2, refusing: 1 })
    await pool.close()
  })
})
