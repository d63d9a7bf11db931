/** Opens what the orchestrator of a process needs (store, keys, pods, listeners), wires it and lets it go. */
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { podTokens } from '../../edges/agents/pod-tokens.ts'
import { bearer } from '../../http/auth/authenticate.ts'
import { codeFlow, type CodeFlowOptions } from '../../http/auth/code-flow.ts'
import { knownIssuer, type KnownIssuer } from '../../http/auth/known-issuer.ts'
import { oidcVerifier } from '../../http/auth/oidc.ts'
import { clientCredentials } from '../../http/token-source.ts'
import { openSpanExporter } from '../../http/tracing/exporter.ts'
import { detectIsolation, type Isolation } from '../../edges/local/isolation.ts'
import { localMemoryStacks } from '../../edges/local/memory-stacks.ts'
import { LocalPods, type LocalPodsOptions } from '../../edges/local/pods.ts'
import type { MemoryStacks } from '../../edges/ports/memory-stacks.ts'
import { localSecrets } from '../../edges/local/secrets.ts'
import { createTracing } from '../../edges/telemetry/tracing.ts'
import { openPgHints } from '../../runtime/store/postgres/pg-hints.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { localPlace, type LocalPlaceOptions } from '../places/local.ts'
import type { Place } from '../places/place.ts'
import type { OrchestratorSettings } from '../settings/settings.ts'
import { closingOnFailure, type Opened } from '../../runtime/closing.ts'
import { composeOrchestrator } from './compose.ts'
import type { OrchestratorParts, OrchestratorPorts } from './setup.ts'
import { loadKeys } from './keys.ts'
import { printOf } from '../../edges/schedule/model-key.ts'
import { openStore } from './store.ts'

export interface Orchestrator {
  readonly url: string
  readonly internalUrl: string
  readonly runtime: Runtime
  readonly isolation: Isolation
  readonly durability: string
  /** Resolves when the store can be used no more by this process. */
  readonly lost: Promise<Error>
  /** A link that signs a browser in, once. */
  readonly inspectorLink: () => string
  stop(): Promise<void>
}

export function startOrchestrator(settings: OrchestratorSettings, ports: OrchestratorPorts): Promise<Orchestrator> {
  return closingOnFailure(ports.clock, (opened) => start(settings, ports, opened))
}

async function start(settings: OrchestratorSettings, ports: OrchestratorPorts, opened: Opened): Promise<Orchestrator> {
  const { clock, logger, version, programDir } = ports
  const { otlpEndpoint: endpoint } = settings
  const spans = endpoint === '' ? undefined : await openSpanExporter({ service: 'orchestrator', version, endpoint })
  if (spans) opened(() => spans.stop())
  const tracing = spans && createTracing({ exporter: spans, clock, logger, runtime: () => composed.runtime })
  const fetch = tracing ? tracing.fetch(ports.fetch) : ports.fetch
  const keys = await loadKeys(settings)
  const sql = await openStore(settings, logger)
  opened(() => sql.close())
  const tokens = podTokens(keys.signing, clock, ports.ids)
  const isolation = isolationOf(settings, programDir)
  const { issuer, audience, algorithms, clientId, clientSecret: secret, wrapperAudience } = settings.oidc
  const provider = knownIssuer({ issuer, clock, fetch, logger, random: ports.random })
  opened(() => provider.stop())
  const wrapperTokens = clientCredentials({
    tokenUrl: async () => (await provider.metadata()).token_endpoint,
    clientId,
    secret,
    audience: wrapperAudience,
    clock,
    fetch,
  })
  const hints =
    settings.databaseUrl === ''
      ? undefined
      : openPgHints({
          url: settings.databaseUrl,
          answerMs: settings.databaseAnswerMs,
          owner: ports.owner,
          clock,
          random: ports.random,
          logger,
        })
  if (hints) opened(() => hints.close())

  const verifyOidc = oidcVerifier({ issuer, audience, algorithms, clock, fetch })
  const composed = await composeOrchestrator(settings, ports, {
    sql,
    place: await placeOf(settings, ports, {
      sql,
      authenticate: bearer(verifyOidc),
      pods: ({ inputs }) => localPods(settings, ports, { inputs, isolation }),
    }),
    podTokens: tokens,
    callbackMaster: keys.callbackMaster,
    modelKey: printOf(settings.modelKey || settings.oauthToken, keys.callbackMaster),
    sessionKey: keys.sessionKey,
    wrapperToken: () => wrapperTokens.token(),
    ...identityOf(settings, provider, { verifyAccessToken: verifyOidc, clock, fetch }),
    ...(hints ? { hint: hints.hint } : {}),
    ...(tracing ? { tracing } : {}),
  })

  opened(() => composed.stop())
  await composed.start()
  hints?.listen(() => composed.runtime.wake())
  const inside = await composed.inside.listen(settings.internal)
  const outside = await composed.outside.listen(settings.http)
  composed.listening({ operator: outside.url, internal: inside.url })
  await composed.begin()

  return {
    url: composed.publicUrl(),
    internalUrl: inside.url,
    runtime: composed.runtime,
    isolation,
    durability: sql.durability,
    lost: sql.lost ?? new Promise<never>(() => undefined),
    inspectorLink: composed.inspectorLink,
    async stop() {
      provider.stop()
      await composed.stop()
      await hints?.close()
      await tracing?.idle()
      await sql.close()
      await spans?.stop()
    },
  }
}

