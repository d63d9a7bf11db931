import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

interface ChildOptions {
  readonly argument: unknown
  readonly boundMs: number
}

/** As much of a failed child's words as one wants to read. */
const tailLength = 2000

/** Runs a program of the bench to its end and gives what it printed as its last line. */
export async function lastLineOf<T>(program: URL, { argument, boundMs }: ChildOptions): Promise<T> {
  const child = start(program, argument)
  const output = collect(child)
  const bound = setTimeout(() => child.kill('SIGKILL'), boundMs)
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  clearTimeout(bound)
  if (code !== 0)
    throw new Error(`${nameOf(program)} ended with ${code ?? signal}: ${output.errors.slice(-tailLength)}`)
  const line = output.text.trimEnd().split('\n').at(-1) ?? ''
  try {
    return JSON.parse(line) as T
  } catch (error) {
    throw new Error(`${nameOf(program)} printed no result: ${line.slice(-tailLength)}`, { cause: error })
  }
}

interface Serving<T> {
  readonly pid: number
  /** What it printed when it was ready. */
  readonly ready: T
  /** Kills it and waits until it is gone. */
  kill(): Promise<void>
}

/** Starts a program of the bench that prints an object when it is ready, and goes on. */
export async function startServing<T>(program: URL, { argument, boundMs }: ChildOptions): Promise<Serving<T>> {
  const child = start(program, argument)
  const output = collect(child)
  const closed = once(child, 'close')
  const bound = setTimeout(() => child.kill('SIGKILL'), boundMs)
  const ready = await Promise.race([firstObject(child), closed.then(() => undefined)])
  clearTimeout(bound)
  if (ready === undefined) throw new Error(`${nameOf(program)} did not get ready: ${output.errors.slice(-tailLength)}`)
  return {
    pid: child.pid!,
    ready: JSON.parse(ready) as T,
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
  }
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** It ends with us at the latest. */
function start(program: URL, argument: unknown): ChildProcess {
  const child = spawn(process.execPath, [fileURLToPath(program), JSON.stringify(argument)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

function collect(child: ChildProcess): { text: string; errors: string } {
  const output = { text: '', errors: '' }
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => void (output.text += chunk))
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => void (output.errors += chunk))
  return output
}

/** A library's own words may come before. */
function firstObject(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    child.stdout?.on('data', (chunk: string) => {
      text += chunk
      const line = /^\{.*\}$/m.exec(text)?.[0]
      if (line !== undefined) resolve(line)
    })
  })
}

function nameOf(program: URL): string {
  return program.pathname.split('/').slice(-2).join('/')
}
