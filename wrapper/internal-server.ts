import { Type } from 'typebox'
import { bearer, unauthenticated, type Authenticate, type Principal } from '../http/auth/authenticate.ts'
import { constantTimeEqual } from '../http/auth/hmac.ts'
import type { Logger } from '../http/operational/logging.ts'
import type { Clock, Ids } from '../http/ports.ts'
import { Problem } from '../http/problems/problem.ts'
import { createServer, type HttpServer } from '../http/server.ts'
import { addUsageFeed, type UsageFeedOptions } from './usage/usage-feed.ts'

/**
 * The loopback side of the wrapper. The pods of one machine and their agents share it, so nothing is answered without a key
 * of this boot, and no file or variable of an agent holds one: the agent's own side is the sockets.
 */
interface InternalServerOptions extends UsageFeedOptions {
  readonly logger: Logger
  readonly clock: Clock
  readonly ids: Ids
  /** In the path that the wrapper's own git children ask. */
  readonly gitKey: string
  /** The bearer of the usage feed, whose path STATUSLINE-6 fixes; the status line reports by the socket. */
  readonly usageKey: string
  /** The answer to git's prompt, or undefined when it is not for the gateway. */
  readonly credential: (prompt: string) => string | undefined
}

const KeyParams = Type.Object({ key: Type.String() })
const Credential = Type.Object({ prompt: Type.String() }, { additionalProperties: false })
const wrapper: Principal = { subject: 'wrapper', issuer: 'wrapper', claims: {} }

export async function createInternalServer(options: InternalServerOptions): Promise<HttpServer> {
  const server = await createServer({
    name: 'wrapper-internal',
    version: '0',
    logger: options.logger,
    clock: options.clock,
    ids: options.ids,
    openapi: { title: 'Wrapper, loopback side', description: 'Usage feed and git credentials of one pod.' },
  })
  addUsageFeed(server, options, bearer(keyVerifier(options.usageKey)))
  addCredential(server, options)
  return server
}

function addCredential({ app }: HttpServer, options: InternalServerOptions): void {
  app.post(
    '/k/:key/internal/credential',
    { config: { auth: keyed(options.gitKey) }, schema: { params: KeyParams, body: Credential } },
    async (request) => {
      const answer = options.credential(request.body.prompt)
      if (answer === undefined) throw new Problem('forbidden', 'the wrapper has no credential for this address')
      return { answer }
    },
  )
}

function keyed(key: string): Authenticate {
  const verify = keyVerifier(key)
  return (request) => verify((request.params as { key?: string }).key ?? '')
}

function keyVerifier(key: string): (given: string) => Promise<Principal> {
  return async (given) => {
    if (!constantTimeEqual(given, key)) throw unauthenticated('the key is not that of this boot', true)
    return wrapper
  }
}
