/** The feed over WebSocket at /inspector/live. Pages send nothing on it (INSPECTOR-RULE-1). */
import type { IncomingMessage } from 'node:http'
import { WebSocketServer, type WebSocket } from 'ws'
import type { HttpApp } from '../../http/app.ts'
import type { Principal } from '../../http/auth/authenticate.ts'
import { authenticateSocket, sessionOf } from './access/access.ts'
import type { InspectorDeps } from './deps.ts'
import type { Feed } from './feed.ts'
import type { HelloMessage } from './messages.ts'

/** Proxies cut lines that are silent for a minute. */
const HEARTBEAT_MS = 25_000
/** A page that does not read is cut off; it resumes where it was. */
const mostBuffered = 1024 * 1024
const tryAgainLater = 1013
const goingAway = 1001
const policyViolation = 1008

export function serveLive(app: HttpApp, deps: InspectorDeps, feed: Feed): void {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024, perMessageDeflate: false })
  app.upgrades.accept('/inspector/live', async (request, socket, head) => {
    const principal = await authenticateSocket(request, deps)
    sockets.handleUpgrade(request, socket, head, (line) => serve({ line, request, principal, feed }, deps))
  })
  app.addHook('preClose', async () => {
    feed.close()
    for (const line of sockets.clients) line.close(goingAway, 'stopping')
    sockets.close()
  })
}

interface Listening {
  readonly line: WebSocket
  readonly request: IncomingMessage
  readonly principal: Principal
  readonly feed: Feed
}

function serve({ line, request, principal, feed }: Listening, deps: InspectorDeps): void {
  const { clock } = deps
  const send = (bundle: Buffer): void => {
    if (line.bufferedAmount > mostBuffered) line.close(tryAgainLater, 'too slow')
    else line.send(bundle, { binary: false })
  }
  const sendMessage = (message: object): void => send(Buffer.from(JSON.stringify(message)))
  const after = new URLSearchParams(request.url?.split('?', 2)[1]).get('after') ?? undefined
  const { missed, messages } = feed.since(after)
  const hello: HelloMessage = { feed: feed.id, missed, now: clock.now() }
  sendMessage(hello)
  const leave = feed.listen(send, messages)
  let isAnswering = true
  let beat = clock.setTimer(HEARTBEAT_MS, ping)
  line.on('pong', () => (isAnswering = true))
  line.on('error', () => line.terminate())
  line.on('close', () => {
    leave()
    beat.cancel()
  })

  function ping(): void {
    if (!isAnswering) return line.terminate()
    if (isOver({ request, principal }, deps)) return line.close(policyViolation, 'the session is over')
    isAnswering = false
    line.ping()
    // A page can't see pings; by this it knows that the line lives.
    sendMessage({ now: clock.now() })
    beat = clock.setTimer(HEARTBEAT_MS, ping)
  }
}

/** Sessions are judged as for any request: what is shown may be of another time than today. */
function isOver({ request, principal }: Pick<Listening, 'request' | 'principal'>, deps: InspectorDeps): boolean {
  const { headers } = request
  return headers.authorization === undefined
    ? sessionOf(headers, deps) === undefined
    : Number(principal.claims['exp']) * 1000 <= deps.clock.now()
}
