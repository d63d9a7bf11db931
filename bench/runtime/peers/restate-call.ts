import { Agent, request } from 'node:http'

const mostSockets = 1024

/** Calls of the server's ingress over connections that stay open. */
export function restateCaller(ingress: string): {
  readonly call: (path: string, body: unknown) => Promise<void>
  readonly close: () => void
} {
  const agent = new Agent({ keepAlive: true, maxSockets: mostSockets })
  const { hostname, port } = new URL(ingress)
  return {
    call: (path, body) =>
      new Promise((resolve, reject) => {
        const text = JSON.stringify(body)
        const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
        const sent = request({ hostname, port, path, method: 'POST', agent, headers }, (response) => {
          let answer = ''
          response.on('data', (chunk) => (answer += String(chunk)))
          response.on('end', () =>
            response.statusCode === 200 ? resolve() : reject(new Error(`${path}: ${response.statusCode} ${answer}`)),
          )
        })
        sent.on('error', reject)
        sent.end(text)
      }),
    close: () => agent.destroy(),
  }
}
