/**
 * Pods as detached child processes of one machine. They outlive the orchestrator and are found again by their records:
 * a pod is created once, however often it is asked for, and its end is told once it is certain.
 */
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Logger } from '../../http/operational/logging.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Random } from '../../runtime/random.ts'
import type { Gone, LogWish, PodInputs, PodLog, PodObservation, PodPort, PodSpec } from '../ports/pods.ts'
import { isolated, type Isolation } from './isolation.ts'
import { readTail } from './log-tail.ts'
import { PodFolder, podFolders, removeFolder, slug, type PodRecord } from './pod-folder.ts'
import { PodWatch } from './pod-watch.ts'
import { childrenOf, familyOf, findByVariable, isAlive, signal, startDetached } from './processes.ts'

export interface LocalPodsOptions {
  /** The platform's state folder; pods and workspaces are kept below it. */
  readonly stateDir: string
  /** Hidden from pods with all it holds: the state folder, or a folder around it with more that is not theirs. */
  readonly coveredDir: string
  readonly programDir: string
  readonly userHome: string
  readonly isolation: Isolation
  /** The wrapper's command line. */
  readonly command: readonly string[]
  readonly inputs: (spec: PodSpec) => Promise<PodInputs>
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** How long the folder of an ended pod is kept: its log, its home and the transcript in it. A week unless told. */
  readonly keepEndedMs?: number
}

/** Many pods share the loopback of one machine. */
const anyPort = '127.0.0.1:0'
const weekMs = 7 * 24 * 3_600_000
/** Set for every pod, so that a spawn which was not recorded is found again. */
const marker = 'STATE_DIR'

export class LocalPods implements PodPort {
  readonly #options: LocalPodsOptions
  readonly #root: string
  /** Creations under way: a second caller waits for the first one's end. */
  readonly #creating = new Map<string, Promise<void>>()

  constructor(options: LocalPodsOptions) {
    this.#options = options
    this.#root = join(options.stateDir, 'pods')
  }

