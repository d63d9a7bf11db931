import { spawn, type ChildProcess } from 'node:child_process'

export interface Said {
  readonly status: number | null
  readonly said: string
}

/** More than any attack has to say. */
const mostSaid = 4 * 1024 * 1024
const limitMs = 60_000

/** Waits for a program's end, and answers what it printed on both. */
export function heard(child: ChildProcess, input = ''): Promise<Said> {
  let said = ''
  const hear = (chunk: Buffer): void => void (said = (said + chunk.toString()).slice(-mostSaid))
  child.stdout?.on('data', hear)
  child.stderr?.on('data', hear)
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(input)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (status) => {
      // What it left running may hold its pipes open.
      const late = setTimeout(() => resolve({ status, said: said.trim() }), 500)
      child.on('close', () => (clearTimeout(late), resolve({ status, said: said.trim() })))
    })
  })
}

export function run(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd = '/',
  input = '',
): Promise<Said> {
  const [file, ...args] = words
  return heard(spawn(file!, args, { cwd, env: { ...env }, timeout: limitMs, killSignal: 'SIGKILL' }), input)
}
