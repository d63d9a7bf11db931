/**
 * The orchestrator as it is started, in this process, with the local forge and identity provider before it and pods
 * that hold a quiet wrapper instead of an agent. Everything is real but the agent. Test code only.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { clientCredentials } from '../../http/token-source.ts'
import { createLogger } from '../../http/operational/logging.ts'
import { PodFolder, podFolders } from '../../edges/local/pod-folder.ts'
import { isAlive, signal } from '../../edges/local/processes.ts'
import type { ActorKind } from '../../machines/definition.ts'
import { isReady } from '../../machines/project/machine.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import { systemClock, type Clock } from '../../runtime/clock.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { localManifests } from '../../standins/manifests.ts'
import { people } from '../../standins/people.ts'
import { programDir } from '../../cli/program.ts'
import type { OrchestratorSettings } from '../settings/settings.ts'
import { startForge, type Forge } from '../../standins/forge/forge.ts'
import { commit, run } from '../../standins/forge/testing/fixture.ts'
import { startIdentity, type Identity, type IdentityClient } from '../../standins/identity/identity.ts'
import { startOrchestrator, type Orchestrator } from '../wiring/start.ts'
import type { Fetch } from '../../http/ports.ts'
import { portsForTests } from './ports.ts'
import { settingsForTests } from './settings.ts'
import { untilOf, type Until } from './until.ts'
import { idOfName } from '../../crd/resource-id.ts'

const audiences = { operator: 'urn:statewright:operator', wrapper: 'urn:statewright:wrapper' } as const
export const repository = `${people.owner}/duration`
export const hookSecret = 'the secret of the hook'

export interface Answer {
  readonly status: number
  readonly type: string
  readonly headers: Headers
  readonly body: Record<string, unknown>
}

export interface Asked {
  readonly method?: string
  readonly token?: string
  /** Sent as JSON, or as it is when it is text. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface PodUnderTest {
  readonly id: string
  readonly token: string
  readonly callbackSecret: string
  /** Ends the turn that runs there; the wrapper then calls back. */
  endTurn(finalText?: string, outputTokens?: number): Promise<void>
  /** The same of a turn that the provider did not answer; `resetsAt` is RFC 3339. */
  failTurn(stopReason: string, message: string, resetsAt?: string): Promise<void>
  /** Fields that its session has from now on. */
  addToSession(fields: object): Promise<void>
  turns(): Promise<
    readonly {
      readonly turnId: string
      readonly text: string
      readonly idempotencyKey: string
      readonly completedAt?: string
    }[]
  >
}

export interface OrchestratorFixture {
  readonly dir: string
  readonly forge: Forge
  /** Of the process that lives now. */
  readonly orchestrator: Orchestrator
  readonly runtime: Runtime
  /** Everything that was logged, as text. */
  log(): string
  /** A token of a person for the operator's API, and one for another audience. */
  operatorToken(): Promise<string>
  wrapperToken(): Promise<string>
  call(path: string, asked?: Asked): Promise<Answer>
  internal(path: string, asked?: Asked): Promise<Answer>
  readonly until: Until
  /** Nothing is on its way: webhooks are sent and worked off, effects are settled. */
  quiet(): Promise<void>
  /** Everything that a refused input may not change. */
  fingerprint(): Promise<string>
  task(): Promise<TaskContext | undefined>
  /** The pod of this ordinal, its first turn accepted. */
  podAtWork(ordinal: number): Promise<PodUnderTest>
  /** The same of the Task of this name; of another namespace than `default`, `<namespace>/<name>`. */
  podOf(name: string, ordinal: number): Promise<PodUnderTest>
  /** A Task made by hand, as a cron tick would make it; throws where it is refused. */
  applyTask(name: string, kind: string, goal?: string): Promise<void>
  /** Stops the orchestrator, and starts it again where it listened, once `meanwhile` is over; `changed` settings stand from then on. */
  restart(meanwhile: () => Promise<void> | void, changed?: Partial<OrchestratorSettings>): Promise<void>
  stop(): Promise<void>
}

