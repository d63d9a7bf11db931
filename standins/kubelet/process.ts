/** One container as a process of this machine. It outlives the kubelet, and the next one finds it by its record. */
import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { childrenOf, familyOf, identify, isAlive, signal, type ProcessIdentity } from '../../edges/local/processes.ts'
import { sleep, type Clock } from '../../runtime/clock.ts'

export interface ProcessOptions {
  /** Its record, its end and its last message. */
  readonly folder: string
  /** Its output is appended there. */
  readonly log: string
  readonly clock: Clock
}

export interface Launch {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

interface RunRecord {
  readonly process: ProcessIdentity
  readonly id: string
  /** Epoch milliseconds. */
  readonly startedAt: number
}

export interface End {
  readonly exitCode: number
  /** Epoch milliseconds. */
  readonly finishedAt: number
}

/** Writes down how the container ended, also where the kubelet is away. It reads no signal: only a kill ends it early. */
const keeper = 'file=$1; shift; "$@"; echo $? > "$file.new" && mv "$file.new" "$file"'
const adoptedPollMs = 100
/** Of a keeper that was killed, as of what it kept. */
const killed = 137

export class ContainerProcess {
  readonly id: string
  readonly startedAt: number
  readonly ended: Promise<End>
  /** Where an earlier kubelet's had ended before it was found. */
  readonly endedBefore: End | undefined
  readonly #process: ProcessIdentity

  private constructor({ process, id, startedAt }: RunRecord, ended: Promise<End>, endedBefore?: End) {
    this.#process = process
    this.id = id
    this.startedAt = startedAt
    this.ended = ended
    this.endedBefore = endedBefore
  }

  /** The one of an earlier kubelet, whether it still runs or not. */
  static find({ folder, clock }: ProcessOptions): ContainerProcess | undefined {
    const file = join(folder, 'run.json')
    if (!existsSync(file)) return undefined
    const record = JSON.parse(readFileSync(file, 'utf8')) as RunRecord
    if (!isAlive(record.process)) {
      const end = endOf(folder, clock)
      return new ContainerProcess(record, Promise.resolve(end), end)
    }
    const ended = (async () => {
      while (isAlive(record.process)) await sleep(clock, adoptedPollMs)
      return endOf(folder, clock)
    })()
    return new ContainerProcess(record, ended)
  }

  /** The number of the first process of such a container, out here; undefined where none runs. */
  static firstIn(folder: string): number | undefined {
    const file = join(folder, 'run.json')
    if (!existsSync(file)) return undefined
    const { process } = JSON.parse(readFileSync(file, 'utf8')) as RunRecord
    return isAlive(process) ? firstOf(process) : undefined
  }

  /** @throws StartError where the program did not come to run. */
  static async start({ folder, log, clock }: ProcessOptions, id: string, launch: Launch): Promise<ContainerProcess> {
    for (const path of [folder, dirname(log)]) mkdirSync(path, { recursive: true })
    const output = openSync(log, 'a', 0o600)
    const args = ['-c', keeper, 'keeper', join(folder, 'exit'), ...launch.command]
    const child = spawn('/bin/sh', args, {
      env: launch.env,
      cwd: '/',
      detached: true,
      stdio: ['ignore', output, output, 'pipe'],
    })
    closeSync(output)
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    // Before anything is awaited. One that has ended already was started too, and nothing is known of it any more.
    const { pid = 0 } = child
    const process = identify(pid) ?? { pid, startTime: '' }
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject))
    const startedAt = clock.now()
    writeRecord(folder, { process, id, startedAt })
    const report = child.stdio[3] as NodeJS.ReadableStream & { destroy(): void }
    const hasStarted = await new Promise<boolean>((resolve) => {
      // Not its exit, which may be heard before what it reported.
      for (const event of ['end', 'error', 'close']) report.once(event, () => resolve(false))
      report.once('data', () => resolve(true))
    })
    report.destroy()
    child.unref()
    if (!hasStarted) throw new StartError(lastLines(log) || 'the container did not start')
    return new ContainerProcess(
      { process, id, startedAt },
      exited.then(() => endOf(folder, clock)),
    )
  }

  /** The number of its first process, out here. */
  get first(): number | undefined {
    return firstOf(this.#process)
  }

  terminate(): void {
    const { first } = this
    const identity = first === undefined ? undefined : identify(first)
    if (identity !== undefined) signal(identity, 'SIGTERM')
  }

  /** All of it: a pid namespace ends with its first process. */
  kill(): void {
    for (const member of familyOf(this.#process)) signal(member, 'SIGKILL')
  }
}

/** The container was made and its program did not run: exit code 128, reason `StartError`. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

function firstOf(keeping: ProcessIdentity): number | undefined {
  const [waiter] = childrenOf(keeping)
  return waiter === undefined ? undefined : childrenOf(waiter)[0]?.pid
}

function writeRecord(folder: string, record: RunRecord): void {
  const file = join(folder, 'run.json')
  writeFileSync(`${file}.new`, JSON.stringify(record))
  renameSync(`${file}.new`, file)
}

function endOf(folder: string, clock: Clock): End {
  try {
    const file = join(folder, 'exit')
    return { exitCode: Number(readFileSync(file, 'utf8')), finishedAt: Math.floor(statSync(file).mtimeMs) }
  } catch {
    return { exitCode: killed, finishedAt: clock.now() }
  }
}

const messageLines = 80
const messageBytes = 2_048
const fileBytes = 4_096

/** What a log ends with: at most 80 lines and 2048 bytes (pkg/kubelet/kuberuntime, `readLastStringFromContainerLogs`). */
export function lastLines(log: string): string {
  const lines = textOf(log).split('\n')
  const end = lines.at(-1) === '' ? 1 : 0
  const text = lines.slice(-messageLines - end).join('\n')
  return Buffer.from(text).subarray(-messageBytes).toString()
}

/** The termination message: its file, or what the log ends with where the container failed and the policy falls back. */
export function terminationMessage(file: string, log: string, policy: string | undefined, exitCode: number): string {
  const written = Buffer.from(textOf(file)).subarray(-fileBytes).toString()
  if (written !== '' || policy !== 'FallbackToLogsOnError' || exitCode === 0) return written
  return lastLines(log)
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
