import { createHash, randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { errorHandler, HttpRefusal, strikeAround, type Worded } from '../rest.ts'
import type { Actor, Repository } from '../store/records.ts'
import { demand, demandHooks } from '../store/permissions.ts'
import { Refusal } from '../store/refusal.ts'
import { findRepository } from '../store/world.ts'
import { authenticate } from './auth.ts'
import type { Answer, Call, Platform, Route } from './call.ts'
import { wordError } from './errors.ts'
import { createRateLimits, rateHeaders, ratePayload, type RateLimit } from './rate-limit.ts'
import { branchRoutes } from './routes/branches.ts'
import { checkRoutes } from './routes/checks.ts'
import { commitRoutes } from './routes/commits.ts'
import { refRoutes } from './routes/refs.ts'
import { commentRoutes } from './routes/comments.ts'
import { contentRoutes } from './routes/contents.ts'
import { graphqlRoute } from './routes/graphql.ts'
import { hookRoutes } from './routes/hooks.ts'
import { issueRoutes } from './routes/issues.ts'
import { labelRoutes } from './routes/labels.ts'
import { pullRoutes } from './routes/pulls.ts'
import { repositoryRoutes } from './routes/repositories.ts'
import { reviewCommentRoutes } from './routes/review-comments.ts'
import { reviewRoutes } from './routes/reviews.ts'

const ROUTES: readonly Route[] = [
  ...repositoryRoutes,
  ...branchRoutes,
  ...refRoutes,
  ...commitRoutes,
  ...contentRoutes,
  ...labelRoutes,
  ...issueRoutes,
  ...commentRoutes,
  ...pullRoutes,
  ...reviewRoutes,
  ...reviewCommentRoutes,
  ...checkRoutes,
  ...hookRoutes,
]

const BODY_LIMIT = 10 * 1024 * 1024

const PREFIX = '/api/v3'
const FAULTS = {
  prefix: PREFIX,
  tooMany: 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
  failed: 'Server Error',
}

/** GitHub's REST dialect under /api/v3, where an Enterprise server has it, and the one query that we ask beside it. */
export async function serveGithub(
  app: FastifyInstance,
  platform: Platform,
  options: { readonly rateLimit: number; readonly log: (error: unknown) => void },
): Promise<void> {
  const limits = createRateLimits(options.rateLimit, () => platform.world.now())
  // The links are made late.
  const word = (error: unknown): Worded | undefined => wordError(error, `${platform.links.web}/docs`)
  const answerError = errorHandler(word, FAULTS.failed, options.log)
  await app.register(
    async (api) => {
      readAnyJson(api)
      api.setErrorHandler(answerError)
      api.setNotFoundHandler((request, reply) => answerError(new Refusal('not-found'), request, reply))
      api.get('/rate_limit', (request, reply) => {
        const account = limits.of(accountOf(authenticate(platform.world, request.headers.authorization)))
        return reply.headers(rateHeaders(account)).send(ratePayload(account))
      })
      for (const route of ROUTES)
        api.route({
          method: route.method,
          url: route.path,
          handler: (request, reply) => perform(route, request, reply),
        })
    },
    { prefix: PREFIX },
  )
  await app.register(async (api) => {
    readAnyJson(api)
    api.setErrorHandler(answerError)
    const { method, path: url } = graphqlRoute
    api.route({ method, url, handler: (request, reply) => perform(graphqlRoute, request, reply, '/api') })
  })

  async function perform(
    route: Route,
    request: FastifyRequest,
    reply: FastifyReply,
    prefix = PREFIX,
  ): Promise<FastifyReply> {
    const actor = authenticate(platform.world, request.headers.authorization)
    const account = limits.of(accountOf(actor))
    account.used += 1
    if (actor) reply.header('x-oauth-scopes', actor.scopes.join(', '))
    reply.header('x-github-request-id', randomUUID().replaceAll('-', '').toUpperCase())
    checkLimit(account, actor)
    const run = (): Answer | Promise<Answer> => route.run(callFrom(route, request, actor))
    const answer = await strikeAround(platform.faults, request, { ...FAULTS, prefix }, run)
    return send(request, reply, answer, account)
  }

  function callFrom(route: Route, request: FastifyRequest, actor: Actor | undefined): Call {
    if (request.method !== 'GET' && !actor) throw new HttpRefusal(401, 'Requires authentication')
    const params = request.params as Record<string, string>
    return {
      ...platform,
      actor,
      params,
      query: request.query as Record<string, string>,
      accept: request.headers.accept ?? '',
      body: request.body ?? {},
      url: request.url,
      get writer() {
        if (!actor) throw new HttpRefusal(401, 'Requires authentication')
        return actor
      },
      repository: params.owner === undefined ? (undefined as unknown as Repository) : reachable(route, params, actor),
    }
  }

  function reachable(route: Route, params: Readonly<Record<string, string>>, actor: Actor | undefined): Repository {
    const repository = findRepository(platform.world, params.owner ?? '', params.repo ?? '')
    if (!repository) throw new Refusal('not-found')
    try {
      if (route.isOfHooks) demandHooks(repository, actor)
      else demand(repository, actor, 'read')
    } catch {
      throw new Refusal('not-found')
    }
    return repository
  }
}

/** Clients send bodies with and without a type, and DELETE with a type and no body: all are read as JSON. */
function readAnyJson(api: FastifyInstance): void {
  api.removeAllContentTypeParsers()
  api.addContentTypeParser('*', { parseAs: 'string', bodyLimit: BODY_LIMIT }, (_request, text, done) => {
    const body = text.toString()
    if (body.trim() === '') return done(null, {})
    try {
      const value: unknown = JSON.parse(body)
      const readable = value !== null && typeof value === 'object'
      return readable ? done(null, value) : done(new HttpRefusal(400, 'Body should be a JSON object'))
    } catch {
      return done(new HttpRefusal(400, 'Problems parsing JSON'))
    }
  })
}

function accountOf(actor: Actor | undefined): string {
  return actor?.user.login ?? ''
}

function checkLimit(account: RateLimit, actor: Actor | undefined): void {
  if (account.used <= account.limit) return
  throw new HttpRefusal(
    403,
    `API rate limit exceeded for ${actor ? `user ID ${actor.user.id}` : 'this address'}.`,
    rateHeaders(account),
  )
}

/** An unchanged answer costs nothing: 304, no body, and the request is given back to the hour's account. */
function send(request: FastifyRequest, reply: FastifyReply, answer: Answer, account: RateLimit): FastifyReply {
  const status = answer.status ?? 200
  const content = answer.text?.content ?? (answer.body === undefined ? '' : JSON.stringify(answer.body))
  reply.headers({ ...answer.headers, 'x-github-media-type': 'github.v3; format=json' })
  if (request.method === 'GET' && status === 200) {
    const etag = `W/"${createHash('sha256').update(content).digest('hex')}"`
    reply.headers({ etag, 'cache-control': 'private, max-age=60, s-maxage=60', vary: 'Accept, Authorization' })
    if (matches(request.headers['if-none-match'], etag)) {
      account.used -= 1
      return reply.code(304).headers(rateHeaders(account)).send()
    }
  }
  reply.code(status).headers(rateHeaders(account))
  if (content === '') return reply.send()
  return reply.type(answer.text?.type ?? 'application/json; charset=utf-8').send(content)
}

function matches(wanted: string | undefined, etag: string): boolean {
  const strong = (tag: string): string => tag.trim().replace(/^W\//, '')
  return wanted !== undefined && wanted.split(',').some((tag) => strong(tag) === strong(etag))
}
