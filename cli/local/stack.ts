/**
 * Everything on one machine: forge, identity provider and model as stand-ins in this process, the orchestrator as a
 * child that is started again when it dies, pods as its detached children.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import {
  startForge,
  startIdentity,
  startModel,
  type Forge,
  type Identity,
  type Model,
  type Scenario,
} from './standins.ts'
import { systemClock } from '../../runtime/clock.ts'
import { localConnection, orchestratorClient, type OrchestratorClient } from '../server/client.ts'
import { closingOnFailure, type Opened } from '../../runtime/closing.ts'
import { programDir, version } from '../program.ts'
import { startCluster, type Cluster } from './cluster/cluster.ts'
import type { GivenCluster } from './cluster/given-cluster.ts'
import { lightStack, stackSettings } from './cluster/memory-stack.ts'
import { databaseFor } from '../../edges/local/memory/database.ts'
import { runningMemories } from '../../edges/local/memory/folder.ts'
import { memorySettings } from '../../edges/local/memory/settings.ts'
import { endMemories, endPods } from './processes/end-detached.ts'
import { findEndpoints, writeEndpoints, type Endpoints } from './endpoints.ts'
import type { ReleaseImages } from './cluster/images.ts'
import type { Release } from './cluster/release.ts'
import { buildOnce } from './cluster/servers.ts'
import { headBranch, seedRepository } from './git-seed.ts'
import { dialectOf, ownerIn, providers, type ForgeChoice } from './forge-choice.ts'
import { loadLocalSecrets } from './local-secrets.ts'
import { logFile } from './processes/log-file.ts'
import { localManifests, type LocalManifest, type LocalProject } from '../../standins/manifests.ts'
import { Type } from 'typebox'
import { kindNamed } from '../../crd/kinds.ts'
import { ApiError } from '../../http/problems/api-error.ts'
import { wallsOf, type ModelChoice } from './model-choice.ts'
import { people } from '../../standins/people.ts'
import { makePeople, writePeople, type PeopleFile } from './people-file.ts'
import { loopback, podAddresses, reachable, type PodAddresses } from './processes/pod-addresses.ts'
import { choosePorts, portOf, type Ports } from './processes/ports.ts'
import { keepEarlierMemory, memoryOf, memoryRoot } from './memory.ts'
import { project, triggerLabel } from './stack-names.ts'
import { whileNamed } from './processes/while-named.ts'
import { Supervisor } from './processes/supervisor.ts'
import { passedOn } from '../../orchestrator/settings/settings-schema.ts'

export interface StackOptions {
  readonly dir: string
  readonly scenario: Scenario
  /** What the local forge speaks; absent: what it spoke in this folder before, else GitHub's. */
  readonly forge?: ForgeChoice
  /** A local repository to serve; absent: the scenario's own. */
  readonly repository?: string
  /** 0: any free ones. */
  readonly port: number
  readonly model: ModelChoice
  readonly unsafeNoIsolation: boolean
  readonly testCommand?: string
  /** Of the Project (spec.spending). */
  readonly spending?: LocalProject['spending']
  /** Pods of a Kubernetes in place of processes of this machine: of one that starts with the stack, or of a given one. */
  readonly kubernetes?: 'own' | GivenCluster | undefined
  /** With one of its own: Helm installs the built release there. */
  readonly chart?: boolean
  /** The memory service beside the orchestrator (MEMORY-RULE-8). */
  readonly memory?: boolean
  /** With a Kubernetes of its own: a light memory stack in pods there. */
  readonly memoryStack?: boolean
  readonly onLine: (line: Record<string, unknown>) => void
  /** What takes long, in words. */
  readonly onNotice?: (text: string) => void
}

