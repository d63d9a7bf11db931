/** Transcripts of pods: each by its own wrapper, the last one that it hands over, until journals of its age go. */
import type { HttpApp } from '../../http/app.ts'
import { Transcript } from '../../machines/turn/transcript.ts'
import type { MigrationFolder } from '../../runtime/store/migrate.ts'
import type { Queryable } from '../../runtime/store/sql.ts'
import { hideSecrets } from '../../runtime/secrets-in-text.ts'
import { Acknowledged, requirePodSignature, type CallbackDeps } from './inbound.ts'

export const podMigrations: MigrationFolder = { owner: 'pods', folder: new URL('./migrations/', import.meta.url) }

interface StoredTranscript extends Pick<Transcript, 'pod' | 'truncated'> {
  readonly lines: readonly string[]
  /** When it was handed over. */
  readonly at: number
}

interface TranscriptDeps extends Omit<CallbackDeps, 'runtime'> {
  readonly runtime: Pick<CallbackDeps['runtime'], 'read'>
  readonly sql: Queryable
  /** What a pod is given and nobody may read; an empty one is none. */
  readonly secrets: readonly string[]
}

/** Each character may take six bytes on the wire. */
const bodyLimit = 2 * 1024 * 1024

/** POST /internal/transcript: signed as a callback is, so that a pod writes its own and no other (TRANSCRIPT-4). */
export function registerTranscript(app: HttpApp, deps: TranscriptDeps): void {
  const { runtime, clock, secret, sql, secrets } = deps
  app.post(
    '/internal/transcript',
    {
      schema: { body: Transcript, response: { 200: Acknowledged }, summary: 'What the agent of a pod said and did' },
      bodyLimit,
      config: { rawBody: true },
    },
    async (request) => {
      const { task, pod, truncated, lines } = request.body
      requirePodSignature(request, secret, `${task}/${pod}`)
      if ((await runtime.read(`pod:${task}/${pod}`)) === undefined) return { accepted: false }
      // Of all of them at once: some secrets have more lines than one.
      const shown = hideSecrets(lines.join('\n'), secrets).split('\n')
      await storeTranscript(sql, task, { pod, at: clock.now(), truncated, lines: shown })
      return { accepted: true }
    },
  )
}

async function storeTranscript(sql: Queryable, task: string, transcript: StoredTranscript): Promise<void> {
  const { pod, at, truncated, lines } = transcript
  await sql.query(
    `insert into pod_transcript (task, pod, at, truncated, lines) values ($1, $2::int, $3::bigint, $4::boolean, $5)
     on conflict (task, pod) do update set at = excluded.at, truncated = excluded.truncated, lines = excluded.lines`,
    [task, pod, at, truncated, JSON.stringify(lines)],
  )
}

export async function readTranscript(sql: Queryable, task: string, pod: number): Promise<StoredTranscript | undefined> {
  const { rows } = await sql.query<Omit<StoredTranscript, 'lines'> & { readonly lines: string }>(
    'select pod, at, truncated, lines from pod_transcript where task = $1 and pod = $2::int',
    [task, pod],
  )
  const [row] = rows
  if (row === undefined) return undefined
  const lines: readonly string[] = JSON.parse(row.lines)
  return { ...row, lines }
}

/** Newest first. */
export async function transcriptsOf(sql: Queryable, task: string): Promise<readonly number[]> {
  const { rows } = await sql.query<{ pod: number }>(
    'select pod from pod_transcript where task = $1 order by pod desc',
    [task],
  )
  return rows.map(({ pod }) => pod)
}

export async function dropTranscriptsBefore(sql: Queryable, before: number): Promise<void> {
  await sql.query('delete from pod_transcript where at < $1::bigint', [before])
}
