/** Pushing a code graph, and asking which files a push would have to bring (CODE-PUSH, docs/contract/knowledge.md). */
import { Counter, Gauge } from 'prom-client'
import { Type } from 'typebox'
import type { HttpApp } from '../../http/app.ts'
import { push } from '../code-graph/push.ts'
import { PushReading } from '../code-graph/read-push.ts'
import { repoQuery, unknownRepo } from '../code-graph/query.ts'
import * as body from '../code-graph/schema.ts'
import type { MemoryDeps } from '../deps.ts'
import { maxBulkBytes } from '../json-stream/read-json-body.ts'
import { streamBodies } from '../json-stream/stream-bodies.ts'

const config = { problems: [404] } as const
const tags = ['code graph']

export function codeGraphPushRoutes(app: HttpApp, deps: MemoryDeps): void {
  countAnswers(deps)
  pushRoute(app, deps)
  missesRoute(app, deps)
}

function countAnswers({ graph, metrics }: MemoryDeps): void {
  const answers = new Gauge({
    name: 'memory_code_graph_answers',
    help: 'Code graph queries since the start, by the store that answered. Postgres answers when Neo4j is behind or unreachable.',
    labelNames: ['store'],
    registers: [],
    collect() {
      for (const [store, count] of Object.entries(graph.served())) this.set({ store }, count)
    },
  })
  metrics.registerMetric(answers)
}

function pushRoute(app: HttpApp, { graph, clock, logAction, metrics }: MemoryDeps): void {
  const pushes = new Counter({
    name: 'memory_code_graph_pushes_total',
    help: 'Pushes of code graphs that the service accepted, by mode. Each part of a staged snapshot counts.',
    labelNames: ['mode'],
    registers: [metrics],
  })
  const elements = new Counter({
    name: 'memory_code_graph_pushed_elements_total',
    help: 'Entities, edges and hyperedges that pushes contained.',
    labelNames: ['kind'],
    registers: [metrics],
  })
  const querystring = Type.Object({
    ...repoQuery,
    strict: Type.Optional(Type.Boolean({ description: 'Refuse edges whose confidence does not fit their tier.' })),
  })
  const schema = {
    querystring,
    response: { 200: body.PushAnswer },
    tags,
    summary: 'Push a code graph',
    description:
      'Mode `snapshot` replaces the graph of the repository in one step. Mode `files` replaces what came from the listed files. Send a snapshot above 32 MiB in parts with one `snapshot_id`, the last part with `final`.',
  }
  const reading = new PushReading(clock)
  app.addHook('onClose', () => reading.close())
  streamBodies(app, (scope) => {
    scope.post(
      '/code-graph::bulk',
      {
        schema,
        config: { documentedBody: body.PushBody, problems: [409] },
        bodyLimit: maxBulkBytes,
      },
      async (request) => {
        const startedAt = clock.now()
        const { repo, strict = false } = request.query
        const { members, counts, offRubric, outcome } = await reading.read(request, { strict }, async (sorted) => ({
          ...sorted,
          outcome: await push({ graph, repo, pushedAt: startedAt }, sorted),
        }))
        const { mode, snapshot_id } = members
        pushes.inc({ mode: snapshot_id === undefined ? mode : 'staged' })
        for (const kind of ['entities', 'edges', 'hyperedges'] as const) elements.inc({ kind }, counts[kind])
        const version = outcome.status === 'pushed' ? outcome.head.version : null
        logAction(request, {
          action: 'code_graph.push',
          resourceId: repo,
          startedAt,
          more: { mode, version, ...counts },
        })
        return {
          repo,
          mode,
          ...counts,
          ...(outcome.status === 'pushed' ? { version: outcome.head.version, commit: outcome.head.commit } : {}),
          ...(outcome.status === 'staged' ? { staged: { snapshot_id, parts: outcome.parts } } : {}),
          ...(offRubric.count === 0 ? {} : { off_rubric: offRubric }),
        }
      },
    )
  })
}

function missesRoute(app: HttpApp, { graph }: MemoryDeps): void {
  const schema = {
    querystring: Type.Object(repoQuery),
    body: body.MissesBody,
    response: { 200: body.MissesAnswer },
    tags,
    summary: 'Which files are not indexed in this version',
  }
  app.post('/code-graph/semantic-misses', { schema, config, bodyLimit: maxBulkBytes }, async (request) => {
    const files = Array.isArray(request.body) ? request.body : request.body.files
    const misses = await graph.misses(request.query.repo, files)
    if (misses === undefined) throw unknownRepo(request.query.repo)
    return { misses }
  })
}