export interface Stack {
  readonly dir: string
  /** Of its resources. */
  readonly namespace: string
  readonly cluster: Cluster | undefined
  readonly project: string
  readonly repository: string
  /** Of the repository, as the forge names it: `owner/name`. */
  readonly fullName: string
  /** What its forge speaks. */
  readonly dialect: ForgeChoice
  readonly defaultBranch: string
  /** Path of the bare repository on disk. */
  readonly barePath: string
  readonly triggerLabel: string
  readonly forge: Forge
  readonly model: Model | undefined
  readonly orchestrator: OrchestratorProgram
  /** What Helm installed; absent: the orchestrator is a process of this machine. */
  readonly release: Release | undefined
  readonly client: OrchestratorClient
  readonly endpoints: Endpoints
  readonly ready: Readonly<Record<string, unknown>>
  /** Resolves with what could not be removed, in words. */
  stop(): Promise<readonly string[]>
}

export const audiences = {
  operator: 'urn:statewright:operator',
  wrapper: 'urn:statewright:wrapper',
  memory: 'urn:statewright:memory',
} as const
/** Two stores are made anew at a first start, on a machine that may be busy. */
const readyLimitMs = 120_000
/** Of a start that failed: a little longer than a supervisor gives its program. */
const partLimitMs = 60_000

/** What the stand-ins of a stack are. */
interface StandIns {
  readonly forge: Forge
  readonly served: Served
  readonly identity: Identity
  readonly model: Model | undefined
}

/** What chaos ends, and how often another followed. */
type OrchestratorProgram = Pick<Supervisor, 'pid' | 'restarts' | 'kill'>

interface Programs {
  readonly orchestrator: OrchestratorProgram
  readonly release?: Release
  /** The line in which the orchestrator says so. */
  readonly ready: Promise<Record<string, unknown>>
  /** Resolves with what it left, in words. */
  stop(): Promise<readonly string[]>
}

type Secrets = ReturnType<typeof loadLocalSecrets>

/** Nothing is left running of a start that failed: nobody would end it. */
export function startStack(options: StackOptions): Promise<Stack> {
  return closingOnFailure(systemClock, (opened) => start(options, opened), partLimitMs)
}

async function start(options: StackOptions, opened: Opened): Promise<Stack> {
  const { dir } = options
  // Before anything is written or opened: a path with a typo is the usual reason of a failed start.
  const branch = options.repository === undefined ? undefined : await branchOf(options.repository)
  const given = typeof options.kubernetes === 'object' ? options.kubernetes : undefined
  const addresses = given === undefined ? loopback : await addressesIn(given)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const earlier = findEndpoints(dir)
  const listen = given === undefined ? {} : { listen: addresses.listen }
  keepEarlierMemory(dir)
  // An orchestrator that was killed leaves its service, and the next one goes on with it.
  const left = runningMemories(memoryRoot(dir)).map(({ record }) => record.port)
  const ports = await choosePorts({ port: options.port, memory: options.memory === true, left, ...listen })
  const secrets = loadLocalSecrets(dir)
  const signInCode = randomBytes(16).toString('hex')
  const write = options.onNotice ?? (() => undefined)
  const standIns = await whileNamed(
    write,
    'the forge, the identity provider and the model start',
    openStandIns(options, { secrets, signInCode, earlier, branch, opened, addresses, ports }),
  )
  const { forge, identity, model, served } = standIns
  const images = options.chart ? await prepareRelease(dir, write) : undefined
  const { memoryStack = false, kubernetes } = options
  const inCluster = { dir, given, release: images, memoryStack, write, opened }
  const cluster = kubernetes ? await startCluster(inCluster) : undefined
  const around = { secrets, cluster, addresses, opened }
  const programs =
    cluster === undefined || images === undefined
      ? await startPrograms(options, ports, standIns, around)
      : await startInstalled(options, ports, standIns, { secrets, cluster, images, opened })
  const stores = earlier === undefined ? 'new stores are made' : 'the stores open'
  const ready = await whileNamed(write, `the orchestrator starts; ${stores}`, programs.ready)
  const at = reachable(addresses.listen)
  const known = endpointsOf(ports, standIns, { clientSecret: secrets.cli, signInCode, at })
  const client = orchestratorClient(localConnection(known, version()))
  const { defaultBranch, dialect, fullName, name: repository, path: barePath } = served
  const local = {
    project,
    repository,
    defaultBranch,
    provider: providers[served.dialect],
    owner: ownerIn(served.dialect),
    forgeUrl: forge.url,
    forgeApi: known.forgeApi,
    token: secrets.token,
    webhookSecret: secrets.hook,
    triggerLabel,
    ...(options.memory === true ? { memory: {} } : memoryStack ? { memory: lightStack } : {}),
    ...(options.spending === undefined ? {} : { spending: options.spending }),
  }
  if (cluster) await cluster.apply(localManifests(local))
  else for (const manifest of localManifests(local)) await applyOwn(client, manifest)
  const memory = options.memory
    ? { memory: await whileNamed(write, 'the memory starts', memoryOf(client, dir)), memoryAudience: audiences.memory }
    : {}
  const endpoints = { ...known, ...memory }
  writeEndpoints(dir, endpoints)
  const { orchestrator } = programs
  const { namespace } = cluster ?? { namespace: 'default' }
  const ours = { repository, fullName, dialect, defaultBranch, barePath }
  const names = { dir, namespace, cluster, project, triggerLabel, ...ours }
  const stop = async (): Promise<readonly string[]> => {
    const left = await programs.stop()
    const ofCluster = (await cluster?.stop()) ?? []
    await Promise.all([forge.close(), identity.close(), model?.close()])
    return [...left, ...ofCluster]
  }
  return { ...names, forge, model, orchestrator, release: programs.release, client, endpoints, ready, stop }
}

