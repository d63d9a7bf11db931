import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bearer } from '../http/auth/authenticate.ts'
import { oidcVerifier } from '../http/auth/oidc.ts'
import type { HttpServer } from '../http/server.ts'
import type { AccountUsage } from '../machines/turn/schema.ts'
import { writeAgentFiles } from './boot/agent-files.ts'
import { agentCommand, agentEnvironment } from './boot/agent-process.ts'
import { ConfigError, loadConfig, type Config } from './boot/config.ts'
import { writeEndpoint } from './boot/endpoint.ts'
import { answerPrompt } from './boot/git-access.ts'
import { readBaseInstructions } from './boot/instructions.ts'
import { lifecycleHooksOf, type HookFailed, type RunLifecycleHook } from './boot/lifecycle-hooks.ts'
import { childrenOf, endOrphan, recordAgent } from './boot/orphan.ts'
import { readOtherVersion } from './boot/other-version.ts'
import { readMcpOverlays } from './boot/overlays.ts'
import { removePlanted } from './boot/planted.ts'
import { podStart } from './boot/pod-start.ts'
import { prepareWorkspace } from './boot/prepare-workspace.ts'
import { secretFileReader } from './boot/secret-file.ts'
import { installSkills } from './boot/skills.ts'
import { openWorkspaceTools } from './boot/workspace-tools.ts'
import { isoTime, until } from './clock.ts'
import type { Attestor } from './attestation/attestor.ts'
import { openAgentSide, type AgentSide } from './sockets/agent-side.ts'
import { createInternalServer } from './internal-server.ts'
import { createWrapperMetrics, type WrapperMetrics } from './metrics.ts'
import { serveOtherVersion } from './other-version.ts'
import { createPodTrace, noTrace, type PodTrace } from './pod-trace.ts'
import { ModelMeter } from './model-proxy/meter.ts'
import { createWrapperServer } from './server.ts'
import { makeSocketFolder, type SocketFolder } from './sockets/agent-sockets.ts'
import { openWalls, type Walls } from './space/open-walls.ts'
import { variablesFile } from './space/shims.ts'
import { awaitReady } from './terminal/boot.ts'
import type { Terminal } from './terminal/terminal.ts'
import { CallbackSender } from './turns/callback.ts'
import { Conversation } from './turns/conversation.ts'
import { handOverTranscript } from './turns/hand-over.ts'
import { TurnJournal } from './turns/journal.ts'
import { TurnRunner } from './turns/turn-runner.ts'
import { toAccountUsage, type AccountUsageSnapshot } from './usage/account-usage.ts'
import type { Inside } from './workspace/outside/inside.ts'
import { startSafetyPush } from './workspace/outside/safety-push.ts'
import { Workspace } from './workspace/outside/workspace.ts'
import type { WrapperInput } from './wrapper-input.ts'

/** An orchestrator that is started again serves git within this time; work that waits longer stays in the volume. */
const outageLimitMs = 60_000

/** Interrupt, commit, push (of the turn and of the stop), callback: together within the 120 s of POD-20. */
const stoppingOutageLimitMs = 20_000
const interruptLimitMs = 15_000
const callbackLimitMs = 20_000
const agentEndLimitMs = 5000
const serverGraceMs = 2000

interface StopRequest {
  readonly reason: string
  readonly exitCode: number
}

/** Runs one pod's supervisor from boot to end and answers the exit code: 0 after a graceful stop, 1 otherwise. */
export async function runWrapper(input: WrapperInput): Promise<number> {
  const { logger } = input
  const takeSecretFile = secretFileReader(logger)
  try {
    const other = readOtherVersion(input.env, takeSecretFile)
    if (other !== undefined) return await serveOtherVersion(input, other)
    const config = loadConfig(input.env, takeSecretFile)
    const wrapper = new Wrapper(input, config)
    return await wrapper.run()
  } catch (error) {
    if (error instanceof ConfigError) logger.error({ faults: error.faults }, 'the configuration is not valid')
    else logger.error({ err: error }, 'the wrapper failed and ends')
    return 1
  }
}

