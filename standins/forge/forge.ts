/**
 * The forge of a machine without a forge account: GitHub's and GitLab's dialects over real bare git repositories.
 * Nothing in it is played that git can do: pushes, diffs, merges and the test runs of its CI are real.
 */
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import { createActions, type Actions } from './actions.ts'
import { serveAudit } from './audit-route.ts'
import { CI_APP, startCi } from './ci/ci.ts'
import { createDialectLinks, sendEvents, signDelivery, type DialectLinks } from './dialects.ts'
import { createFaultBoard, type Fault, type FaultBoard } from './faults.ts'
import { serveRepositories, type GitService } from './git-route.ts'
import { adoptBare, writeHooks } from './git/bare.ts'
import type { GitStore } from './git/store.ts'
import type { Platform as GithubPlatform } from './github/call.ts'
import { serveGithub } from './github/server.ts'
import { serveGitlab } from './gitlab/server.ts'
import { pageAddress, servePages, type PagesOptions } from './pages/serve.ts'
import type { WorldDocument } from './saved/document.ts'
import { keepWorldFile, readWorldFile } from './saved/file.ts'
import { restoreDeliveries, restoreWorld } from './saved/restore.ts'
import { saveWorld } from './saved/save.ts'
import type { AuditEntry } from './store/audit.ts'
import { catchUp } from './store/catch-up.ts'
import type { Hook, Repository } from './store/records.ts'
import { fullName } from './store/records.ts'
import { noteOutcome } from './store/hooks.ts'
import { createRepository, hooksPath, type RepositorySpec } from './store/repositories.ts'
import { addUser, createWorld, noteChange, type UserSpec, type World } from './store/world.ts'
import { createSender, type Attempt, type Delivery, type Message } from './webhooks/sender.ts'

export interface ForgeOptions {
  /**
   * Holds the bare repositories (`repositories/<owner>/<name>.git`), the audit log (`audit.jsonl`) and the memory
   * (`world.json`): a forge started on it again goes on where the last one stopped. One forge at a time.
   */
  readonly dir: string
  /** Default 0: any free one. Listens on 127.0.0.1 only. Addresses of its answers hold it: a forge that is known to others is started again on the same. */
  readonly port?: number
  readonly seed?: { readonly users?: readonly UserSpec[]; readonly repositories?: readonly RepositorySpec[] }
  readonly faults?: readonly Fault[]
  /** Of the draws of faults with a probability. Default 1. */
  readonly faultSeed?: number
  /** Requests an hour per user, as the rate-limit headers show them. Default 5000. */
  readonly rateLimit?: number
  /** Default: git itself. One in memory serves the API, but no clones, no CI and no second start. */
  readonly git?: GitStore
  /** Opens GET /_audit to its holder. */
  readonly adminToken?: string
  /** Who opens its pages, by a key of 40 hex digits in the address. The forge keeps its hash alone, and in no file. */
  readonly people?: PagesOptions['people']
  readonly logger?: { error(details: unknown, message: string): void }
}

export interface CreatedRepository {
  readonly fullName: string
  /** The bare repository on disk. */
  readonly path: string
  readonly defaultBranch: string
  readonly gitUrl: string
}

export interface Forge extends Actions {
  /** Root of the pages and of git. */
  readonly url: string
  /** Base of the REST API: octokit's `baseUrl`. */
  readonly apiUrl: string
  /** Base of GitLab's REST API. */
  readonly gitlabApiUrl: string
  readonly auditFile: string
  readonly faults: FaultBoard
  gitUrl(owner: string, name: string): string
  /** Where the holder of the key begins, or the page with this path: that of the forge's own addresses, `acme/cart/issues/1`. */
  pageOf(key: string, path?: string): string
  /** A push whose commits are in the store already, under the rules of one over HTTP. */
  receive: GitService['receive']
  createUser(spec: UserSpec): void
  createRepository(spec: RepositorySpec): Promise<CreatedRepository>
  audit(): readonly AuditEntry[]
  onAudit(listener: (entry: AuditEntry) => void): () => void
  deliveries(): readonly Delivery[]
  redeliver(id: number): Delivery
  /** Resolves to what was done when no CI runs or waits and every delivery has been tried. */
  idle<Done = void>(done?: Done): Promise<Awaited<Done>>
  close(): Promise<void>
}

const DEFAULT_RATE_LIMIT = 5_000