const fields = Type.Record(Type.String(), Type.Unknown())
const Existing = Type.Object({ spec: Type.Intersect([fields, Type.Object({ scm: Type.Optional(fields) })]) })

/** What people changed in it since the first start stays: only addresses are of this start. */
async function applyOwn(client: OrchestratorClient, manifest: LocalManifest): Promise<void> {
  const { kind, metadata, spec } = manifest
  const plural = kindNamed(kind)?.plural
  const there =
    spec === undefined || plural === undefined
      ? undefined
      : await client.ask(Existing, 'GET', `/resources/${plural}/default/${metadata.name}`).catch(ifMissing)
  const kept = there && {
    ...manifest,
    spec: {
      ...there.spec,
      ...(spec?.memory === undefined || there.spec['memory'] !== undefined ? {} : { memory: spec.memory }),
      ...(spec?.url === undefined ? {} : { url: spec.url }),
      ...(spec?.scm === undefined
        ? {}
        : { scm: { ...there.spec.scm, apiURL: spec.scm.apiURL, webURL: spec.scm.webURL } }),
    },
  }
  await client.call('PUT', '/resources', kept ?? manifest)
}

function ifMissing(error: unknown): undefined {
  if (error instanceof ApiError && error.status === 404) return undefined
  throw error
}

async function openStandIns(
  options: StackOptions,
  given: {
    readonly secrets: Secrets
    readonly signInCode: string
    readonly earlier: Endpoints | undefined
    readonly branch: string | undefined
    readonly opened: Opened
    /** Of identity provider and model. Pods never reach the forge: their git goes through the orchestrator. */
    readonly addresses: PodAddresses
    readonly ports: Ports
  },
): Promise<StandIns> {
  const { dir } = options
  const { secrets, signInCode, earlier, branch, opened, addresses, ports } = given
  const persons = makePeople([people.maintainer, people.reporter, people.stranger])
  // Addresses of the forge are in the resources and in what it told; an earlier start's are kept.
  const forge = await startForge({
    dir: join(dir, 'forge'),
    port: await portOf(earlier?.forge),
    seed: { users: users(secrets.token, persons) },
    people: Object.entries(persons).map(([login, { key }]) => ({ login, key })),
  })
  opened(() => forge.close())
  writePeople(dir, persons)
  const served = await serveRepository(options, forge, { branch, dialect: dialectOf(dir, options.forge, earlier) })
  const identity = await startIdentity({
    keyFile: join(dir, 'identity-key.json'),
    ...addresses,
    port: ports.identity ?? (await portOf(earlier?.identity)),
    clients: [
      { clientId: 'orchestrator', secret: secrets.operator, audiences: [audiences.wrapper] },
      { clientId: 'pods', secret: secrets.memory, audiences: [audiences.memory] },
      { clientId: 'cli', secret: secrets.cli, audiences: [audiences.operator, audiences.memory] },
    ],
    people: {
      devices: [{ clientId: 'statewright-cli', audiences: [audiences.operator, audiences.memory] }],
      signInCode,
    },
  })
  opened(() => identity.close())
  const model =
    options.model.provider === 'scripted'
      ? await startModel({
          scenario: options.scenario,
          ...addresses,
          port: ports.model ?? (await portOf(earlier?.model)),
          apiKey: secrets.model,
          log: logTo(join(dir, 'model.log')),
        })
      : undefined
  if (model) opened(() => model.close())
  return { forge, served, identity, model }
}

