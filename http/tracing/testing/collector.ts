/** A collector of spans on a loopback port. Test code only. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
  readonly status: { readonly code?: number }
  /** `service.name` of who sent it. */
  readonly service: string
}

export interface Collector {
  readonly endpoint: string
  spans(): readonly CollectedSpan[]
  /** All that was sent, as it came. */
  text(): string
  close(): Promise<void>
}

interface ResourceSpans {
  readonly resource: { readonly attributes: CollectedSpan['attributes'] }
  readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[]
}

export async function startCollector(): Promise<Collector> {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      if (request.url === '/v1/traces') bodies.push(body)
      response.setHeader('content-type', 'application/json').end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () =>
      bodies.flatMap((body) => (JSON.parse(body) as { resourceSpans: ResourceSpans[] }).resourceSpans.flatMap(spansOf)),
    text: () => bodies.join('\n'),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function spansOf({ resource, scopeSpans }: ResourceSpans): readonly CollectedSpan[] {
  const name = resource.attributes.find(({ key }) => key === 'service.name')?.value['stringValue']
  return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service: String(name) })))
}
