import { sleep, type Clock } from '../../runtime/clock.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { jobAddress, type JobBody } from './job-view.ts'
import { findJobRow } from './jobs.ts'
import { viewOfRow } from './views.ts'

export interface ProgressDeps {
  readonly sql: Sql
  readonly runtime: Pick<Runtime, 'read' | 'subscribe'>
  readonly clock: Clock
}

const atMostEveryMs = 250
/** A job may run in another process: then no step of it is heard here. It keeps proxies from cutting the line, too. */
const lookEveryMs = 5000

/** Server-sent events of a job: `progress` when it changed, `end` once it ended. */
export async function* progressOf(deps: ProgressDeps, id: string, closing: AbortSignal): AsyncGenerator<string> {
  const { clock, runtime } = deps
  let news = Promise.withResolvers<void>()
  const leave = runtime.subscribe(({ address }) => {
    if (address === jobAddress(id)) news.resolve()
  })
  const wake = (): void => news.resolve()
  closing.addEventListener('abort', wake)
  try {
    let sent = ''
    for (;;) {
      news = Promise.withResolvers<void>()
      const view = await viewNow(deps, id)
      if (view === undefined || closing.aborted) return
      const text = JSON.stringify(view)
      const hasEnded = view.status === 'succeeded' || view.status === 'failed'
      if (hasEnded) return void (yield `event: end\ndata: ${text}\n\n`)
      yield text === sent ? ': still there\n\n' : `event: progress\ndata: ${text}\n\n`
      sent = text
      await sleep(clock, atMostEveryMs, closing)
      await Promise.race([news.promise, sleep(clock, lookEveryMs, closing)])
    }
  } finally {
    leave()
    closing.removeEventListener('abort', wake)
  }
}

async function viewNow(deps: ProgressDeps, id: string): Promise<JobBody | undefined> {
  const row = await findJobRow(deps.sql, id)
  return row && viewOfRow(deps, row)
}