async function startPrograms(
  options: StackOptions,
  ports: Ports,
  { identity, model }: StandIns,
  given: {
    readonly secrets: Secrets
    readonly cluster: Cluster | undefined
    readonly addresses: PodAddresses
    readonly opened: Opened
  },
): Promise<Programs> {
  const { dir } = options
  const { secrets, cluster, addresses, opened } = given
  const isReady = Promise.withResolvers<Record<string, unknown>>()
  // Of its own: one program may fail after the other was ready.
  const failure = Promise.withResolvers<never>()
  const server = cluster?.databaseUrl ?? (process.env['DATABASE_URL'] || undefined)
  const databaseUrl = server === undefined ? undefined : await databaseFor(server, dir)
  const orchestrator = orchestratorSupervisor(options, {
    env: {
      ...orchestratorEnv(options, { ports, identity, model, secrets, databaseUrl }),
      ...(cluster === undefined ? {} : { ...cluster.settings, ...listenersOf(options, ports, addresses) }),
    },
    ready: isReady.resolve,
    failed: failure.reject,
  })
  const endDetached = async (): Promise<void> =>
    void (await Promise.all([endPods(join(dir, 'state', 'pods')), endMemories(memoryRoot(dir))]))
  opened(endDetached)
  opened(() => orchestrator.stop())
  orchestrator.start()
  const isLate = new Error(`the programs were not ready within ${readyLimitMs / 1000} s; their logs are in ${dir}`)
  const limit = setTimeout(() => failure.reject(isLate), readyLimitMs)
  const ready = Promise.race([isReady.promise, failure.promise])
  return {
    orchestrator,
    ready: ready.finally(() => clearTimeout(limit)),
    async stop() {
      await orchestrator.stop()
      await endDetached()
      return []
    },
  }
}

async function prepareRelease(dir: string, write: (text: string) => void): Promise<ReleaseImages> {
  const { buildImages } = await import('./cluster/images.ts')
  await buildOnce('helm.sh', 'Helm from its Go module', 3, write)
  write('building the images of orchestrator and wrapper as folders')
  return buildImages(join(dir, 'images'))
}

/** Beside the cluster's own parts nothing of it is a process that this one started. */
async function startInstalled(
  options: StackOptions,
  ports: Ports,
  { identity, model }: StandIns,
  given: {
    readonly secrets: Secrets
    readonly cluster: Cluster
    readonly images: ReleaseImages
    readonly opened: Opened
  },
): Promise<Programs> {
  const { startRelease } = await import('./cluster/start-release.ts')
  const { release, ready, stop } = await startRelease({
    ...given,
    dir: options.dir,
    ports,
    databaseUrl: await databaseFor(given.cluster.databaseUrl, options.dir),
    issuer: identity.issuer,
    audiences,
    model: options.model,
    modelUrl: model?.url,
    walls: wallsOf(options),
    onLine: options.onLine,
  })
  const orchestrator = {
    pid: undefined,
    kill: () => undefined,
    get restarts() {
      return release.restarts
    },
  }
  return { orchestrator, release, ready, stop }
}

