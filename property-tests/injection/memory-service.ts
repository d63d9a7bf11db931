/** A memory service and its identity provider that write down every request and keep nothing. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

export interface MemoryListener {
  readonly url: string
  /** Path and body of each request that a client sent to the memory. */
  readonly sent: readonly { readonly path: string; readonly body: string }[]
  close(): Promise<void>
}

const noJobs = { done: 0, failed: 0, skipped: 0, purged: 0, errors: [] }

function answerTo(path: string, url: string): object | undefined {
  if (path === '/.well-known/openid-configuration') return { issuer: url, token_endpoint: `${url}/token` }
  if (path === '/token') return { access_token: 'a-token', token_type: 'Bearer', expires_in: 600 }
  if (path === '/ingest-record') return { commit: null, items: [] }
  if (path === '/ingest-jobs') return { items: [] }
  if (path.startsWith('/ingest-jobs/') || path === '/memories:bulk')
    return { id: 'job', status: 'succeeded', total: 0, ...noJobs }
  return path === '/code-graph:bulk' ? {} : undefined
}

export async function listenAsMemory(): Promise<MemoryListener> {
  const sent: { path: string; body: string }[] = []
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const path = new URL(request.url ?? '/', url).pathname
      // The client's secret goes to the provider, and nowhere else.
      if (path !== '/token') sent.push({ path: request.url ?? '/', body })
      const answer = answerTo(path, url)
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer ?? { code: 'not-found' }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    sent,
    close: () => new Promise((resolve) => void (server.closeAllConnections(), server.close(() => resolve()))),
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  return (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8')
}