const actorKinds: readonly ActorKind[] = ['task', 'pod', 'turn', 'queue', 'issue', 'merge-request', 'project']
/** A machine with other work takes ten times as long; a test has 90 seconds. */
const waitLimitMs = 60_000
const lookEveryMs = 50

/** What stands around the orchestrator in place of what the fixture has. */
export interface OrchestratorFixtureOptions {
  /** Where the pods look for their program. */
  readonly programDir?: string
  /** Who else may ask for tokens. */
  readonly clients?: readonly IdentityClient[]
  /** In place of the Projects that the fixture applies over HTTP. */
  readonly prepare?: (fixture: OrchestratorFixture) => Promise<void>
  /** The orchestrator's; absent: that of the machine. */
  readonly clock?: Clock
  readonly fetch?: Fetch
  /** Settings that need the identity provider's address. */
  readonly settingsFor?: (identity: Identity) => Promise<Partial<OrchestratorSettings>>
}

/** `settings` in place of the fixture's own. */
export async function startOrchestratorFixture(
  settings: Partial<OrchestratorSettings> = {},
  around: OrchestratorFixtureOptions = {},
): Promise<OrchestratorFixture> {
  const dir = mkdtempSync(join(tmpdir(), 'orchestrator-test-'))
  const forge = await startForge({ dir: join(dir, 'forge'), seed: { users: users() } })
  await serve(forge, dir)
  const identity = await startIdentity({
    clients: [
      { clientId: 'orchestrator', secret: 'o', audiences: [audiences.wrapper] },
      { clientId: 'cli', secret: 'c', audiences: [audiences.operator] },
      ...(around.clients ?? []),
    ],
  })
  const logFile = join(dir, 'orchestrator.log')
  const logger = createLogger({
    name: 'orchestrator',
    level: 'info',
    destination: { write: (line: string) => writeFileSync(logFile, line, { flag: 'a' }) } as never,
  })
  const stateDir = join(dir, 'state')
  const given = { ...settingsOf(dir, identity.issuer), ...settings, ...(await around.settingsFor?.(identity)) }
  const start = (at: Partial<OrchestratorSettings> = {}): Promise<Orchestrator> =>
    startOrchestrator(
      { ...given, ...at },
      portsForTests({
        clock: around.clock ?? systemClock,
        fetch: around.fetch ?? fetch,
        logger,
        programDir: around.programDir ?? quietProgram(dir),
      }),
    )
  let orchestrator = await start()
  const tokens = (clientId: string, secret: string, audience: string): Promise<string> =>
    clientCredentials({ tokenUrl: identity.tokenUrl, clientId, secret, audience, clock: systemClock, fetch }).token()

  const until = untilOf(() => orchestrator.runtime, { waitLimitMs, lookEveryMs })

  async function quiet(): Promise<void> {
    await until('nothing is on its way', async () => {
      const before = await state()
      await forge.idle()
      if ((await orchestrator.runtime.pendingEffects()).some((effect) => effect.state !== 'dead')) return false
      return (await state()) === before && (await isStill(before))
    })
  }

  /** Deliveries are worked off without a trace in the runtime, and on a busy machine not at once: look a few times. */
  async function isStill(before: string): Promise<boolean> {
    for (let look = 0; look < 4; look++) {
      await new Promise((resolve) => setTimeout(resolve, 3 * lookEveryMs))
      if ((await state()) !== before) return false
    }
    return true
  }

  async function state(): Promise<string> {
    const { runtime } = orchestrator
    const actors = await Promise.all(actorKinds.map((kind) => runtime.list(kind, { limit: 500 })))
    const [effects, dead] = [await runtime.pendingEffects(), await runtime.deadLetters()]
    const rows = actors.flat().map(({ address, seq, path }) => `${address} ${seq} ${path}`)
    return [
      ...rows,
      ...effects.map(({ key, attempts }) => `${key} ${attempts}`),
      `dead ${dead.length}`,
      `forge ${forge.audit().length}`,
    ].join('\n')
  }

  async function task(): Promise<TaskContext | undefined> {
    const [view] = await orchestrator.runtime.list('task', { limit: 1 })
    return view?.context as TaskContext | undefined
  }

  const fixture: OrchestratorFixture = {
    dir,
    forge,
    get orchestrator() {
      return orchestrator
    },
    get runtime() {
      return orchestrator.runtime
    },
    log: () => readFileSync(logFile, 'utf8'),
    operatorToken: () => tokens('cli', 'c', audiences.operator),
    wrapperToken: () => tokens('orchestrator', 'o', audiences.wrapper),
    call: (path, asked) => ask(orchestrator.url, path, asked),
    internal: (path, asked) => ask(orchestrator.internalUrl, path, asked),
    until,
    quiet,
    fingerprint: async () => `${await state()}\n${await resourcesOf()}`,
    task,
    podAtWork: async (ordinal) => podOf((await until('a Task', task)).id, ordinal),
    podOf: (name, ordinal) => podOf(idOfName(name), ordinal),
    async applyTask(name, kind, goal = `The goal of ${name}`) {
      const { status, body } = await fixture.call('/resources', {
        method: 'PUT',
        token: await fixture.operatorToken(),
        body: {
          apiVersion: 'platform.dev/v1alpha1',
          kind: 'Task',
          metadata: { name, namespace: 'default' },
          spec: { projectRef: 'demo', kind, goal, repositories: ['duration'] },
        },
      })
      if (status !== 200) throw new Error(`the Task ${name} was refused: ${JSON.stringify(body)}`)
    },
    async restart(meanwhile, changed = {}) {
      const { port } = new URL(orchestrator.url)
      await orchestrator.stop()
      await meanwhile()
      orchestrator = await start({ http: { ...given.http, port: Number(port) }, ...changed })
    },
    stop: async () => {
      await orchestrator.stop()
      for (const { process: one } of podFolders(join(stateDir, 'pods')))
        if (one !== undefined && isAlive(one)) signal(one, 'SIGKILL')
      await Promise.all([forge.close(), identity.close()])
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
    },
  }

  async function podOf(task: string, ordinal: number): Promise<PodUnderTest> {
    const pod = `${task}/${ordinal}`
    await until(`the first turn of pod ${pod}`, async () =>
      (await orchestrator.runtime.read(`turn:${pod}/0`))?.path.startsWith('open.running'),
    )
    return podUnderTest(join(stateDir, 'pods'), pod)
  }

  async function resourcesOf(): Promise<string> {
    const token = await fixture.operatorToken()
    const lists = await Promise.all(
      ['projects', 'repositories', 'tasks'].map((kind) => fixture.call(`/resources/${kind}`, { token })),
    )
    return lists
      .map(({ body }) =>
        JSON.stringify(
          (body['items'] as { metadata: unknown; spec: unknown }[]).map(({ metadata, spec }) => ({ metadata, spec })),
        ),
      )
      .join('\n')
  }

  try {
    await (around.prepare ?? prepare)(fixture)
  } catch (error) {
    await fixture.stop()
    throw error
  }
  return fixture
}

