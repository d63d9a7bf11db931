import { mkdirSync } from 'node:fs'
import { Type } from 'typebox'
import { bearer } from '../http/auth/authenticate.ts'
import { oidcVerifier } from '../http/auth/oidc.ts'
import { createServer } from '../http/server.ts'
import { contractVersion } from '../machines/turn/contract-version.ts'
import { Session } from '../machines/turn/schema.ts'
import { writeEndpoint } from './boot/endpoint.ts'
import type { OtherVersion } from './boot/other-version.ts'
import { isoTime } from './clock.ts'
import type { WrapperInput } from './wrapper-input.ts'

type Input = Pick<WrapperInput, 'version' | 'logger' | 'clock' | 'ids' | 'fetch' | 'stopSignal'>

/**
 * Starts no agent, no tools and no clone, and serves its session until it is stopped (WRAPPER-BOOT-19). The orchestrator
 * reads the version there and fails the Task; a wrapper that ended would look like a lost pod, which gets a successor.
 */
export async function serveOtherVersion(input: Input, other: OtherVersion): Promise<number> {
  const { logger, clock, ids, fetch, version, stopSignal } = input
  const startedAt = isoTime(clock.now())
  const stopped = Promise.withResolvers<void>()
  const server = await createServer({
    name: 'wrapper',
    version,
    logger,
    clock,
    ids,
    authenticate: bearer(oidcVerifier({ issuer: other.issuer, audience: other.audience, clock, fetch })),
    openapi: {
      title: 'Statewright agent wrapper',
      description: 'The orchestrator has another contract version, so this wrapper serves its session and no turns.',
    },
  })
  server.app.get('/v1/session', { schema: { response: { 200: Session } } }, async () => sessionOf(startedAt))
  server.app.delete('/v1/session', { schema: { response: { 202: Type.Object({}) } } }, async (_request, reply) => {
    stopped.resolve()
    return reply.code(202).send({})
  })
  mkdirSync(other.stateDir, { recursive: true })
  const { url } = await server.listen(other.http)
  writeEndpoint(other.stateDir, url)
  logger.error(
    { url, contractVersion, asked: other.asked },
    'the orchestrator has another contract version: use the wrapper of its release',
  )
  stopSignal.addEventListener('abort', () => stopped.resolve())
  if (stopSignal.aborted) stopped.resolve()
  await stopped.promise
  await server.close()
  return 0
}

/** It takes no turn, as one that stops. */
function sessionOf(startedAt: string): Session {
  const times = { startedAt, lastActivityAt: startedAt }
  return { state: 'stopping', turnsCompleted: 0, model: '', repo: '', contractVersion, sessionId: '', ...times }
}
