import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { serveGit, type BackendCall } from './git/http-backend.ts'
import { refOf, ZERO_SHA, type RefUpdate } from './git/refs.ts'
import { authenticate } from './github/auth.ts'
import { HttpRefusal } from './rest.ts'
import { may } from './store/permissions.ts'
import { acceptPush } from './store/push.ts'
import type { Actor, Repository } from './store/records.ts'
import { findRepository, type World } from './store/world.ts'

const REPOSITORY = '/:owner/:repo(^[A-Za-z0-9._-]+\\.git$)'
/** What may lie above the owner, since GitLab's groups nest: `/group/sub/name.git`. */
const PARENTS = ['', '/:first', '/:first/:second', '/:first/:second/:third'] as const

export interface GitService {
  /** Resolves when every request under way has ended and its push has been noted. */
  settled(): Promise<void>
  /** Moves a ref to a commit that the store has, as git's own push does through the hooks. */
  receive(authorization: string, owner: string, repo: string, update: RefUpdate): Promise<void>
}

/** Smart HTTP for git, with the forge's tokens: the three paths that the protocol has, and no others. */
export async function serveRepositories(
  app: FastifyInstance,
  world: World,
  log: (error: unknown) => void,
): Promise<GitService> {
  const receipts = join(world.dir, 'receipts')
  const underWay = new Set<Promise<void>>()
  await mkdir(receipts, { recursive: true })
  await app.register(async (scope) => {
    // The pack streams to git unread; git zips it or not and says so.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.setErrorHandler((error, _request, reply) => refuse(reply, error))
    for (const path of PARENTS.map((parents) => `${parents}${REPOSITORY}`)) {
      scope.get(`${path}/info/refs`, (request, reply) => serve('info/refs', request, reply))
      scope.post(`${path}/git-upload-pack`, (request, reply) => serve('git-upload-pack', request, reply))
      scope.post(`${path}/git-receive-pack`, (request, reply) => serve('git-receive-pack', request, reply))
    }
  })

  async function serve(service: BackendCall['service'], request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const wanted = service === 'info/refs' ? (request.query as { service?: string }).service : service
    if (wanted !== 'git-upload-pack' && wanted !== 'git-receive-pack') throw new HttpRefusal(404, 'Not Found')
    const actor = authenticate(world, request.headers.authorization)
    const repository = reachable(world, placeOf(request), actor, wanted)
    reply.hijack()
    const receipt = join(receipts, randomUUID())
    const served = serveGit(request.raw, reply.raw, {
      repository: repository.path,
      service,
      query: request.url.split('?')[1] ?? '',
      login: actor?.user.login ?? '',
      environment: { FORGE_RECEIPT: receipt, ...refRules(repository, actor) },
      settled: () => settle(world, repository, actor, receipt),
    }).catch((error: unknown) => {
      log(error)
      reply.raw.destroy()
    })
    underWay.add(served)
    await served
    underWay.delete(served)
  }

  return {
    settled: async () => void (await Promise.all(underWay)),
    receive: (authorization, owner, repo, update) => receive(world, authorization, { owner, repo }, update),
  }
}

function placeOf(request: FastifyRequest): { owner: string; repo: string } {
  const { first, second, third, owner, repo = '' } = request.params as Readonly<Record<string, string | undefined>>
  return { owner: [first, second, third, owner].filter((part) => part !== undefined).join('/'), repo }
}

/** Without a token git is asked for one; with one that may not read, nothing is there; with one that may not write, 403. */
function reachable(
  world: World,
  { owner, repo }: { owner: string; repo: string },
  actor: Actor | undefined,
  service: string,
): Repository {
  const repository = findRepository(world, owner, repo.replace(/\.git$/, ''))
  const wanted = service === 'git-receive-pack' ? 'write' : 'read'
  if (repository && may(repository, actor, wanted)) return repository
  if (!actor) throw new HttpRefusal(401, 'Authentication required')
  if (repository && may(repository, actor, 'read'))
    throw new HttpRefusal(403, `Permission to ${owner}/${repo} denied to ${actor.user.login}.`)
  throw new HttpRefusal(404, 'Repository not found.')
}

/** Branches with rules that only a merge can meet are closed to pushes; the default branch and every protected one only grow. */
function refRules(repository: Repository, actor: Actor | undefined): Record<string, string> {
  const closed = [...repository.protection].filter(([, rules]) => {
    const exempt = !rules.enforceAdmins && may(repository, actor, 'admin')
    return !exempt && (rules.requiredChecks.length > 0 || rules.requiredApprovals > 0)
  })
  const steady = new Set([repository.defaultBranch, ...repository.protection.keys()])
  return {
    FORGE_CLOSED_REFS: closed.map(([branch]) => refOf(branch)).join(' '),
    FORGE_STEADY_REFS: [...steady].map(refOf).join(' '),
  }
}

async function receive(
  world: World,
  authorization: string,
  place: { owner: string; repo: string },
  update: RefUpdate,
): Promise<void> {
  const actor = authenticate(world, authorization)
  const repository = reachable(world, place, actor, 'git-receive-pack')
  const problem = await brokenRule(repository, refRules(repository, actor), update)
  if (problem !== undefined) throw new HttpRefusal(403, problem)
  if (!(await repository.git.moveRef(update))) throw new HttpRefusal(409, `${update.ref} was moved meanwhile`)
  if (actor) await acceptPush(world, repository, actor.user, [update])
}

/** What the update hook of git/bare.ts answers, in its words. */
async function brokenRule(
  { git }: Repository,
  rules: Record<string, string>,
  { ref, before, after }: RefUpdate,
): Promise<string | undefined> {
  const isIn = (refs = ''): boolean => refs.split(' ').includes(ref)
  if (!/^refs\/(heads|tags)\//.test(ref)) return 'deny updating a hidden ref'
  if (isIn(rules.FORGE_CLOSED_REFS)) return `GH006: Protected branch update failed for ${ref}.`
  if (!isIn(rules.FORGE_STEADY_REFS) || before === ZERO_SHA) return undefined
  if (after === ZERO_SHA) return `refusing to delete the current branch: ${ref}`
  return (await git.isAncestor(before, after)) ? undefined : `non-fast-forward update of ${ref} refused`
}

async function settle(world: World, repository: Repository, actor: Actor | undefined, receipt: string): Promise<void> {
  const text = await readFile(receipt, 'utf8').catch(() => '')
  await rm(receipt, { force: true })
  const updates = text
    .split('\n')
    .filter(Boolean)
    .map((line): RefUpdate => {
      const [before = ZERO_SHA, after = ZERO_SHA, ...ref] = line.split(' ')
      return { before, after, ref: ref.join(' ') }
    })
  if (actor && updates.length > 0) await acceptPush(world, repository, actor.user, updates)
}

function refuse(reply: FastifyReply, error: unknown): FastifyReply {
  const status = error instanceof HttpRefusal ? error.status : 500
  if (status === 401) reply.header('www-authenticate', 'Basic realm="forge"')
  return reply
    .code(status)
    .type('text/plain; charset=utf-8')
    .send(error instanceof HttpRefusal ? `${error.message}\n` : 'Server Error\n')
}
