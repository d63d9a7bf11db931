import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { givesBack } from '../../../edges/local/processes.ts'
import { logFile, type LogFile } from './log-file.ts'

export interface SupervisorOptions {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly logFile: string
  /** Each JSON line that the program writes. */
  readonly onLine: (line: Record<string, unknown>) => void
  /** The program ended by itself with an error before it was ever ready: starting it again would not help. */
  readonly onFailed: (code: number | null) => void
  readonly stopLimitMs?: number
}

/** The orchestrator gives its connections 25 seconds and its effects ten. */
const stopLimitMs = 45_000

/** Runs one program and starts it again when it dies, until it is told to stop. */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #log: LogFile
  #child: ChildProcess | undefined
  #stopping = false
  #ready = false
  #starts = 0
  #exited: Promise<void> = Promise.resolve()

  constructor(options: SupervisorOptions) {
    this.#options = options
    this.#log = logFile(options.logFile)
  }

  get pid(): number | undefined {
    return this.#child?.exitCode === null && this.#child.signalCode === null ? this.#child.pid : undefined
  }

  /** How often it was started again. */
  get restarts(): number {
    return Math.max(0, this.#starts - 1)
  }

  start(): void {
    const [file = '', ...args] = this.#options.command
    this.#starts += 1
    const child = spawn(file, args, {
      cwd: this.#options.cwd,
      env: { ...givesBack, ...this.#options.env },
      // The channel carries nothing: its end tells the program that we are gone.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.#child = child
    if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', (line) => this.#take(line))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#log.write(text))
    this.#exited = new Promise((resolve) => {
      child.once('close', (code) => {
        resolve()
        this.#ended(code)
      })
    })
  }

  /** SIGKILL, as chaos does it; the supervisor starts it again. */
  kill(): void {
    this.#child?.kill('SIGKILL')
  }

  /** Asks it to stop. One that takes too long is killed: whoever waits for a stop waits for its end. */
  async stop(): Promise<void> {
    this.#stopping = true
    const child = this.#child
    if (child === undefined) return
    child.kill('SIGTERM')
    const killed = Promise.withResolvers<void>()
    const limit = setTimeout(() => killByForce(child, killed.resolve), this.#options.stopLimitMs ?? stopLimitMs)
    await Promise.race([this.#exited, killed.promise])
    clearTimeout(limit)
  }

  #take(text: string): void {
    this.#log.write(`${text}\n`)
    try {
      const line = JSON.parse(text) as Record<string, unknown>
      if (line['msg'] === 'ready') this.#ready = true
      this.#options.onLine(line)
    } catch {
      // Not a line of ours.
    }
  }

  #ended(code: number | null): void {
    // 0: it was asked to stop, for example by the Ctrl-C that the whole terminal gets.
    if (this.#stopping || code === 0) return
    if (!this.#ready && code !== null) return this.#options.onFailed(code)
    this.start()
  }
}

/** A process that it left behind may hold its output and its channel open: the end of the program itself counts. */
function killByForce(child: ChildProcess, ended: () => void): void {
  if (child.exitCode !== null || child.signalCode !== null) ended()
  else child.once('exit', () => ended())
  child.kill('SIGKILL')
  child.stdout?.destroy()
  child.stderr?.destroy()
  child.channel?.unref()
}
