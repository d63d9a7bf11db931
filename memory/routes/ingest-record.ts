import { Type } from 'typebox'
import type { HttpApp } from '../../http/app.ts'
import { clampLimit, decodeCursor } from '../../http/problems/list.ts'
import type { MemoryDeps } from '../deps.ts'
import { recordedCommit, recordedFiles } from '../ingest/record.ts'
import { FilePath, RepoName } from '../memories/memory.ts'
import { listQuery, page } from './pages.ts'

const KnownRepo = Type.Intersect([RepoName, Type.String({ minLength: 1 })])

const RecordBody = Type.Object({
  repo: Type.String(),
  commit: Type.Union([Type.String(), Type.Null()], {
    description: 'The commit of the last ingest that succeeded as a whole. Null: none did.',
  }),
  finished_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  items: Type.Array(Type.Object({ file: Type.String(), digest: Type.String() })),
  next_cursor: Type.Optional(Type.String()),
})

/** GET /ingest-record (REPO-INGEST-11 to REPO-INGEST-14). */
export function ingestRecordRoutes(app: HttpApp, { sql }: MemoryDeps): void {
  app.get(
    '/ingest-record',
    {
      schema: {
        tags: ['ingest'],
        summary: 'What the service has of a repository',
        description:
          'Each file whose memories are stored, with the digest that their items came with, ordered by file. A repository that nobody ingested has no files.',
        querystring: Type.Object({ repo: KnownRepo, ...listQuery }),
        response: { 200: RecordBody },
      },
    },
    async (request) => {
      const { repo, limit, cursor } = request.query
      const after = cursor === undefined ? '' : decodeCursor(FilePath, cursor)
      const most = clampLimit(limit)
      const last = await recordedCommit(sql, repo)
      const files = await recordedFiles(sql, repo, { after, limit: most })
      const { items, ...next } = page(files, { limit: most, keyOf: ({ file }) => file, show: (row) => row })
      return {
        repo,
        commit: last?.commit ?? null,
        finished_at: last === undefined ? null : new Date(last.finished_at).toISOString(),
        items: [...items],
        ...next,
      }
    },
  )
}