/** The Project of the fixture with its Secret and its Repository. */
export function ownManifests(forge: Forge): readonly object[] {
  return localManifests({
    project: 'demo',
    repository: 'duration',
    defaultBranch: 'main',
    forgeUrl: forge.url,
    forgeApi: forge.apiUrl,
    token: botToken,
    webhookSecret: hookSecret,
    triggerLabel: 'platform',
  })
}

/** The Project of the fixture, with more in its spec. */
export function projectWith(forge: Forge, { scm, ...spec }: { readonly scm?: object }): object {
  const [, plain] = ownManifests(forge) as { spec: { scm: object } }[]
  return { ...plain, spec: { ...plain!.spec, ...spec, scm: { ...plain!.spec.scm, ...scm } } }
}

/** A Project that works, and two without their Secrets. */
async function prepare(fixture: OrchestratorFixture): Promise<void> {
  const token = await fixture.operatorToken()
  const scm = {
    owner: people.owner,
    botLogin: people.bot,
    maintainerLogins: [people.maintainer],
    apiURL: fixture.forge.apiUrl,
    webURL: fixture.forge.url,
  }
  const other = (name: string): object => ({
    apiVersion: 'platform.dev/v1alpha1',
    kind: 'Project',
    metadata: { name },
    spec: { scmSecretRef: `${name}-scm`, scm: { ...scm, provider: 'forge_a' } },
  })
  for (const manifest of [...ownManifests(fixture.forge), other('elsewhere'), other('keyless')]) {
    const { status, body } = await fixture.call('/resources', { method: 'PUT', token, body: manifest })
    if (status !== 200) throw new Error(`a manifest was refused: ${JSON.stringify(body)}`)
  }
  await fixture.until('the Project is ready', async () =>
    isReady((await fixture.runtime.read('project:default/demo'))?.path),
  )
  await fixture.quiet()
}

