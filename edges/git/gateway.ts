/**
 * /git/{project}/{repository}.git: how pods fetch and push, so that no forge token is in any pod (GIT-1). Basic
 * `x-pod:<token>`; fetch of the Task's repositories; push of the Task's own branch. Only the smart protocol's three
 * addresses exist.
 */
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpApp } from '../../http/app.ts'
import type { Authenticate } from '../../http/auth/authenticate.ts'
import type { Clock, Fetch } from '../../http/ports.ts'
import { Problem } from '../../http/problems/problem.ts'
import { bareName } from '../forge/projects.ts'
import type { GitCache, Remote } from './store/cache.ts'
import { enrolledAt, remoteOf, type Enrolled, type RepositoryRef, type RemoteDeps } from './store/enrolled.ts'
import { passFetch } from './wire/fetch.ts'
import { pathGuard } from './rules/path-guard.ts'
import { ProtocolError } from './wire/pkt-line.ts'
import type { PushRight } from './wire/push-rules.ts'
import { advertise, receive, type PodIdentity, type PushRecord, type PushTarget } from './wire/receive.ts'

/** What a live pod's Task may touch, as its actors say at this moment. */
export interface TaskAccess {
  /** Names of Repository resources. */
  readonly repositories: readonly string[]
  /** Branch that the Task's pods push, by repository; absent where they push nothing (a review of a human's change). */
  readonly branches: Readonly<Record<string, string>>
}

export interface GitGatewayDeps extends RemoteDeps {
  readonly cache: GitCache
  readonly fetch: Fetch
  readonly clock: Clock
  /** Throws a `Problem` for a token that is not a pod's. */
  readonly verifyPodToken: (token: string) => Promise<PodIdentity>
  /** undefined: the Task has ended or never was, or the pod is not its living one. */
  readonly taskAccess: (pod: PodIdentity) => Promise<TaskAccess | undefined>
  /** Refused while a live issue of an implement Task lacks its grant (GIT-3). */
  readonly mayPush: (task: string, repository: string) => Promise<PushRight>
  readonly audit: (push: PushRecord) => Promise<void>
  /** Of one push. */
  readonly mostPackBytes: number
  /** Branch of a Repository that its settings leave to the forge. */
  readonly defaultBranch: (project: string, repository: string) => Promise<string>
}

const POD_USER = 'x-pod'
const POST_LIMIT = 1024 * 1024 * 1024

export function registerGitGateway(app: HttpApp, deps: GitGatewayDeps): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // Packs are streams: nothing reads them before the route does.
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    const config = { auth: podAuthentication(deps) }
    const schema = { hide: true }
    scope.get('/git/:project/:repository/*', { config, schema }, (request, reply) => serve(deps, request, reply))
    scope.post('/git/:project/:repository/*', { config, schema, bodyLimit: POST_LIMIT }, (request, reply) =>
      serve(deps, request, reply),
    )
  })
}

function podAuthentication({ verifyPodToken }: GitGatewayDeps): Authenticate {
  return async (request) => {
    const token = tokenIn(request.headers.authorization)
    if (token === undefined) throw challenge('a pod token is required')
    const identity = await verifyPodToken(token).catch((error: unknown) => {
      if (error instanceof Problem && error.status === 401) throw challenge(error.message)
      throw error
    })
    return { subject: `${identity.task}/${identity.pod}`, issuer: 'statewright', claims: { ...identity } }
  }
}

/** git asks again with a password only when it is challenged for Basic. */
function challenge(detail: string): Problem {
  return new Problem('unauthenticated', detail, { headers: { 'www-authenticate': 'Basic realm="statewright git"' } })
}

function tokenIn(header: string | undefined): string | undefined {
  const encoded = /^basic +([A-Za-z0-9+/=]+)$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return undefined
  const [user, ...password] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
  return user === POD_USER && password.length > 0 ? password.join(':') : undefined
}

