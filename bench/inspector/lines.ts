/** So many open pages, as the server sees them: lines of the live feed that read all they are sent. Printed when all are open. */
import { once } from 'node:events'
import { WebSocket } from 'ws'

const { url, count, headers } = JSON.parse(process.argv[2] ?? '{}') as {
  readonly url: string
  readonly count: number
  readonly headers: Readonly<Record<string, string>>
}
const lines = Array.from(
  { length: count },
  () => new WebSocket(`${url.replace('http', 'ws')}/inspector/live`, { headers }),
)
for (const line of lines) line.on('message', () => undefined)
await Promise.all(lines.map((line) => once(line, 'open')))
console.log(JSON.stringify({ open: lines.length }))