export async function startForge(options: ForgeOptions): Promise<Forge> {
  const dir = resolve(options.dir)
  await mkdir(dir, { recursive: true })
  const world = createWorld(dir, options.git)
  await writeHooks(hooksPath(world))
  const file = join(dir, 'world.json')
  const saved = await readWorldFile(file)
  const deliveries = saved ? await takeOver(file, world, saved, sign) : []
  const faults = createFaultBoard(options.faultSeed ?? 1, options.faults ?? [])
  const log = (error: unknown): void => options.logger?.error({ err: error }, 'the local forge failed at a request')
  const app = Fastify({ forceCloseConnections: true, routerOptions: { maxParamLength: 500 } })
  // The port is known only once it listens, and every address in an answer holds it: so the links are made late.
  const links = lateLinks()
  const sender = createSender({
    faults,
    nextId: () => world.nextId(),
    now: world.now,
    sign,
    changed: () => noteChange(world),
    ended: ({ hook, statusCode }) => {
      if (hook.dialect === 'gitlab') noteOutcome(hook, world.now(), statusCode)
    },
  })
  const worldFile = keepWorldFile(file, () => saveWorld(world, sender.deliveries()), log)
  const bot = addUser(world, { login: `${CI_APP}[bot]`, type: 'Bot' })
  const ci = startCi(world, bot, log)
  sendEvents(world, () => links.value, sender)
  for (const user of options.seed?.users ?? []) addUser(world, user)

  function sign(hook: Hook, guid: string, message: Message): Attempt {
    return signDelivery(world, hook, guid, message)
  }

  const gitService = await serveRepositories(app, world, log)
  await serveDialects(app, { world, sender, faults }, links, {
    rateLimit: options.rateLimit ?? DEFAULT_RATE_LIMIT,
    log,
  })
  const actions = createActions(world)
  const { people = [] } = options
  await servePages(app, { world, actions, people, origin: () => links.value.github.web, log })
  if (options.adminToken !== undefined) serveAudit(app, world.audit, options.adminToken)
  const url = await app.listen({ host: '127.0.0.1', port: options.port ?? 0 })
  links.set(url)
  try {
    sender.resume(deliveries)
    await ci.resume()
    for (const repository of world.restored) await catchUp(world, repository)
    for (const spec of options.seed?.repositories ?? []) await createRepository(world, spec)
  } catch (error) {
    await stop()
    throw error
  }
  // Only now: a start that failed leaves the memory as it was.
  world.changeListeners.add(worldFile.note)
  noteChange(world)

  return {
    ...actions,
    url,
    apiUrl: links.value.github.api,
    gitlabApiUrl: links.value.gitlab.api,
    auditFile: world.audit.file,
    faults,
    gitUrl: (owner, name) => links.value.github.git(owner, name),
    pageOf: (key, path) => pageAddress(url, key, path),
    receive: gitService.receive,
    createUser: (spec) => void addUser(world, spec),
    createRepository: async (spec) => describe(await createRepository(world, spec)),
    audit: () => world.audit.entries(),
    onAudit: (listener) => world.audit.onEntry(listener),
    deliveries: () => sender.deliveries(),
    redeliver(id) {
      const delivery = sender.deliveries().find((one) => one.id === id)
      if (!delivery) throw new RangeError(`no delivery ${id}`)
      return sender.redeliver(delivery)
    },
    async idle<Done>(done?: Done): Promise<Awaited<Done>> {
      const made = await (done as Done)
      await gitService.settled()
      await ci.idle()
      await sender.idle()
      return made
    },
    async close() {
      await stop()
      await worldFile.close()
    },
  }

  async function stop(): Promise<void> {
    await app.close()
    await gitService.settled()
    await ci.close()
    await sender.close()
  }

  function describe(repository: Repository): CreatedRepository {
    return {
      fullName: fullName(repository),
      path: repository.path,
      defaultBranch: repository.defaultBranch,
      gitUrl: links.value.github.git(repository.owner.login, repository.name),
    }
  }
}

/** Both APIs answer for every repository; a rate limit counts in each on its own. */
async function serveDialects(
  app: FastifyInstance,
  platform: Pick<GithubPlatform, 'world' | 'sender' | 'faults'>,
  links: LateLinks,
  options: { readonly rateLimit: number; readonly log: (error: unknown) => void },
): Promise<void> {
  await serveGithub(
    app,
    {
      ...platform,
      get links() {
        return links.value.github
      },
    },
    options,
  )
  await serveGitlab(
    app,
    {
      ...platform,
      get links() {
        return links.value.gitlab
      },
    },
    options,
  )
}

interface LateLinks {
  readonly value: DialectLinks
  set(url: string): void
}

function lateLinks(): LateLinks {
  let made: DialectLinks | undefined
  return {
    get value() {
      if (!made) throw new Error('the forge does not listen yet')
      return made
    },
    set(url) {
      made = createDialectLinks(url)
    },
  }
}

async function takeOver(
  file: string,
  world: World,
  saved: WorldDocument,
  sign: (hook: Hook, guid: string, message: Message) => Attempt,
): Promise<Delivery[]> {
  const deliveries = restore(file, world, saved, sign)
  for (const repository of world.restored) await adoptBare(repository.path, hooksPath(world))
  return deliveries
}

function restore(file: string, world: World, saved: WorldDocument, sign: Parameters<typeof takeOver>[3]): Delivery[] {
  try {
    restoreWorld(world, saved)
    return restoreDeliveries(world, saved.deliveries, sign)
  } catch (cause) {
    throw new Error(`${file} does not hold together: ${(cause as Error).message}`, { cause })
  }
}
