import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createRateLimits, type RateLimit } from '../github/rate-limit.ts'
import { errorHandler, HttpRefusal, numberParam, strikeAround } from '../rest.ts'
import { findIssue } from '../store/issues.ts'
import { may } from '../store/permissions.ts'
import type { Actor, Repository } from '../store/records.ts'
import { findRepository, type World } from '../store/world.ts'
import { authenticate } from './auth.ts'
import { nested, readAnyBody } from './body.ts'
import type { Answer, Call, Platform, Route } from './call.ts'
import { wordError } from './errors.ts'
import { obeyQuickActions, takeQuickActions } from './quick-actions.ts'
import { rateHeaders } from './rate-limit.ts'
import { approvalRoutes } from './routes/approvals.ts'
import { discussionRoutes } from './routes/discussions.ts'
import { draftNoteRoutes } from './routes/draft-notes.ts'
import { hookRoutes } from './routes/hooks.ts'
import { issueRoutes } from './routes/issues.ts'
import { labelRoutes } from './routes/labels.ts'
import { mergeRequestRoutes } from './routes/merge-requests.ts'
import { noteRoutes } from './routes/notes.ts'
import { pipelineRoutes } from './routes/pipelines.ts'
import { projectRoutes } from './routes/projects.ts'
import { repositoryRoutes } from './routes/repository.ts'
import { userRoutes } from './routes/users.ts'

const ROUTES: readonly Route[] = [
  ...userRoutes,
  ...projectRoutes,
  ...labelRoutes,
  ...issueRoutes,
  ...noteRoutes,
  ...repositoryRoutes,
  ...pipelineRoutes,
  ...mergeRequestRoutes,
  ...discussionRoutes,
  ...draftNoteRoutes,
  ...approvalRoutes,
  ...hookRoutes,
]

const PREFIX = '/api/v4'
const TOO_MANY = 'This endpoint has been requested too many times. Try again later.'
const FAULTS = { prefix: PREFIX, tooMany: TOO_MANY, failed: '502 Bad Gateway' }

/** GitLab's REST dialect under /api/v4. */
export async function serveGitlab(
  app: FastifyInstance,
  platform: Platform,
  options: { readonly rateLimit: number; readonly log: (error: unknown) => void },
): Promise<void> {
  const limits = createRateLimits(options.rateLimit, () => platform.world.now())
  await app.register(
    async (api) => {
      readAnyBody(api)
      api.setErrorHandler(errorHandler(wordError, '500 Internal Server Error', options.log))
      api.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: '404 Not Found' }))
      for (const route of ROUTES)
        api.route({
          method: route.method,
          url: route.path,
          handler: (request, reply) => perform(route, request, reply),
        })
    },
    { prefix: PREFIX },
  )

  async function perform(route: Route, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    reply.header('x-request-id', randomUUID())
    const actor = authenticate(platform.world, request.headers)
    const account = limits.of(actor?.user.login ?? '')
    account.used += 1
    reply.headers(rateHeaders(account))
    checkLimit(account)
    const run = (): Promise<Answer> => obeying(route, callFrom(platform, route, request, actor))
    return send(reply, await strikeAround(platform.faults, request, FAULTS, run))
  }

  function checkLimit(account: RateLimit): void {
    if (account.used <= account.limit) return
    const seconds = Math.max(1, account.resetAt - Math.floor(platform.world.now() / 1_000))
    throw new HttpRefusal(429, TOO_MANY, { 'retry-after': String(seconds) })
  }
}

const threadPath = /^\/projects\/:id\/(issues|merge_requests)(?:\/:iid(\/(?:notes|discussions).*)?)?$/

/** What GitLab makes of the text that a request brings. Of a comment nothing may be left; then there is none. */
async function obeying(route: Route, call: Call): Promise<Answer> {
  const [matched, kind, isComment] = threadPath.exec(route.path) ?? []
  const isText = matched !== undefined && (route.method === 'POST' || route.method === 'PUT')
  const taken = isText ? takeQuickActions(call.input) : undefined
  if (taken === undefined || taken.actions.length === 0) return route.run(call)
  const isGone = isComment !== undefined && taken.text === ''
  const answer = isGone ? { status: 202, body: { commands_changes: {}, summary: [] } } : await route.run(call)
  const { iid = numberParam(call, 'iid') } = (isComment === undefined ? answer.body : {}) as { readonly iid?: number }
  const thread = findIssue(call.repository, iid, kind === 'issues' ? 'issue' : 'pull')
  await obeyQuickActions({ world: call.world, repository: call.repository, actor: call.writer }, thread, taken.actions)
  return answer
}

function callFrom(platform: Platform, route: Route, request: FastifyRequest, actor: Actor | undefined): Call {
  if ((request.method !== 'GET' || route.needsUser) && !actor) throw new HttpRefusal(401, '401 Unauthorized')
  const params = request.params as Record<string, string>
  const query = new URLSearchParams(request.url.split('?')[1] ?? '')
  return {
    // The links are made late: read when they are needed, as the platform does.
    ...{ world: platform.world, links: platform.links, sender: platform.sender, faults: platform.faults },
    actor,
    params,
    query: Object.fromEntries(query),
    input: { ...nested([...query]), ...(request.body as object | undefined) },
    url: request.url,
    get writer() {
      if (!actor) throw new HttpRefusal(401, '401 Unauthorized')
      return actor
    },
    repository:
      params.id === undefined
        ? (undefined as unknown as Repository)
        : reachable(platform.world, route, params.id, actor),
  }
}

function reachable(world: World, route: Route, id: string, actor: Actor | undefined): Repository {
  const repository = projectNamed(world, id)
  if (!repository || !may(repository, actor, 'read')) throw new HttpRefusal(404, '404 Project Not Found')
  if (!may(repository, actor, route.closedBelow ?? 'read'))
    throw actor ? new HttpRefusal(403, '403 Forbidden') : new HttpRefusal(401, '401 Unauthorized')
  return repository
}

/** By number, or by the whole path. */
function projectNamed(world: World, id: string): Repository | undefined {
  if (/^\d+$/.test(id)) return [...world.repositories.values()].find((repository) => repository.id === Number(id))
  const cut = id.lastIndexOf('/')
  return findRepository(world, id.slice(0, cut), id.slice(cut + 1))
}

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  reply.code(answer.status ?? 200).headers({ ...answer.headers })
  if (answer.text !== undefined) return reply.type('text/plain; charset=utf-8').send(answer.text)
  if (answer.body === undefined) return reply.send()
  return reply.type('application/json').send(JSON.stringify(answer.body))
}
