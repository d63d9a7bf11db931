/** A second orchestrator over the store of the first, in a process that a test can kill. Test code only. */
import { fork } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Cluster } from './cluster.ts'

export interface Replica {
  /** Addresses of the actors that it stepped itself. */
  readonly stepped: ReadonlySet<string>
  log(): string
  /** Without a farewell. Resolves once it is gone; repeatable. */
  kill(): Promise<void>
}

/** Pods and people reach the one of the cluster, as a Service may send them to any. @throws where it does not start. */
export async function startReplica({ fixture, settings }: Cluster): Promise<Replica> {
  const { url, internalUrl } = fixture.orchestrator
  const file = join(fixture.dir, 'replica.json')
  const logFile = join(fixture.dir, 'replica.log')
  const own = { ...settings, operatorUrl: url, internalUrl, publicUrl: url }
  writeFileSync(file, JSON.stringify({ settings: own, programDir: join(fixture.dir, 'program') }), { mode: 0o600 })
  const output = openSync(logFile, 'w')
  const child = fork(fileURLToPath(new URL('replica-process.ts', import.meta.url)), [file], {
    execArgv: [],
    stdio: ['ignore', output, output, 'ipc'],
  })
  closeSync(output)
  const stepped = new Set<string>()
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const ready = new Promise<void>((resolve) => {
    child.on('message', (message: string) => (message === 'ready' ? resolve() : void stepped.add(message)))
  })
  const log = (): string => readFileSync(logFile, 'utf8')
  await Promise.race([ready, ended])
  if (child.exitCode !== null) throw new Error(`the replica did not start: ${log()}`)
  return {
    stepped,
    log,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
