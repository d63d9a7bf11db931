import type { TSchema } from 'typebox'
import type { Authenticate, Principal } from './auth/authenticate.ts'
import type { Upgrades } from './upgrades.ts'

// What the kit adds to fastify's own types.
declare module 'fastify' {
  interface FastifyInstance {
    /** Of the kit: nothing else hears node's `upgrade`. */
    upgrades: Upgrades
  }
  interface FastifyRequest {
    /** Set once the caller is proven. */
    principal?: Principal
    /** The body's bytes as received; only on routes whose config asks for them. */
    rawBody?: Buffer
  }
  interface FastifyContextConfig {
    /** `false`: open to anyone; a function: proven in its own way; absent: as the server says. */
    auth?: false | Authenticate
    /** Keep the bytes of the body beside the parsed one, as a signature over them needs. */
    rawBody?: boolean
    /** The route judges halves of surrogate pairs by itself; elsewhere U+FFFD takes their place in texts. */
    textsAsReceived?: boolean
    /** What the document says of a body that the route reads by itself. */
    documentedBody?: TSchema
    /** Statuses of problems that this route answers beside those of every route (`OpenApiInfo.problems`). */
    problems?: readonly number[]
  }
}
