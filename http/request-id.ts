import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Ids } from './ports.ts'

const safe = /^[A-Za-z0-9._:@/+=-]{1,128}$/

/** The caller's X-Request-Id when it is harmless in logs and headers (at most 128 such characters), else a new one. */
export function requestIdOf(request: IncomingMessage, ids: Ids): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && safe.test(given) ? given : ids.next()
}

/** Empty once the request is answered: what a request left running, such as a timer, is no part of it. */
interface Running {
  id: string | undefined
}

const running = new AsyncLocalStorage<Running>()

/** The id of the request that this code works for, to be passed on; none in work of the background. */
export function currentRequestId(): string | undefined {
  return running.getStore()?.id
}

/** From here on `currentRequestId` knows. A body's events come from the socket, so it is begun again behind them. */
export function trackRequestIds(app: FastifyInstance): void {
  const of = new WeakMap<FastifyRequest, Running>()
  app.addHook('onRequest', (request, _reply, done) => {
    const one = { id: request.id }
    of.set(request, one)
    running.run(one, done)
  })
  app.addHook('preValidation', (request, _reply, done) => running.run(of.get(request) ?? { id: request.id }, done))
  app.addHook('onResponse', async (request) => {
    const one = of.get(request)
    if (one !== undefined) one.id = undefined
  })
}