function orchestratorSupervisor(
  { dir, onLine }: StackOptions,
  {
    env,
    ready,
    failed,
  }: {
    readonly env: Readonly<Record<string, string>>
    readonly ready: (line: Record<string, unknown>) => void
    readonly failed: (error: Error) => void
  },
): Supervisor {
  const logFile = join(dir, 'orchestrator.log')
  return new Supervisor({
    command: [process.execPath, join(programDir, 'bin', 'statewright.mjs'), 'orchestrator'],
    cwd: dir,
    env,
    logFile,
    onLine: (line) => {
      if (line['msg'] === 'ready') ready(line)
      onLine(line)
    },
    onFailed: (code) =>
      failed(
        new Error(
          `the orchestrator ended with ${code} before it was ready; its log is ${logFile}:\n${lastLines(logFile)}`,
        ),
      ),
  })
}

function endpointsOf(
  ports: Ports,
  { forge, served, identity, model }: StandIns,
  { clientSecret, signInCode, at }: Pick<Endpoints, 'clientSecret' | 'signInCode'> & { readonly at: string },
): Endpoints {
  return {
    pid: process.pid,
    orchestrator: `http://${at}:${ports.http}`,
    internal: `http://${at}:${ports.internal}`,
    inspector: `http://${at}:${ports.http}/inspector`,
    forge: forge.url,
    forgeApi: served.dialect === 'gitlab' ? forge.gitlabApiUrl : forge.apiUrl,
    identity: identity.issuer,
    model: model?.url ?? '',
    signInCode,
    tokenUrl: identity.tokenUrl,
    clientId: 'cli',
    clientSecret,
    audience: audiences.operator,
  }
}

/** @throws where the cluster cannot take the demo, or this machine does not know the host. */
async function addressesIn(given: GivenCluster): Promise<PodAddresses> {
  await (await import('./cluster/given-cluster.ts')).checkGivenCluster(given)
  return podAddresses(new URL(given.operatorUrl).hostname)
}

/** Of an orchestrator whose pods are of a cluster. */
function listenersOf(
  { kubernetes }: StackOptions,
  { http, internal }: Ports,
  { host, listen }: PodAddresses,
): Readonly<Record<string, string>> {
  const given = typeof kubernetes === 'object' ? kubernetes : undefined
  return {
    HTTP_ADDR: `${listen}:${http}`,
    INTERNAL_ADDR: `${listen}:${internal}`,
    OPERATOR_URL: given?.operatorUrl ?? `http://${host}:${http}`,
    INTERNAL_URL: given?.internalUrl ?? `http://${host}:${internal}`,
  }
}

interface Started {
  readonly ports: Pick<Ports, 'http' | 'internal' | 'memory'>
  readonly identity: Pick<Identity, 'issuer'>
  readonly model: Pick<Model, 'url'> | undefined
  readonly secrets: { readonly operator: string; readonly model: string; readonly memory: string }
  readonly databaseUrl: string | undefined
}

