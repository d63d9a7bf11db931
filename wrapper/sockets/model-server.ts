import type { Logger } from '../../http/operational/logging.ts'
import type { Clock, Ids } from '../../http/ports.ts'
import { createServer, type HttpServer } from '../../http/server.ts'
import type { FastifyInstance } from 'fastify'
import { forwardToModel, maxModelRequestBytes, type ModelProxyOptions } from '../model-proxy/proxy.ts'
import { addUsageFeed, type UsageFeedOptions } from '../usage/usage-feed.ts'

interface ModelServerOptions extends UsageFeedOptions {
  readonly logger: Logger
  readonly clock: Clock
  readonly ids: Ids
  readonly model: ModelProxyOptions
}

/** HTTP for the CLI's view: the Messages API, and what the status line reports. What else the CLI asks for is not there. */
export async function createModelServer(options: ModelServerOptions): Promise<HttpServer> {
  const { logger, clock, ids, model } = options
  const server = await createServer({
    name: 'wrapper-model',
    version: '0',
    logger,
    clock,
    ids,
    bodyLimit: maxModelRequestBytes,
    openapi: { title: 'Wrapper, the agent’s side', description: 'Model proxy and usage feed of one pod.' },
  })
  addUsageFeed(server, options)
  void server.app.register(async (scope) => addModel(scope as unknown as FastifyInstance, model))
  return server
}

/** Bodies pass through as bytes. */
function addModel(scope: FastifyInstance, model: ModelProxyOptions): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxModelRequestBytes }, (_request, body, done) =>
    done(null, body),
  )
  scope.route({
    method: ['GET', 'HEAD', 'POST'],
    url: '/v1/*',
    exposeHeadRoute: false,
    handler: (request, reply) => forwardToModel(model, request.url, request, reply),
  })
}