  async bindVolumes({ task }: { readonly task: string }): Promise<void> {
    mkdirSync(this.#workspace(task), { recursive: true, mode: 0o700 })
  }

  async create(spec: PodSpec): Promise<{ readonly name: string }> {
    const creating =
      this.#creating.get(spec.pod) ?? this.#createOnce(spec).finally(() => this.#creating.delete(spec.pod))
    this.#creating.set(spec.pod, creating)
    await creating
    return { name: slug(spec.pod) }
  }

  async remove(pod: string, { force }: { readonly force: boolean }): Promise<'ending' | 'gone'> {
    const folder = new PodFolder(this.#root, pod)
    const known = folder.read()
    // Nobody may ever ask again for a pod whose spawn was not recorded: its end is the last chance to find it.
    const record = known?.phase === 'spawning' && !this.#creating.has(pod) ? this.#adopt(folder, known) : known
    if (record?.process === undefined || !isAlive(record.process)) return this.#creating.has(pod) ? 'ending' : 'gone'
    // Before the wrapper serves, it has nothing to push, and a signal may find nobody: a namespace has no process yet, or
    // a first process without a handler, which the kernel protects.
    if (force || folder.url() === undefined) for (const member of familyOf(record.process)) signal(member, 'SIGKILL')
    // Gracefully only the wrapper is told: it stops its agent itself, after the work is pushed.
    else
      for (const receiver of record.isolated ? childrenOf(record.process) : [record.process])
        signal(receiver, 'SIGTERM')
    return 'ending'
  }

  async deleteWorkspace(task: string): Promise<void> {
    removeFolder(this.#workspace(task))
  }

  /** Every pod there is, for `get` and for the demo's chaos. */
  list(): readonly PodRecord[] {
    return podFolders(this.#root)
  }

  async look(pod: string): Promise<PodObservation | undefined> {
    const record = new PodFolder(this.#root, pod).read()
    if (record === undefined) return this.#creating.has(pod) ? undefined : { pod, state: 'gone', reason: 'unknown' }
    return this.#observe(record)
  }

  /** Of a pod that has ended as long as its folder is kept. */
  async logOf(pod: string, wish: LogWish): Promise<PodLog> {
    const folder = new PodFolder(this.#root, pod)
    // Before the log is read: what a pod printed last is not missed.
    const seen = await this.look(pod)
    const isLive = seen?.state !== 'gone'
    const tail = await readTail(folder.log, wish, isLive)
    if (tail !== undefined) return { state: 'read', isLive, ...tail }
    return isLive ? { state: 'read', isLive, lines: [], isTruncated: false, cursor: '' } : { state: 'gone' }
  }

  watch(listener: (observation: PodObservation) => Promise<void>): () => void {
    const { clock, random, logger, keepEndedMs = weekMs } = this.#options
    const watch = new PodWatch({
      root: this.#root,
      clock,
      random,
      logger,
      keepEndedMs,
      listener,
      observe: (record) => this.#observe(record),
      bury: (end) => this.#bury(end),
    })
    return () => watch.stop()
  }

  #observe(record: PodRecord): PodObservation | undefined {
    const folder = new PodFolder(this.#root, record.pod)
    if (record.phase === 'spawning') return undefined
    if (record.phase === 'gone') return goneOf(record)
    if (record.process === undefined || !isAlive(record.process)) {
      if (!record.isolated && endAgent(folder)) return undefined
      return goneOf({ ...record, reason: 'process-ended', detail: folder.lastWords() || 'its log has no error' })
    }
    const url = folder.url()
    return url === undefined ? undefined : { pod: record.pod, state: 'ready', url }
  }

  #bury({ pod, reason, detail }: Gone): void {
    const folder = new PodFolder(this.#root, pod)
    const record = folder.read()
    if (record === undefined || record.phase === 'gone') return
    const words = detail === undefined ? {} : { detail }
    folder.write({ ...record, phase: 'gone', reason, ...words, endedAt: this.#options.clock.now() })
  }

  async #createOnce(spec: PodSpec): Promise<void> {
    const folder = new PodFolder(this.#root, spec.pod)
    const record = folder.read()
    if (record !== undefined && (record.phase !== 'spawning' || this.#adopt(folder, record) !== undefined)) return
    await this.#spawn(spec, folder)
  }

  /** A spawn that was begun before our death: its process, if it came to be. */
  #adopt(folder: PodFolder, record: PodRecord): PodRecord | undefined {
    const found = findByVariable(marker, folder.state)
    if (found === undefined) return undefined
    const adopted: PodRecord = { ...record, phase: 'running', process: found }
    folder.write(adopted)
    return adopted
  }

  async #spawn(spec: PodSpec, folder: PodFolder): Promise<void> {
    const { clock, command, isolation } = this.#options
    const workspace = this.#workspace(spec.task)
    folder.create()
    mkdirSync(workspace, { recursive: true, mode: 0o700 })
    const record = { pod: spec.pod, task: spec.task, createdAt: clock.now(), isolated: isolation !== 'none' }
    const env = await this.#environment(spec, folder, workspace)
    folder.write({ ...record, phase: 'spawning' })
    const run =
      isolation === 'none'
        ? { file: command[0] ?? '', args: command.slice(1), env: {} }
        : this.#isolated(folder, workspace, command)
    const { process: started } = await startDetached({
      command: [run.file, ...run.args],
      cwd: folder.path,
      env: { ...env, ...run.env },
      log: folder.log,
    })
    folder.write({ ...record, phase: 'running', process: started })
  }

  /** The inputs of the pod, with the places of this machine and the files that they need. */
  async #environment(spec: PodSpec, folder: PodFolder, workspace: string): Promise<Readonly<Record<string, string>>> {
    const { inputs, programDir } = this.#options
    const { env, secrets, files } = await inputs(spec)
    for (const [name, content] of Object.entries(files)) folder.configure(name, content)
    return {
      ...env,
      ...Object.fromEntries(Object.entries(secrets).map(([name, content]) => [name, folder.secret(name, content)])),
      HTTP_ADDR: anyPort,
      INTERNAL_ADDR: anyPort,
      CONFIG_DIR: folder.config,
      STATUSLINE_PATH: join(programDir, 'wrapper', 'usage', 'statusline.mjs'),
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: folder.home,
      [marker]: folder.state,
      WORKSPACE_DIR: workspace,
    }
  }

  #isolated(folder: PodFolder, workspace: string, command: readonly string[]): ReturnType<typeof isolated> {
    const { programDir, coveredDir, userHome } = this.#options
    return isolated({ pod: folder.path, workspace, program: programDir, state: coveredDir, home: userHome }, command)
  }

  #workspace(task: string): string {
    return join(this.#options.stateDir, 'workspaces', slug(task))
  }
}

function goneOf({ pod, reason = 'ended', detail = '' }: PodRecord): Gone {
  return { pod, state: 'gone', reason, ...(detail === '' ? {} : { detail }) }
}

/**
 * Whether the agent still lives. Without a namespace it outlives a wrapper that was killed; it is ended before the pod's
 * end is told: the next pod of the Task has the same workspace, and two agents in it is one too many (LAW-7).
 */
function endAgent(folder: PodFolder): boolean {
  const agent = folder.agent()
  if (agent === undefined || !isAlive(agent)) return false
  for (const member of familyOf(agent)) signal(member, 'SIGKILL')
  return true
}
