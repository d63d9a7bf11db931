/** The orchestrator as `cli/` composes it, one life after another over one store, and what calls it from outside. */
import { people } from '../../standins/people.ts'
import type { ComposedOrchestrator } from '../../orchestrator/wiring/compose.ts'
import type { OrchestratorParts, OrchestratorPorts } from '../../orchestrator/wiring/setup.ts'
import type { OrchestratorSettings } from '../../orchestrator/settings/settings.ts'
import { partsForTests } from '../../orchestrator/testing/parts.ts'
import { settingsForTests } from '../../orchestrator/testing/settings.ts'
import { callbackSecret } from '../../edges/pods/inbound.ts'
import type { PushAudit } from '../../edges/forge/mirror/store/pushes.ts'
import { grantHoldsIn } from '../../edges/forge/outbound/grants.ts'
import { createTaskRights } from '../../edges/git/task-rights.ts'
import { createLogger } from '../../http/operational/logging.ts'
import { verifyOnly } from '../../http/testing/fixture.ts'
import type { JournalRow } from '../../runtime/runtime.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { dice } from '../runtime/simulation/dice.ts'
import { lifeline, processClock } from '../runtime/simulation/lifeline.ts'
import type { Lifeline, ProcessClock } from '../runtime/simulation/lifeline.ts'
import type { World } from '../runtime/simulation/world.ts'
import type { Answered } from './forge.ts'
import { botToken } from './forge.ts'
import { fetchOf, storeOf, callOverNetwork, type Outside } from './network.ts'
import { commitGraphOf } from './commit-graph.ts'
import { copiesOf, intakeOf } from './intake.ts'
import { faultText, type Plan } from './plan.ts'
import { podTokens } from './pod-tokens.ts'
import { stacksOf } from './stacks/port.ts'

export type Compose = (
  settings: OrchestratorSettings,
  ports: OrchestratorPorts,
  parts: OrchestratorParts,
) => Promise<ComposedOrchestrator>

export const callbackMaster = 'the master of the callbacks'
export const hookSecret = 'the secret of the hook'
export const alertSecretName = 'demo-alerts'
export const alertSecret = 'the secret of the alerts'
export const operatorToken = 'operator-token'
export const operatorUrl = 'http://orchestrator.test'
export const internalUrl = 'http://internal.test'

export interface Call {
  readonly kind: 'webhook' | 'callback' | 'agent' | 'operator' | 'alert'
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

interface Life {
  readonly line: Lifeline
  readonly clock: ProcessClock
  readonly sql: Sql
  readonly composed: ComposedOrchestrator
}

export interface OrchestratorsOptions {
  readonly world: World
  readonly plan: Plan
  readonly outside: Outside
  readonly compose: Compose
  readonly heard: (row: JournalRow) => void
}

/** Longer than the lease: whoever is silent for so long has been replaced. */
const takeoverMs = 90_000
const pace = { shards: 4, leaseMs: 60_000, pollMs: 20_000 }
const restartMs = 500
const stopPatienceMs = 60_000
const logger = createLogger({ name: 'simulation', level: process.env['SIMULATION_LOG'] ?? 'silent' })

/** As a pod knows its Project and its Repository: by their names. */
export type SimulatedPush = Omit<PushAudit, 'forgeId'>

export class Orchestrators {
  readonly #options: OrchestratorsOptions
  #current: Life | undefined
  #newest: Lifeline | undefined
  #lives = 0
  #skew = 0
  readonly #living = new Set<Lifeline>()
  readonly #restarts = new Map<Lifeline, number>()

  constructor(options: OrchestratorsOptions) {
    this.#options = options
  }