class Wrapper {
  readonly #input: WrapperInput
  readonly #config: Config
  readonly #metrics: WrapperMetrics
  readonly #trace: PodTrace
  readonly #meter: ModelMeter
  readonly #stop = Promise.withResolvers<StopRequest>()
  readonly #attestor: Attestor
  readonly #gitKey: string
  /** A number in [0, 1), of the same source as keys: pods that lost one orchestrator come back apart. */
  readonly #random = (): number => Number.parseInt(this.#input.entropy.hex(4), 16) / 2 ** 32
  #accountUsage: AccountUsage | undefined
  #conversation: Conversation | undefined
  #workspace: Workspace | undefined
  #inside: Inside | undefined
  #runHook: RunLifecycleHook = async () => undefined
  #stopping = false

  readonly #onAccountUsage = (snapshot: AccountUsageSnapshot): void => {
    this.#accountUsage = toAccountUsage(snapshot, this.#input.clock.now())
  }

  constructor(input: WrapperInput, config: Config) {
    this.#input = input
    this.#config = config
    this.#meter = new ModelMeter(config.turnTokenCeiling)
    this.#metrics = createWrapperMetrics(config.identity, config.repositories.map(({ name }) => name).join(','))
    this.#trace = input.spans ? createPodTrace(input.spans, input.env['TRACEPARENT'], config.identity) : noTrace
    this.#attestor = input.attestor
    this.#gitKey = input.entropy.hex(24)
  }

  async run(): Promise<number> {
    const { clock, logger } = this.#input
    const config = this.#config
    const bootedAt = clock.now()
    for (const dir of [config.stateDir, config.workspaceDir, config.home]) mkdirSync(dir, { recursive: true })
    const { startedAt, isRestart } = podStart(config.stateDir, bootedAt)
    const orphan = await endOrphan(config.stateDir, clock)
    if (orphan !== undefined)
      logger.warn({ pid: orphan }, 'the wrapper ended an agent that an earlier wrapper of this pod left')
    const stamp = isoTime(bootedAt).replace(/[:.]/g, '-')
    const sockets = makeSocketFolder()
    const walls = await this.#openWalls(sockets, stamp)
    const onFailure: HookFailed = (hook) => this.#metrics.hookFailed(hook)
    const variables = join(sockets.path, variablesFile)
    this.#runHook = lifecycleHooksOf(config, { space: walls.space, clock, logger, onFailure, variables })
    const internal = await this.#openInternal()
    const journal = new TurnJournal(config.stateDir)
    const agentSide = await this.#openAgentSide(sockets, walls, journal)
    let terminal: Terminal | undefined
    try {
      const { url: internalUrl } = await internal.listen(config.internal)
      const workspace = await this.#prepare(internalUrl, agentSide, walls, stamp)
      await walls.openView(config.repositories.map(({ name }) => name))
      terminal = this.#openAgent(agentSide, walls)
      await awaitReady(terminal, clock, config.bootTimeoutMs)
      await agentSide.connected(config.bootTimeoutMs)
      logger.info({ pid: terminal.pid, seclusion: walls.kind }, 'the agent is ready')
      const { server, runner, callbacks } = await this.#serve(terminal, workspace, journal, startedAt)
      this.#metrics.booted((clock.now() - bootedAt) / 1000)
      this.#trace.booted(bootedAt, clock.now())
      await this.#runHook(isRestart || config.identity.pod > 1 ? 'conversationRestart' : 'conversationStart')
      return await this.#untilStopped(server, runner, callbacks, workspace)
    } finally {
      if (terminal) await this.#endAgent(terminal, walls)
      this.#inside?.close()
      await walls.space.close()
      await agentSide.close(serverGraceMs)
      await internal.close({ graceMs: serverGraceMs })
      journal.close()
    }
  }

  #openInternal(): Promise<HttpServer> {
    const { clock, ids, logger, entropy } = this.#input
    return createInternalServer({
      logger: logger.child({ side: 'internal' }, { level: 'warn' }),
      clock,
      ids,
      gitKey: this.#gitKey,
      usageKey: entropy.hex(24),
      metrics: this.#metrics,
      onAccountUsage: this.#onAccountUsage,
      credential: (prompt) => answerPrompt(this.#config, prompt),
    })
  }

  /** Folders of the program and of its Node: both views start helper programs from there. */
  #openWalls(sockets: SocketFolder, stamp: string): Promise<Walls> {
    const { clock, logger, isRoot, node } = this.#input
    return openWalls({
      clock,
      config: this.#config,
      isRoot,
      link: sockets.path,
      stamp,
      programs: [join(dirname(fileURLToPath(import.meta.url)), '..'), dirname(node)],
      onRefusal: (kind, reason) => logger.warn({ kind, reason }, 'the machine refuses namespaces'),
    })
  }

  #openAgentSide(folder: SocketFolder, { link, runtime }: Walls, journal: TurnJournal): Promise<AgentSide> {
    return openAgentSide({
      folder,
      link,
      runtime,
      ...this.#input,
      config: this.#config,
      random: this.#random,
      outwardLogger: this.#input.logger,
      logger: this.#input.logger.child({ side: 'agent' }, { level: 'warn' }),
      meter: this.#meter,
      attestor: this.#attestor,
      metrics: this.#metrics,
      onModelOutput: () => this.#conversation?.onModelOutput(),
      onHook: (event, hookInput) => this.#conversation?.onHook(event, hookInput),
      onAccountUsage: this.#onAccountUsage,
      onRefusal: (call) => journal.callRefused(call, isoTime(this.#input.clock.now())),
      workspace: () => this.#workspace,
    })
  }

  async #prepare(internalUrl: string, agentSide: AgentSide, walls: Walls, stamp: string): Promise<Workspace> {
    const { node, clock, logger, isRoot } = this.#input
    const config = this.#config
    const { space, commandHome } = walls
    const tools = openWorkspaceTools({
      config,
      space,
      node,
      internalUrl,
      gitKey: this.#gitKey,
      clock,
      random: this.#random,
      logger,
      outageLimitMs: () => (this.#stopping ? stoppingOutageLimitMs : outageLimitMs),
    })
    this.#inside = tools.inside
    const git = tools.patient()
    const boot = { ...tools, git, runHook: this.#runHook, metrics: this.#metrics, logger, stamp }
    const checkouts = await prepareWorkspace(config, boot)
    const planted = removePlanted(config)
    if (planted.length > 0) logger.warn({ planted }, 'the wrapper removed configuration that an earlier agent left')
    const bares = checkouts.map(({ bare }) => bare)
    const findings = checkouts.flatMap((checkout) => checkout.findings)
    writeAgentFiles({
      config,
      plumbing: agentSide.plumbing,
      commandHome,
      overlays: readMcpOverlays(config.configDir),
      findings,
      baseInstructions: await readBaseInstructions(tools.git, bares),
      logger,
    })
    await installSkills(config, git, this.#metrics, logger)
    logger.info({ findings, isRoot }, 'workspace prepared')
    this.#workspace = new Workspace({ ...tools, bares })
    return this.#workspace
  }

  #openAgent(agentSide: AgentSide, walls: Walls): Terminal {
    const { clock, entropy, logger, openTerminal, isRoot } = this.#input
    const config = this.#config
    const sessionId = entropy.uuid()
    const terminal = openTerminal({
      command: walls.view(agentCommand(config, sessionId)),
      cwd: config.workspaceDir,
      env: agentEnvironment(config, agentSide.plumbing, isRoot),
      clock,
    })
    recordAgent(config.stateDir, terminal.pid)
    this.#conversation = new Conversation({
      terminal,
      home: config.home,
      sessionId,
      clock,
      logger,
      metrics: this.#metrics,
      meter: this.#meter,
      attestor: this.#attestor,
      turnTimeoutMs: config.turnTimeoutMs,
    })
    return terminal
  }

  async #serve(
    terminal: Terminal,
    workspace: Workspace,
    journal: TurnJournal,
    startedAt: number,
  ): Promise<{ server: HttpServer; runner: TurnRunner; callbacks: CallbackSender }> {
    const { clock, ids, logger, fetch, version } = this.#input
    const config = this.#config
    const conversation = this.#conversation!
    const callbacks = new CallbackSender({
      fetch,
      clock,
      random: this.#random,
      logger,
      defaultUrl: config.callbackUrl,
      traceparentOf: (turnId) => this.#trace.traceparentOf(turnId),
      ...(config.secrets.callbackSecret ? { secret: config.secrets.callbackSecret } : {}),
    })
    const onAgentGone = (): void => this.#stop.resolve({ reason: 'the agent process ended', exitCode: 1 })
    const runner = new TurnRunner({
      journal,
      conversation,
      workspace,
      callbacks,
      clock,
      ids,
      logger,
      onAgentGone,
      runHook: this.#runHook,
      metrics: this.#metrics,
      trace: this.#trace,
      identity: config.identity,
      expiresAt: startedAt + config.ttlMs,
      accountUsage: () => this.#accountUsage,
    })
    runner.recover()
    terminal.onExit(() => (runner.live ? undefined : onAgentGone()))
    const server = await createWrapperServer({
      version,
      logger,
      clock,
      ids,
      runner,
      conversation,
      startedAt,
      authenticate: bearer(oidcVerifier({ issuer: config.oidc.issuer, audience: config.oidc.audience, clock, fetch })),
      model: config.model,
      repositories: config.repositories.map(({ name }) => name),
      metrics: this.#metrics,
      trace: this.#trace,
      stop: () => this.#stop.resolve({ reason: 'the session was deleted', exitCode: 0 }),
    })
    const { url } = await server.listen(config.http)
    writeEndpoint(config.stateDir, url)
    logger.info({ url }, 'wrapper ready')
    return { server, runner, callbacks }
  }

  async #untilStopped(
    server: HttpServer,
    runner: TurnRunner,
    callbacks: CallbackSender,
    workspace: Workspace,
  ): Promise<number> {
    const { clock, logger, stopSignal } = this.#input
    const onSignal = (): void => this.#stop.resolve({ reason: 'signal', exitCode: 0 })
    stopSignal.addEventListener('abort', onSignal)
    if (stopSignal.aborted) onSignal()
    const safety = startSafetyPush({
      workspace,
      clock,
      logger,
      intervalMs: this.#config.pushIntervalMs,
      mayPush: () => runner.live !== undefined && !workspace.isBusy,
      onResult: (result) => this.#metrics.safetyPush(result),
    })
    const { reason, exitCode } = await this.#stop.promise
    this.#stopping = true
    logger.info({ reason }, 'stopping')
    safety.stop()
    await runner.stop(interruptLimitMs)
    const left = await workspace.publish(await workspace.heads(), 'stop')
    if (left.failed.length > 0) logger.warn({ failed: left.failed }, 'the wrapper leaves unpushed work in the volume')
    await Promise.all([callbacks.drain(callbackLimitMs), this.#handOverTranscript()])
    await this.#runHook('conversationFinished')
    await server.close({ graceMs: serverGraceMs })
    return exitCode
  }

  #handOverTranscript(): Promise<void> {
    const { callbackUrl, home, identity, secrets } = this.#config
    return handOverTranscript({
      ...this.#input,
      ...identity,
      ...{ callbackUrl, home, secret: secrets.callbackSecret, path: this.#conversation?.transcript.path ?? '' },
      secrets: Object.values(secrets),
    })
  }

  async #endAgent(terminal: Terminal, { kind }: Walls): Promise<void> {
    // Whoever entered namespaces for it waits around it and takes no signal.
    const agent = kind === 'none' ? terminal.pid : childrenOf(terminal.pid)[0]
    if (agent !== undefined && terminal.exited() === undefined) endGracefully(agent)
    const ended = await until(this.#input.clock, 50, agentEndLimitMs, () => terminal.exited() !== undefined)
    if (!ended) terminal.kill('SIGKILL')
    await endOrphan(this.#config.stateDir, this.#input.clock)
  }
}

function endGracefully(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch {
    // Already gone.
  }
}
