import { messageOf } from '../../runtime/errors.ts'
import type { EngineMemory, RetrievalEngine, UpsertOutcome } from '../engine/port.ts'
import type { MemoryRow } from '../memories/memory.ts'

/**
 * Gives memories to the engine, together as long as that goes well: one that makes the call fail must not keep those
 * beside it out, so each is then given by itself. What an engine throws says nothing of a memory; it may come again.
 */
export async function upsertApart(
  engine: Pick<RetrievalEngine, 'upsert'>,
  rows: readonly MemoryRow[],
  signal?: AbortSignal,
): Promise<readonly UpsertOutcome[]> {
  const memories = rows.map(({ id, content, metadata, repo, file }) => ({ id, content, metadata, repo, file }))
  try {
    return await untilAborted(engine.upsert(memories, signal), signal)
  } catch (error) {
    if (memories.length < 2 || signal?.aborted) return memories.map((memory) => refused(memory, error))
  }
  const outcomes: UpsertOutcome[] = []
  for (const memory of memories) outcomes.push(await upsertOne(engine, memory, signal))
  return outcomes
}

async function upsertOne(
  engine: Pick<RetrievalEngine, 'upsert'>,
  memory: EngineMemory,
  signal?: AbortSignal,
): Promise<UpsertOutcome> {
  try {
    signal?.throwIfAborted()
    const [outcome] = await untilAborted(engine.upsert([memory], signal), signal)
    return outcome ?? refused(memory, new Error('the engine did not answer'))
  } catch (error) {
    return refused(memory, error)
  }
}

function refused({ id }: EngineMemory, error: unknown): UpsertOutcome {
  return { id, status: 'failed', message: messageOf(error), retryable: true }
}

/** An engine that does not look at its signal may not hold up who gave it. */
export function untilAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
