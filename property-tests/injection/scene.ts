/**
 * The orchestrator as `cli/` composes it, with real listeners, the real git gateway and the local forge; only its pods are
 * scripted. All that it asks of the outside is written down.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { ForgeChoice } from '../../cli/local/forge-choice.ts'
import { localManifests } from '../../standins/manifests.ts'
import { people } from '../../standins/people.ts'
import { composeOrchestrator } from '../../orchestrator/wiring/compose.ts'
import { orchestratorMigrations } from '../../orchestrator/wiring/store.ts'
import { partsForTests } from '../../orchestrator/testing/parts.ts'
import { settingsForTests } from '../../orchestrator/testing/settings.ts'
import { untilOf, type Until } from '../../orchestrator/testing/until.ts'
import { startForge, type Forge } from '../../standins/forge/forge.ts'
import { podTokens } from '../../edges/agents/pod-tokens.ts'
import type { Projects } from '../../edges/forge/project-directory.ts'
import { generateSigningKeyPem, importSigningKey } from '../../http/auth/tokens.ts'
import type { HttpServer } from '../../http/server.ts'
import { createLogger } from '../../http/operational/logging.ts'
import { verifyOnly } from '../../http/testing/fixture.ts'
import { isReady } from '../../machines/project/machine.ts'
import { systemClock } from '../../runtime/clock.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { migrate } from '../../runtime/store/migrate.ts'
import { resultParsers } from '../../runtime/store/result-types.ts'
import { sessionSql } from '../../runtime/store/session-sql.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { preparedSession } from '../runtime/simulation/memory-store.ts'
import { canaries } from './canaries.ts'
import { homeIn, repositoryName, type Home } from './home.ts'
import { memoryUrl, modelUrl, ScriptedPods, type Forwarded } from './pods.ts'
import { seedSource } from './workspace.ts'

export const project = 'demo'
export const triggerLabel = 'platform'

/** A request of the orchestrator to anybody. */
export interface Outgoing {
  readonly method: string
  readonly url: string
}

export interface Scene {
  readonly dir: string
  readonly home: Home
  readonly forge: Forge
  readonly runtime: Runtime
  readonly sql: Sql
  readonly pods: ScriptedPods
  readonly url: string
  /** Every route of the orchestrator, inside and outside: its method and its path. */
  readonly routes: readonly string[]
  readonly outgoing: readonly Outgoing[]
  readonly forwarded: readonly Forwarded[]
  /** What a query to the memory brings back. */
  memory: string
  readonly until: Until
  /** Webhooks are sent and worked off, effects are settled. */
  quiet(): Promise<void>
  close(): Promise<void>
}

const waitLimitMs = 150_000
const lookEveryMs = 25

