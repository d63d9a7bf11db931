/** POST by `fetch`, or by a unix socket, which `fetch` knows nothing of. */
import { request } from 'node:http'
import { Readable } from 'node:stream'

export interface Posted {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

export function post(socket: string | undefined, url: string, { headers, body, signal }: Posted): Promise<Response> {
  if (socket === undefined) return fetch(url, { method: 'POST', headers, body, signal })
  return new Promise((resolve, reject) => {
    request(url, { socketPath: socket, method: 'POST', headers, signal }, (message) => {
      const status = message.statusCode ?? 500
      const pairs = Object.entries(message.headers).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value] as [string, string]] : [],
      )
      resolve(new Response(Readable.toWeb(message) as ReadableStream, { status, headers: pairs }))
    })
      .on('error', reject)
      .end(body)
  })
}