/** Who people are, and what is known of the provider that says so. */
function identityOf(
  { inspector, oidc: { issuer, algorithms } }: OrchestratorSettings,
  { metadata, missing }: KnownIssuer,
  parts: Pick<CodeFlowOptions, 'verifyAccessToken' | 'clock' | 'fetch'>,
): Pick<OrchestratorParts, 'verifyOidc' | 'degraded' | 'codeFlow'> {
  const known = { verifyOidc: parts.verifyAccessToken, degraded: missing }
  if (inspector.clientId === '') return known
  return { ...known, codeFlow: codeFlow({ ...inspector, ...parts, metadata, issuer, algorithms }) }
}

/** Of memory stacks: 144 bits, which stand in addresses. */
function newPassword(): string {
  return randomBytes(18).toString('base64url')
}

async function placeOf(
  settings: OrchestratorSettings,
  ports: OrchestratorPorts,
  parts: Pick<LocalPlaceOptions, 'sql' | 'authenticate' | 'pods'>,
): Promise<Place> {
  if (settings.place === 'machine')
    return localPlace({
      ...ports,
      ...parts,
      secrets: localSecrets(join(settings.stateDir, 'secrets')),
      memoryStacks: memoryStacksOf(settings, ports),
      unset: settings.skillsRepoUrl === '' ? ['SKILLS_REPO_URL'] : [],
    })
  // Its client costs a second of CPU to import, and one machine has no use for it.
  const { openKubernetesPlace } = await import('../places/kubernetes.ts')
  return openKubernetesPlace(settings.kubernetes, { ...ports, ...parts, localPods: parts.pods, newPassword })
}

/** Nobody could ask a service whose tokens nobody gets. */
function memoryStacksOf(
  { stateDir, databaseUrl, memory, oidc: { issuer } }: OrchestratorSettings,
  { programDir, clock, random, fetch, memoryEnv = {} }: OrchestratorPorts,
): MemoryStacks | undefined {
  const { audience, clientId, clientSecret, localPort: firstPort } = memory
  if (audience === '' || clientId === '' || clientSecret === '') return undefined
  const command = [process.execPath, join(programDir, 'bin', 'statewright.mjs'), 'memory']
  const root = join(stateDir, 'memory')
  const given = { issuer, audience, env: memoryEnv, databaseServer: databaseUrl, firstPort }
  return localMemoryStacks({ root, command, ...given, clock, random, fetch })
}

function localPods(
  { stateDir, coveredDir, userHome }: OrchestratorSettings,
  { programDir, clock, random, logger }: OrchestratorPorts,
  wiring: Pick<LocalPodsOptions, 'inputs' | 'isolation'>,
): LocalPods {
  const command = [process.execPath, join(programDir, 'bin', 'statewright.mjs'), 'wrapper']
  return new LocalPods({ ...wiring, stateDir, coveredDir, programDir, userHome, command, clock, random, logger })
}

function isolationOf(settings: OrchestratorSettings, programDir: string): Isolation {
  const { stateDir, coveredDir, userHome } = settings
  const pods = join(stateDir, 'pods')
  mkdirSync(pods, { recursive: true, mode: 0o700 })
  const probe = { pod: pods, workspace: pods, program: programDir, state: coveredDir, home: userHome }
  const found = settings.isolation === 'none' ? 'none' : detectIsolation(probe)
  if (settings.isolation === 'required' && found === 'none') {
    throw new Error(
      'this machine refuses namespaces (unshare with mount and process namespaces), so the orchestrator cannot isolate pods. A real model then needs --unsafe-no-isolation; the agent’s commands can then read the model key and your files',
    )
  }
  return found
}