/** On GitHub's dialect of the local forge, unless another is named. */
export async function openScene(dialect: ForgeChoice = 'github'): Promise<Scene> {
  const home = homeIn(dialect)
  const dir = await mkdtemp(join(tmpdir(), 'injection-'))
  const forge = await startForge({ dir: join(dir, 'forge'), seed: { users: users() }, rateLimit: 1_000_000 })
  const source = await seedSource(join(dir, 'source'))
  for (const name of [repositoryName, 'vault']) await createRepository({ forge, home }, name, source)
  const sql = sessionSql(preparedSession(await PGlite.create({ parsers: { ...resultParsers } })), 'none')
  await migrate(sql, orchestratorMigrations)

  const outgoing: Outgoing[] = []
  const forwarded: Forwarded[] = []
  const logger = createLogger({ name: 'injection', level: process.env['INJECTION_LOG'] ?? 'silent' })
  let lastId = 0
  const clockAndIds = { clock: systemClock, ids: { next: () => `id-${(lastId += 1)}` } }
  const tokens = podTokens(await importSigningKey(generateSigningKeyPem()), systemClock, { next: () => 'a-token' })
  const memory = { text: '' }
  let directory: Projects | undefined
  const pods = new ScriptedPods({
    ...clockAndIds,
    logger,
    tokens,
    operatorUrl: () => urls.operator,
    uidOf: async (project) => (await directory?.spec(project))?.resource.uid,
    fetch: async (url, init) => answerService(String(url), memory.text) ?? fetch(url, init),
    forwarded: (one) => void forwarded.push(one),
    callBack: async (headers, payload) => {
      await composed.inside.app.inject({ method: 'POST', url: '/internal/turn-complete', headers, payload })
    },
  })
  const composed = await composeOrchestrator(
    settingsForTests(dir, { oidc: { clientSecret: canaries.oidcSecret }, modelKey: canaries.modelKey }),
    {
      ...clockAndIds,
      random: () => 0.5,
      logger,
      version: '0.0.0',
      programDir: '/program',
      owner: 'injection',
      fetch: async (input, init = {}) => {
        const url = new URL(input instanceof Request ? input.url : String(input))
        outgoing.push({ method: init.method ?? 'GET', url: url.href })
        if (pods.owns(url))
          return pods.answer(url, init.method ?? 'GET', new Headers(init.headers), String(init.body ?? '{}'))
        return fetch(input, init)
      },
    },
    partsForTests(clockAndIds, {
      sql,
      secrets: {
        read: async () => ({ token: canaries.botToken, webhookSecret: canaries.webhookSecret }),
        write: async () => undefined,
      },
      pods: (wiring) => ((directory = wiring.directory), pods),
      podTokens: tokens,
      callbackMaster: canaries.callbackMaster,
      sessionKey: canaries.sessionKey,
      verifyOidc: verifyOnly(canaries.operatorToken, 'operator'),
      wrapperToken: () => Promise.resolve(canaries.wrapperToken),
    }),
  )
  await composed.start()
  const inside = await composed.inside.listen({ host: '127.0.0.1', port: 0 })
  const outside = await composed.outside.listen({ host: '127.0.0.1', port: 0 })
  const urls = { operator: outside.url, internal: inside.url }
  composed.listening(urls)
  await composed.begin()
  const { runtime } = composed

  const until = untilOf(() => runtime, { waitLimitMs, lookEveryMs })

  const isSettled = async (): Promise<boolean> => {
    await forge.idle()
    return (await runtime.pendingEffects()).every(({ state }) => state === 'dead')
  }
  const state = async (): Promise<string> => {
    const { rows } = await sql.query<{ n: unknown }>('select sum(seq) as n from actor')
    return `${String(rows[0]?.n)} ${forge.audit().length} ${outgoing.length}`
  }

  const scene: Scene = {
    dir,
    home,
    forge,
    runtime,
    sql,
    pods,
    url: urls.operator,
    routes: [composed.outside, composed.inside].flatMap(routesOf),
    outgoing,
    forwarded,
    get memory() {
      return memory.text
    },
    set memory(text) {
      memory.text = text
    },
    until,
    quiet: () =>
      until('nothing is on its way', async () => {
        if (!(await isSettled())) return false
        const before = await state()
        await new Promise((resolve) => setTimeout(resolve, 2 * lookEveryMs))
        return (await isSettled()) && (await state()) === before
      }).then(() => undefined),
    async close() {
      await composed.stop()
      await pods.close()
      await forge.close()
      await sql.close()
      await rm(dir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  await prepare(scene)
  return scene
}

/** fastify prints a tree of the parts of all paths, four letters a level; it answers HEAD wherever it answers GET. */
function routesOf({ app }: HttpServer): readonly string[] {
  const above: string[] = []
  return app
    .printRoutes()
    .split('\n')
    .flatMap((line) => {
      const found = /^(?<indent>.*)── (?<part>\S*)(?: \((?<methods>[A-Z, ]+)\))?/.exec(line)?.groups
      if (found === undefined) return []
      above.length = Math.floor(found['indent']!.length / 4)
      above.push(found['part']!)
      const methods = (found['methods'] ?? '').split(', ').filter((method) => !['', 'HEAD'].includes(method))
      return methods.map((method) => `${method} ${above.join('')}`)
    })
}

/** The services behind broker and model proxy that are not ours; undefined: it is the orchestrator's. */
function answerService(url: string, memory: string): Response | undefined {
  if (url.startsWith(memoryUrl)) return Response.json({ mode: 'naive', results: [{ text: memory }], items: [] })
  return url.startsWith(modelUrl) ? Response.json({ type: 'message', content: [] }) : undefined
}

interface Manifest {
  readonly kind: string
  readonly spec: { readonly scm: object }
}

/**
 * Secret, Project and Repository; so many pods as there are texts may work at once. The stranger passes the reporter gate,
 * so that his words reach the agent: what is tried here is what holds an agent that has read them.
 */
export function manifestsOf({ forge, home }: Scene): readonly Manifest[] {
  const manifests = localManifests({
    project,
    repository: repositoryName,
    defaultBranch: 'main',
    provider: home.provider,
    owner: home.owner,
    forgeUrl: forge.url,
    forgeApi: home.apiOf(forge),
    token: canaries.botToken,
    webhookSecret: canaries.webhookSecret,
    triggerLabel,
  }) as readonly Manifest[]
  return manifests.map((manifest) =>
    manifest.kind === 'Project' ? { ...manifest, spec: projectSpecOf(manifest) } : manifest,
  )
}

function projectSpecOf({ spec }: Manifest): Manifest['spec'] {
  const scm = { ...spec.scm, reporterLogins: [people.reporter, people.stranger] }
  return { ...spec, scm, maxConcurrentAgents: 500 } as Manifest['spec']
}

async function prepare(scene: Scene): Promise<void> {
  const { runtime, url } = scene
  for (const body of manifestsOf(scene)) {
    const headers = { authorization: `Bearer ${canaries.operatorToken}`, 'content-type': 'application/json' }
    const answer = await fetch(`${url}/resources`, { method: 'PUT', headers, body: JSON.stringify(body) })
    if (answer.status !== 200) throw new Error(`a manifest was refused: ${await answer.text()}`)
  }
  await scene.until('the Project is ready', async () =>
    isReady((await runtime.read(`project:default/${project}`))?.path),
  )
  await scene.quiet()
}

function users(): { login: string; token: string }[] {
  return [
    { login: people.bot, token: canaries.botToken },
    { login: people.maintainer, token: canaries.maintainerToken },
    ...[people.owner, people.reporter, people.stranger].map((login) => ({ login, token: `token-of-${login}` })),
  ]
}

export async function createRepository(
  { forge, home: { dialect, owner } }: Pick<Scene, 'forge' | 'home'>,
  name: string,
  fromPath: string,
): Promise<void> {
  await forge.createRepository({
    dialect,
    owner,
    name,
    fromPath,
    permissions: {
      [people.bot]: 'admin',
      [people.maintainer]: 'admin',
      [people.reporter]: 'write',
      [people.stranger]: 'write',
    },
    labels: [{ name: triggerLabel, color: '5319e7' }],
    ci: { enabled: false },
  })
}
