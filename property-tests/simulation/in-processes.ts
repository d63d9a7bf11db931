import { spawn } from 'node:child_process'

export interface Ran {
  readonly code: number | null
  /** The last line that it said to programs. */
  readonly line: string
  /** What it said to people. */
  readonly told: string
}

export interface InProcessesOptions {
  readonly jobs: number
  /** Hears of each run while it goes on. */
  readonly say: (text: string) => void
}

const program = new URL('main.ts', import.meta.url).pathname

/** Runs of this program, so many at a time; in the order in which they were asked for. */
export async function inProcesses(
  runs: readonly (readonly string[])[],
  { jobs, say }: InProcessesOptions,
): Promise<readonly Ran[]> {
  const results: Ran[] = []
  const left = [...runs.entries()]
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) results[next[0]] = await one(next[1], say)
  }
  await Promise.all(Array.from({ length: jobs }, work))
  return results
}

function one(flags: readonly string[], say: InProcessesOptions['say']): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] })
    let [out, told] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      told += text
      say(text.trimEnd())
    })
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0 || code === 1) resolve({ code, line: out.trim().split('\n').at(-1) ?? '', told })
      else reject(new Error(`simulate ${flags.join(' ')} ended with ${code}: ${told.slice(-2000)}`))
    })
  })
}
