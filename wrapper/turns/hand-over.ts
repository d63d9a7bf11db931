/** At its stop the wrapper hands the transcript of its agent over: afterwards nobody can read it any more (TRANSCRIPT-3). */
import type { Logger } from '../../http/operational/logging.ts'
import type { Transcript } from '../../machines/turn/transcript.ts'
import { sleep } from '../clock.ts'
import { postSigned, type Posting } from './callback.ts'
import { openOwnTranscript } from './own-transcript.ts'
import { transcriptLines } from './transcript-lines.ts'

interface HandOver extends Posting, Pick<Transcript, 'task' | 'pod'> {
  readonly logger: Logger
  /** As the CLI named it in its newest hook; empty: it ran no turn. */
  readonly path: string
  readonly home: string
  /** Where turns are told of; empty: nowhere. */
  readonly callbackUrl: string
  readonly secrets: readonly string[]
}

/** A stop waits for it no longer, whoever does not answer. */
const limitMs = 5_000
const pauseMs = 500
/** Of a long one the newest: more than all that is handed over comes from. */
const mostRead = 8 * 1024 * 1024

export async function handOverTranscript(given: HandOver): Promise<void> {
  const { path, home, callbackUrl, secrets, clock, logger, task, pod } = given
  if (path === '' || callbackUrl === '') return
  const deadline = clock.now() + limitMs
  try {
    const { text, isWhole } = await readOwn(path, home)
    const { lines, truncated } = transcriptLines(text, secrets)
    const body: Transcript = { task, pod, truncated: truncated || !isWhole, lines: [...lines] }
    const failure = await postUntil(deadline, given, JSON.stringify(body))
    if (failure !== undefined) logger.warn({ failure }, 'the orchestrator did not take the transcript')
  } catch (error) {
    logger.warn({ err: error }, 'the wrapper cannot hand the transcript over')
  }
}

/** What refuses it once refuses it again; who does not answer may be back. */
async function postUntil(deadline: number, given: HandOver, body: string): Promise<string | undefined> {
  const { clock, callbackUrl, task, pod } = given
  const url = new URL('transcript', callbackUrl).href
  const headers = { 'x-request-id': `transcript-${task.replaceAll('/', '-')}-${pod}` }
  for (;;) {
    const failure = await postSigned(given, { url, body, headers, limitMs: deadline - clock.now() })
    if (failure === undefined || failure.startsWith('status 4') || clock.now() + pauseMs >= deadline) return failure
    await sleep(clock, pauseMs)
  }
}

async function readOwn(path: string, home: string): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const file = await openOwnTranscript(path, home)
  try {
    const { size } = await file.stat()
    const from = Math.max(0, size - mostRead)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from)
    const text = buffer.toString('utf8', 0, bytesRead)
    return { text: from === 0 ? text : text.slice(text.indexOf('\n') + 1), isWhole: from === 0 }
  } finally {
    await file.close()
  }
}