  begin(): void {
    const { world, plan } = this.#options
    this.#start()
    for (const fault of plan.faults) {
      if (fault.kind === 'pause') world.after(fault.atMs, () => this.#pause(fault.forMs))
      if (fault.kind === 'stop') world.after(fault.atMs, () => this.#replace(fault.overlapMs))
      if (fault.kind === 'jump') world.after(fault.atMs, () => this.#jump(fault.byMs))
    }
  }

  /** Nothing is paused any more, and whoever was replaced has ended. */
  becalm(): void {
    for (const line of this.#living) line.resume()
    for (const line of this.#living) if (line !== this.#newest) line.cut('it was replaced')
  }

  end(): void {
    for (const line of this.#living) line.cut('the end')
  }

  get current(): ComposedOrchestrator | undefined {
    return this.#current?.composed
  }

  /** What an operator looks at, whatever comes of it. */
  async inspect(method: string, path: string, body?: object): Promise<void> {
    const authorization = `Bearer ${operatorToken}`
    const headers = body ? { authorization, 'content-type': 'application/json' } : { authorization }
    const sent = body ? { body: JSON.stringify(body) } : {}
    await this.call({ kind: 'operator', method, path, headers: headers as Call['headers'], ...sent })
  }

  /** A request from outside; `undefined`: nobody answered. */
  async call(call: Call): Promise<Answered | undefined> {
    const { world } = this.#options
    await new Promise<void>((resolve) => world.after(1 + world.latency.fraction() * 40, resolve))
    const life = this.#current
    if (!life || life.line.isCut) return undefined
    const { line, composed } = life
    const server = call.kind === 'callback' ? composed.inside : composed.outside
    const answered = new Promise<Answered | undefined>((resolve) => {
      line.hear(() => {
        if (line.passes(`${call.kind}: come in`)) return resolve(undefined)
        const { method, path: url, headers, body } = call
        const payload = body === undefined ? {} : { payload: body }
        // A server that has closed meanwhile takes no connection.
        const refused = (): void => resolve(undefined)
        void server.app.inject({ method: method as 'GET', url, headers, ...payload }).then((answer) => {
          if (line.passes(`${call.kind}: done and not answered`)) return resolve(undefined)
          const all = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const)
          resolve({ status: answer.statusCode, headers: Object.fromEntries(all), body: answer.payload })
        }, refused)
      })
    })
    return Promise.race([answered, line.died.then(() => undefined)])
  }

  /** What the git gateway would say to this push, and its record of it. */
  async judgePush(push: Omit<SimulatedPush, 'outcome' | 'at' | 'reason'>): Promise<string | undefined> {
    const life = this.#current
    if (!life || life.line.isCut) return 'the gateway did not answer'
    const { runtime } = life.composed
    const rights = createTaskRights({
      runtime,
      grantHolds: grantHoldsIn(runtime),
      ciChangesAllowedAt: () => Promise.resolve([]),
    })
    const pod = Number(push.pod.slice(push.pod.lastIndexOf('/') + 1))
    const judge = async (): Promise<string | undefined> => {
      const access = await rights.taskAccess({ task: push.task, pod, project: '' })
      if (push.ref !== `refs/heads/${access?.branches[push.repository] ?? ''}`) return 'not the branch of this Task'
      const right = await rights.mayPush(push.task, push.repository)
      return right.allowed ? undefined : right.reason
    }
    const judged = judge().catch(() => 'the gateway could not read the rights')
    return Promise.race([judged, life.line.died.then(() => 'the gateway died')])
  }

  /** As the gateway writes it down once the forge has taken it; what is returned is why the pod hears of a failure. */
  async recordPush(push: SimulatedPush): Promise<string | undefined> {
    const life = this.#current
    if (!life || life.line.isCut) return 'the gateway died'
    const written = life.composed.auditPush(push).then(
      () => undefined,
      () => 'the gateway could not write it down',
    )
    return Promise.race([written, life.line.died.then(() => 'the gateway died')])
  }

  #start(): void {
    const { world, plan, outside, compose, heard } = this.#options
    this.#lives += 1
    const name = `o${this.#lives}`
    const { faults } = outside
    const line = lifeline(world, 0, name, (point) => {
      const crash = faults.crashAt(point)
      if (crash) this.#restarts.set(line, crash.restartMs)
      return crash !== undefined
    })
    const clock = processClock(line, this.#skew)
    world.tell(`${name} starts`, true)
    const owner = this.#living.size > 0 ? name : 'orchestrator'
    this.#newest = line
    this.#living.add(line)
    let ids = 0
    const ports: OrchestratorPorts = {
      clock,
      random: dice(plan.seed, name).fraction,
      ids: { next: () => `${name}-${plan.seed}-${(ids += 1)}` },
      fetch: fetchOf(line, outside),
      logger,
      version: '0.0.0',
      programDir: '/program',
      owner,
    }
    void line.died.then(() => this.#ended(line))
    world.onStore(async () => {
      const parts = this.#partsOf(line, ports)
      const composed = await compose(settingsOf(plan), ports, parts)
      await composed.outside.app.ready()
      await composed.inside.app.ready()
      composed.runtime.subscribe((row) => {
        if (!line.isCut) heard(row)
      })
      composed.listening({ operator: operatorUrl, internal: internalUrl })
      this.#current = { line, clock, composed, sql: parts.sql }
      const start = async (): Promise<void> => {
        await composed.start()
        if (!line.isCut) await composed.begin()
      }
      void start().catch(() => line.cut('it could not start'))
    })
  }

  #partsOf(line: Lifeline, ports: OrchestratorPorts): OrchestratorParts {
    const { outside } = this.#options
    const sql = storeOf(line, outside)
    return partsForTests(ports, {
      sql,
      verifyOidc: verifyOnly(operatorToken, 'operator'),
      secrets: {
        read: async (_namespace, name): Promise<Readonly<Record<string, string>>> =>
          name === alertSecretName ? { webhookSecret: alertSecret } : { token: botToken, webhookSecret: hookSecret },
        write: async () => undefined,
      },
      pods: ({ directory }) => {
        const uidOf = async (project: string): Promise<string | undefined> =>
          (await directory.spec(project))?.resource.uid
        const { pods } = outside
        return {
          bindVolumes: () => callOverNetwork({ line, point: 'pods volumes' }, async () => undefined),
          async create(spec) {
            const uid = await uidOf(spec.project)
            return callOverNetwork({ line, point: 'pods create' }, async () => pods.create(spec, uid))
          },
          remove: (pod, how) => callOverNetwork({ line, point: 'pods remove' }, async () => pods.remove(pod, how)),
          deleteWorkspace: (task) =>
            callOverNetwork({ line, point: 'pods workspace' }, async () => pods.deleteWorkspace(task)),
          look: async (pod) => pods.look(pod),
          logOf: async () => ({ state: 'gone' }),
          watch: (listener) => pods.watch(line, listener),
        }
      },
      podTokens: podTokens(ports.clock),
      callbackMaster,
      // Git is kept in memory here, and no pod of this world touches a protected path.
      mergeJudge: { judge: async () => ({ kind: 'clean', tree: '', base: '' }), treeOf: async () => undefined },
      memoryStacks: stacksOf(line, outside),
      commitGraph: commitGraphOf(outside.forge),
      gitCache: copiesOf(line, outside),
      memoryIntake: intakeOf(line, outside),
      pace,
    })
  }

  /** The newest is started again, whoever else is paused or works beside it until it is told to stop. */
  #ended(line: Lifeline): void {
    const { world, outside } = this.#options
    this.#living.delete(line)
    if (this.#newest !== line) return
    const afterMs = outside.faults.isCalm ? restartMs : (this.#restarts.get(line) ?? restartMs)
    world.after(afterMs, () => {
      if (this.#newest === line) this.#start()
    })
  }

  #pause(forMs: number): void {
    const { world, outside } = this.#options
    const life = this.#current
    if (outside.faults.isCalm || !life || life.line.isCut) return
    world.tell(`${life.line.name} is paused for ${forMs} ms`, true)
    life.line.pause()
    world.after(forMs, () => life.line.resume())
    if (forMs > takeoverMs) world.after(pace.leaseMs / 2, () => this.#start())
  }

  /** The next one begins while this one still works, and they divide what there is. */
  #replace(overlapMs: number): void {
    const { world, outside } = this.#options
    const life = this.#current
    if (outside.faults.isCalm || !life || life.line.isCut) return
    world.tell(`another starts beside ${life.line.name}`, true)
    this.#start()
    world.after(overlapMs, () => this.#stop(life))
  }

  #stop({ line, composed }: Life): void {
    const { world } = this.#options
    if (line.isCut) return
    world.tell(`${line.name} is told to stop`, true)
    void composed.stop().then(
      () => line.cut('stopped as told'),
      () => line.cut('it could not stop well'),
    )
    world.after(stopPatienceMs, () => line.cut('it would not stop'))
  }

  #jump(byMs: number): void {
    const { world, outside } = this.#options
    if (outside.faults.isCalm) return
    world.tell(faultText({ kind: 'jump', atMs: world.elapsed(), byMs }), true)
    this.#skew += byMs
    this.#current?.clock.jump(byMs)
  }
}

export function callbackSecretOf(pod: string): string {
  return callbackSecret(callbackMaster, pod)
}

function settingsOf({ hasShortJournals, memory, stack }: Plan): OrchestratorSettings {
  const { retention, retentionEveryMs } = hasShortJournals ? shortJournals : settings
  const urls = stack?.isOfDemo === true ? { urls: {} } : {}
  const stacks = stack === undefined ? {} : { profile: stack.profile, ...urls }
  return {
    ...settings,
    retention,
    retentionEveryMs,
    memory: { ...settings.memory, ...stacks, fills: memory !== 'off' },
  }
}

/** By age, in minutes here; final actors keep theirs. The copies beside the store keep all. */
const shortJournals = {
  retention: { days: 120_000 / 86_400_000, events: 25, finalDays: 30 },
  retentionEveryMs: 60_000,
}

const settings = settingsForTests('/', {
  coveredDir: '/state',
  publicUrl: operatorUrl,
  oidc: { clientId: people.bot },
  memory: { urls: { 'default/demo': 'https://memory.test' }, audience: 'm', clientId: people.bot, clientSecret: 's' },
  modelKey: 'none',
  // Never so little that something of a run is lost.
  retention: { days: 90, events: 20_000, finalDays: 30 },
  retentionEveryMs: 300_000,
  standingComments: true,
  userHome: '/home',
})