const botToken = 'token-of-the-bot'

function users(): { login: string; token: string; type?: 'Bot' }[] {
  return [
    { login: people.bot, token: botToken },
    ...[people.owner, people.maintainer, people.reporter, people.stranger].map((login) => ({
      login,
      token: `token-of-${login}`,
    })),
  ]
}

async function serve(forge: Forge, dir: string): Promise<void> {
  const source = join(dir, 'source')
  mkdirSync(source)
  await run(source, ['init', '--quiet', '--initial-branch=main'])
  await commit(source, { 'readme.md': 'Durations.\n' }, 'Start')
  await forge.createRepository({
    owner: people.owner,
    name: 'duration',
    fromPath: source,
    // The stranger may label: so it is the platform's own gate that keeps him out.
    permissions: {
      [people.bot]: 'admin',
      [people.maintainer]: 'admin',
      [people.reporter]: 'triage',
      [people.stranger]: 'triage',
    },
    labels: [{ name: 'platform', color: '5319e7' }],
    ci: { enabled: false },
  })
}

/** Where the pods look for their program: it runs the quiet wrapper of this folder. */
function quietProgram(dir: string): string {
  const bin = join(dir, 'program', 'bin')
  mkdirSync(bin, { recursive: true })
  const wrapper = pathToFileURL(join(programDir, 'orchestrator', 'testing', 'quiet-wrapper.ts')).href
  writeFileSync(join(bin, 'statewright.mjs'), `await import(${JSON.stringify(wrapper)})\n`)
  return join(dir, 'program')
}

export function settingsOf(dir: string, issuer: string): OrchestratorSettings {
  const { operator: audience, wrapper: wrapperAudience } = audiences
  const oidc = { issuer, audience, wrapperAudience, clientId: 'orchestrator', clientSecret: 'o' }
  return settingsForTests(dir, { oidc, logLevel: 'info' })
}

async function ask(base: string, path: string, { method, token, body, headers = {} }: Asked = {}): Promise<Answer> {
  const answer = await fetch(new URL(path, base), {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined
      ? {}
      : { body: typeof body === 'string' || body instanceof Uint8Array ? (body as never) : JSON.stringify(body) }),
  })
  const text = await answer.text()
  const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? ''
  return {
    status: answer.status,
    type,
    headers: answer.headers,
    body: type.endsWith('json') ? (JSON.parse(text) as Record<string, unknown>) : { text },
  }
}

function podUnderTest(root: string, pod: string): PodUnderTest {
  const folder = new PodFolder(root, pod)
  const url = folder.url() ?? ''
  const end = async (body: object): Promise<void> => {
    const { status } = await ask(url, '/_end', { body })
    if (status !== 200) throw new Error(`no turn runs at ${pod}`)
  }
  return {
    id: pod,
    token: readFileSync(join(folder.path, 'pod-token'), 'utf8'),
    callbackSecret: readFileSync(join(folder.path, 'callback-secret'), 'utf8'),
    endTurn: (finalText = 'done', outputTokens = 0) => end({ finalText, outputTokens }),
    failTurn: (stopReason, message, resetsAt) =>
      end({ failure: { stopReason, error: { code: stopReason, message, ...(resetsAt ? { resetsAt } : {}) } } }),
    addToSession: async (body) => void (await ask(url, '/_session', { body })),
    turns: async () => (await ask(url, '/_turns')).body['items'] as Awaited<ReturnType<PodUnderTest['turns']>>,
  }
}