/** What the orchestrator of `up` gets: the operator's settings, and those that `up` decides. */
export function orchestratorEnv(
  options: StackOptions,
  { ports, identity, model, secrets, databaseUrl }: Started,
): Record<string, string> {
  const { dir } = options
  const key = options.model.provider === 'scripted' ? secrets.model : options.model.key
  const keyName =
    options.model.provider === 'anthropic' && options.model.oauth
      ? 'AGENT_RUNTIME_OAUTH_TOKEN_FILE'
      : 'MODEL_PROVIDER_API_KEY_FILE'
  const walls = wallsOf(options)
  return {
    ...passedOn(process.env),
    STATE_DIR: join(dir, 'state'),
    // Beside the state lie the forge's memory, the keys of the identity provider and of the command line.
    COVERED_DIR: coveredDir(dir),
    HTTP_ADDR: `127.0.0.1:${ports.http}`,
    INTERNAL_ADDR: `127.0.0.1:${ports.internal}`,
    OIDC_ISSUER: identity.issuer,
    OIDC_AUDIENCE: audiences.operator,
    WRAPPER_AUDIENCE: audiences.wrapper,
    OIDC_CLIENT_ID: 'orchestrator',
    OIDC_CLIENT_SECRET_FILE: secretFile(dir, 'oidc-client', secrets.operator),
    ...(options.memory ? { ...memorySettings(process.env), LOCAL_MEMORY_PORT: String(ports.memory) } : {}),
    ...(options.memoryStack ? stackSettings() : {}),
    ...(options.memory || options.memoryStack
      ? {
          MEMORY_AUDIENCE: audiences.memory,
          MEMORY_CLIENT_ID: 'pods',
          MEMORY_CLIENT_SECRET_FILE: secretFile(dir, 'memory-client', secrets.memory),
        }
      : {}),
    [keyName]: secretFile(dir, 'model-key', key),
    ...(model === undefined ? {} : { MODEL_BASE_URL: model.url }),
    POD_ISOLATION: walls,
    AGENT_SECLUSION: walls,
    HOME: process.env['HOME'] ?? '/root',
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    ...(databaseUrl === undefined ? {} : { DATABASE_URL_FILE: secretFile(dir, 'database-url', databaseUrl) }),
    // One orchestrator has this store, so after a crash the next goes on under the same name without waiting for the lease.
    OWNER: 'orchestrator',
  }
}

/** State of other runs lies beside this one's: their keys are covered too. */
function coveredDir(dir: string): string {
  return basename(dirname(dir)) === '.statewright' ? dirname(dir) : dir
}

function secretFile(dir: string, name: string, value: string): string {
  mkdirSync(join(dir, 'state'), { recursive: true, mode: 0o700 })
  const path = join(dir, 'state', name)
  writeFileSync(path, value, { mode: 0o600 })
  return path
}

function users(botToken: string, persons: PeopleFile): readonly { login: string; token: string }[] {
  return [
    { login: people.bot, token: botToken },
    ...Object.entries(persons).map(([login, { token }]) => ({ login, token })),
  ]
}

interface Served {
  readonly name: string
  readonly path: string
  readonly fullName: string
  readonly defaultBranch: string
  readonly dialect: ForgeChoice
}

async function branchOf(repository: string): Promise<string> {
  if (!existsSync(repository))
    throw new Error(`there is no folder ${repository}: give a git repository with --repo PATH`)
  return headBranch(repository)
}

async function serveRepository(
  options: StackOptions,
  forge: Forge,
  { branch, dialect }: { readonly branch: string | undefined; readonly dialect: ForgeChoice },
): Promise<Served> {
  const source = options.repository ?? (await seeded(options))
  const name = resourceName(basename(options.repository ?? 'duration'))
  const owner = ownerIn(dialect)
  const { path, fullName, defaultBranch } = await forge.createRepository({
    dialect,
    owner,
    name,
    fromPath: source,
    defaultBranch: branch ?? (await headBranch(source)),
    permissions: {
      [people.bot]: 'admin',
      [people.maintainer]: 'admin',
      [people.reporter]: 'triage',
      [people.stranger]: 'read',
    },
    labels: [{ name: triggerLabel, color: '5319e7', description: 'The platform works on issues with this label' }],
    ...(options.testCommand === undefined ? {} : { ci: { command: options.testCommand } }),
  })
  return { name, path, fullName, defaultBranch, dialect }
}

async function seeded(options: StackOptions): Promise<string> {
  const from = options.scenario.repository
  if (from === undefined) throw new Error('the scenario brings no repository of its own: give one with --repo PATH')
  const to = join(options.dir, 'seed')
  if (!existsSync(to)) await seedRepository(from, to)
  return to
}

/** What Kubernetes takes as a name (NAME-5). */
function resourceName(text: string): string {
  const name = text
    .toLowerCase()
    .replace(/\.git$/, '')
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 30)
  return name === '' ? 'repository' : name
}

function logTo(file: string): (line: object) => void {
  const log = logFile(file)
  return (line) => log.write(`${JSON.stringify({ at: new Date().toISOString(), ...line })}\n`)
}

function lastLines(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').slice(-8).join('\n') : ''
}
