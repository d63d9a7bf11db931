import { Problem } from '../../http/problems/problem.ts'
import { EngineError } from '../engine/port.ts'

/** An engine that can't be asked is a system behind this one; what it said stays in the log. */
export async function answering<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    const code = error.reason === 'timeout' ? 'upstream-timeout' : 'upstream-failed'
    throw new Problem(code, 'the retrieval engine does not answer', { cause: error })
  }
}
