import { Type } from 'typebox'
import type { Registry } from 'prom-client'
import { renderDocs, type OpenApiDocument } from './docs-page.ts'
import { Problem } from '../problems/problem.ts'
import { checkReadiness, type Readiness } from './readiness.ts'
import type { HttpApp } from '../app.ts'
import type { Clock } from '../ports.ts'

interface OperationalOptions {
  readonly name: string
  readonly version: string
  readonly clock: Clock
  readonly registry: Registry
  readonly readiness: () => Promise<Readiness>
  /** Whether `/openapi.json` and `/docs` ask for what the other routes ask for. */
  readonly documentsNeedAuth: boolean
}

/** What every server has: /healthz, /readyz and /metrics for probes (never authenticated), /openapi.json and /docs. */
export function addOperationalRoutes(app: HttpApp, options: OperationalOptions): void {
  const open = { config: { auth: false } } as const
  const documents = options.documentsNeedAuth ? {} : open
  const tags = ['operational']
  const Ready = Type.Object({
    status: Type.Literal('ready'),
    degraded: Type.Optional(Type.Array(Type.String(), { description: 'What an operator should check.' })),
  })
  const Alive = Type.Object({ status: Type.Literal('ok'), name: Type.String(), version: Type.String() })

  app.get(
    '/healthz',
    { ...open, schema: { tags, summary: 'Is the process alive', response: { 200: Alive } } },
    async () => ({
      status: 'ok' as const,
      name: options.name,
      version: options.version,
    }),
  )
  const readyz = {
    config: { auth: false, problems: [503] },
    schema: { tags, summary: 'Is the server ready', response: { 200: Ready } },
  } as const
  app.get('/readyz', readyz, async () => {
    const { ready, reasons, degraded = [] } = await checkReadiness(options.clock, options.readiness)
    if (!ready)
      throw new Problem('not-ready', reasons.join('; '), { members: { reasons }, headers: { 'retry-after': '1' } })
    return { status: 'ready' as const, ...(degraded.length > 0 ? { degraded: [...degraded] } : {}) }
  })
  app.get('/metrics', { ...open, schema: { tags, summary: 'Prometheus metrics' } }, async (_request, reply) => {
    void reply.type(options.registry.contentType)
    return options.registry.metrics()
  })
  app.get('/openapi.json', { ...documents, schema: { tags, summary: 'This document' } }, async () => app.swagger())
  app.get(
    '/docs',
    { ...documents, schema: { tags, summary: 'This document as a web page' } },
    async (_request, reply) => {
      void reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      return renderDocs(app.swagger() as unknown as OpenApiDocument)
    },
  )
}
