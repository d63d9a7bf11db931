import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { childrenOf } from '../boot/orphan.ts'
import { sleep, type Clock } from '../clock.ts'

/** A shell that stands as the first process of new namespaces and sets them up, line by line, as it is told. */
export class Holder {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #waiting: ((line: string) => void)[] = []
  readonly #closed: Promise<unknown>
  #errors = ''
  #partial = ''
  #hasEnded = false

  /** `command` ends in a shell that reads its script from standard input. */
  constructor(command: readonly string[], path: string) {
    const [file = '', ...args] = command
    this.#child = spawn(file, args, { env: { PATH: path }, stdio: 'pipe', cwd: '/' })
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text))
    this.#child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (this.#errors = (this.#errors + text).slice(-1000)))
    this.#child.stdin.on('error', () => undefined)
    this.#closed = new Promise((resolve) => this.#child.on('error', resolve).on('close', resolve)).then(() =>
      this.#end(),
    )
  }

  /** Runs a script; throws with the shell's complaint where it fails or the holder ended. */
  async run(script: string): Promise<void> {
    const done = new Promise<string>((resolve) => this.#waiting.push(resolve))
    if (this.#hasEnded) this.#end()
    // A subshell: a script that fails ends with its own status and not the holder.
    this.#child.stdin.write(`(set -e\n${script}\n)\necho "${mark} $?"\n`)
    const status = await done
    if (status !== '0') throw new Error(`namespaces: ${this.#errors.trim() || `ended with ${status}`}`)
  }

  /**
   * From here on it only waits: for the end of the pipe, which is the wrapper's. The kernel takes in what is left to a first
   * process that ignores its children's ends.
   */
  rest(drop: readonly string[]): void {
    this.#child.stdin.write(`exec env --ignore-signal=CHLD ${drop.join(' ')} cat\n`)
  }

  /** The first process of the namespaces, by its number out here; `depth` programs lie between. */
  first(depth: number): number {
    let { pid } = this.#child
    for (let level = 0; level < depth && pid !== undefined; level++) [pid] = childrenOf(pid)
    if (pid === undefined) throw new Error('namespaces: the first process is gone')
    return pid
  }

  /**
   * Every process of its namespaces ends with the first one. The programs around it take it in: killed, they could not. A
   * wrapper that is a pod's first process inherits what they leave, takes in none of it, and would wait for ever.
   */
  async end(clock: Clock): Promise<void> {
    this.#child.stdin.end()
    await Promise.race([this.#closed, sleep(clock, endLimitMs)])
  }

  #read(text: string): void {
    const lines = (this.#partial + text).split('\n')
    this.#partial = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith(`${mark} `)) this.#waiting.shift()?.(line.slice(mark.length + 1))
  }

  #end(): void {
    this.#hasEnded = true
    for (const settle of this.#waiting.splice(0)) settle('gone')
  }
}

const mark = 'statewright-holder'
const endLimitMs = 1000

/** A process's number in each of its nested process namespaces, outermost first. */
export function numbersOf(pid: number): readonly number[] {
  const line = /^NSpid:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return (line?.[1] ?? String(pid)).trim().split(/\s+/).map(Number)
}