async function serve(deps: GitGatewayDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const identity = request.principal!.claims as unknown as PodIdentity
  const { project, repository, '*': path } = request.params as { project: string; repository: string; '*': string }
  if (!repository.endsWith('.git')) throw new Problem('not-found', 'the path of a repository ends with <name>.git')
  const repositoryRef = { project, repository: repository.slice(0, -'.git'.length) }
  const access = await accessOf(deps, identity, repositoryRef)
  const service = serviceOf(request, path)
  const enrolled = await enrolledAt(deps.directory, { ...repositoryRef, project: identity.project })
  const remote = await remoteOf(deps, enrolled)
  if (service === 'upload') return passThrough(deps, { request, reply, remote, path })
  const target = await pushTargetOf(deps, { identity, access, enrolled, remote })
  return service === 'advertise'
    ? answer(reply, 'advertisement', await advertise(deps, remote))
    : push(deps, request, reply, target)
}

/** One answer for what doesn't exist and what is another's. */
async function accessOf(
  deps: GitGatewayDeps,
  identity: PodIdentity,
  { project, repository }: RepositoryRef,
): Promise<TaskAccess> {
  if (bareName(identity.project) !== project)
    throw new Problem('forbidden', "the pod's Task belongs to another Project")
  const access = await deps.taskAccess(identity)
  if (access === undefined || !access.repositories.includes(repository))
    throw new Problem('forbidden', `${repository} is not a repository of this Task`)
  return access
}

type Service = 'upload' | 'advertise' | 'receive'

function serviceOf({ method, query }: FastifyRequest, path: string): Service {
  const { service } = query as { service?: string }
  if (method === 'GET' && path === 'info/refs' && service === 'git-upload-pack') return 'upload'
  if (method === 'GET' && path === 'info/refs' && service === 'git-receive-pack') return 'advertise'
  if (method === 'POST' && path === 'git-upload-pack') return 'upload'
  if (method === 'POST' && path === 'git-receive-pack') return 'receive'
  const lfs = path.startsWith('info/lfs')
    ? { members: { message: 'the git gateway serves no Git LFS: keep large files out of this change' } }
    : {}
  throw new Problem('not-found', 'the git gateway serves only the smart protocol of git', lfs)
}

interface Pushing {
  readonly identity: PodIdentity
  readonly access: TaskAccess
  readonly enrolled: Enrolled
  readonly remote: Remote
}

async function pushTargetOf(
  deps: GitGatewayDeps,
  { identity, access, enrolled: { project, repository }, remote }: Pushing,
): Promise<PushTarget> {
  const branch = access.branches[remote.repository]
  if (branch === undefined) throw new Problem('forbidden', 'this pod may not push to this repository')
  const base = repository.defaultBranch || (await deps.defaultBranch(identity.project, remote.repository))
  const guard = pathGuard(project.scm.protectedPaths)
  return { remote, identity, branch, base, guard, right: () => deps.mayPush(identity.task, remote.repository) }
}

async function push(
  deps: GitGatewayDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  target: PushTarget,
): Promise<FastifyReply> {
  try {
    const gzip = request.headers['content-encoding'] === 'gzip'
    return answer(reply, 'result', await receive(deps, target, request.body as Readable, gzip))
  } catch (error) {
    if (error instanceof ProtocolError) throw new Problem('malformed-request', error.message, { cause: error })
    throw error
  }
}

function answer(reply: FastifyReply, what: 'advertisement' | 'result', body: Buffer): FastifyReply {
  return reply.type(`application/x-git-receive-pack-${what}`).header('cache-control', 'no-cache').send(body)
}

interface Fetching {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly remote: Remote
  readonly path: string
}

async function passThrough(deps: GitGatewayDeps, { request, reply, remote, path }: Fetching): Promise<FastifyReply> {
  const target = path === 'info/refs' ? 'info/refs?service=git-upload-pack' : path
  const body = request.method === 'POST' ? (request.body as Readable) : undefined
  const passed = await passFetch(deps.fetch, remote, { path: target, headers: request.headers, body })
  return reply.code(passed.status).headers(passed.headers).send(passed.body)
}
