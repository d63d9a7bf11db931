import type { ChildProcess } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Check } from 'typebox/value'
import type { Logger } from '../../../http/operational/logging.ts'
import type { CommandSpace } from '../../space/space.ts'
import type { Clock } from '../../clock.ts'
import type { GitIdentity } from '../git.ts'
import { AnswerLine, operations, type AnswerOf, type Operation, type RequestOf } from '../requests.ts'

/** The agent's side of the workspace. Rejects when it doesn't answer, or answers nonsense. */
export interface Inside {
  ask<O extends Operation>(operation: O, request: RequestOf<O>): Promise<AnswerOf<O>>
  close(): void
}

interface InsideOptions {
  readonly space: CommandSpace
  readonly node: string
  readonly workspaceDir: string
  readonly path: string
  readonly identity: GitIdentity
  readonly clock: Clock
  readonly logger: Logger
  /** The worker's program; its own unless a test gives another. */
  readonly program?: string
  readonly limitMs?: number
}

interface Pending {
  readonly operation: Operation
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: Error) => void
  readonly limit: { cancel(): void }
}

/** The longest step carries a whole history; what takes longer is stuck. */
const defaultLimitMs = 600_000
const maxLine = 4 * 1024 * 1024
const maxError = 2000

const ownProgram = fileURLToPath(new URL('../inside/workspace-worker.ts', import.meta.url))

/** Starts the worker when it is needed, and anew after it died or said what the protocol doesn't know. */
export function openInside(options: InsideOptions): Inside {
  let worker: Worker | undefined
  let lastId = 0
  return {
    ask: (operation, request) => {
      if (worker === undefined || worker.isGone) worker = new Worker(options)
      return worker.ask((lastId += 1), operation, request)
    },
    close: () => worker?.close(),
  }
}

class Worker {
  isGone = false
  readonly #options: InsideOptions
  readonly #child: ChildProcess
  readonly #stdin: Writable
  readonly #stdout: Readable
  readonly #pending = new Map<number, Pending>()
  #line = ''

  constructor(options: InsideOptions) {
    const { space, node, path, identity, workspaceDir, program = ownProgram } = options
    this.#options = options
    const parameters = JSON.stringify({ path, identity, workspaceDir })
    const child = space.spawn([node, program, parameters], {
      cwd: workspaceDir,
      env: { PATH: path, HOME: '/dev/null', LC_ALL: 'C' },
      stdio: ['pipe', 'pipe', 'ignore'],
      network: false,
    })
    const { stdin, stdout } = child
    if (stdin === null || stdout === null) throw new Error('the workspace worker was started without its pipes')
    this.#child = child
    this.#stdin = stdin
    this.#stdout = stdout
    child.on('error', (error) => this.end(error.message))
    child.on('exit', (code, signal) => this.end(`it ended with ${signal ?? code}`))
    stdin.on('error', () => undefined)
    stdout.setEncoding('utf8').on('data', (text: string) => this.#hear(text))
  }

  ask<O extends Operation>(id: number, operation: O, request: RequestOf<O>): Promise<AnswerOf<O>> {
    return new Promise<unknown>((resolve, reject) => {
      const { clock, limitMs = defaultLimitMs } = this.#options
      const limit = clock.setTimer(limitMs, () => this.end(`it took longer than ${limitMs} ms for ${operation}`))
      this.#pending.set(id, { operation, resolve, reject, limit })
      this.#stdin.write(`${JSON.stringify({ id, operation, request })}\n`)
    }) as Promise<AnswerOf<O>>
  }

  /** What answers nobody ends by itself with its input; killed from outside, it would be left to whoever inherits it. */
  close(): void {
    if (this.#pending.size > 0) return this.end('it was closed')
    this.isGone = true
    this.#stdin.end()
    this.#stdout.destroy()
  }

  end(reason: string): void {
    if (this.isGone) return
    this.isGone = true
    this.#stdin.destroy()
    this.#stdout.destroy()
    this.#child.kill('SIGKILL')
    if (this.#pending.size > 0) this.#options.logger.warn({ reason }, 'the workspace worker failed')
    for (const { reject, limit } of this.#pending.values()) {
      limit.cancel()
      reject(new Error(`the workspace worker failed: ${reason}`))
    }
    this.#pending.clear()
  }

  #hear(text: string): void {
    if (this.#line.length + text.length > maxLine) return this.end('its answer was too long')
    const lines = (this.#line + text).split('\n')
    this.#line = lines.pop() ?? ''
    for (const line of lines) if (!this.isGone) this.#take(line)
  }

  #take(line: string): void {
    const answer = parse(line)
    const pending = Check(AnswerLine, answer) ? this.#pending.get(answer.id) : undefined
    if (!Check(AnswerLine, answer) || pending === undefined) return this.end('it answered what nobody asked')
    const { operation, resolve, reject, limit } = pending
    if (answer.error === undefined && !Check(operations[operation].answer, answer.answer))
      return this.end(`its answer to ${operation} is none`)
    this.#pending.delete(answer.id)
    limit.cancel()
    if (answer.error === undefined) resolve(answer.answer)
    else reject(new Error(answer.error.slice(0, maxError)))
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown
  } catch {
    return undefined
  }
}
