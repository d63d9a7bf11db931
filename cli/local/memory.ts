/** The memory service of the one Project on this machine, as a child that is started again when it dies. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { programDir } from '../program.ts'
import { databaseFor } from '../../edges/local/memory/database.ts'
import { memorySettings } from '../../edges/local/memory/settings.ts'
import { Supervisor } from './processes/supervisor.ts'

interface LocalMemoryOptions {
  readonly dir: string
  readonly port: number
  readonly issuer: string
  readonly audience: string
  /** A Postgres server, on which it gets a database of its own; absent: the embedded store in its own folder. */
  readonly server: string | undefined
  readonly onFailed: (error: Error) => void
}

export interface LocalMemory {
  readonly ready: Promise<void>
  stop(): Promise<void>
}

export function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`
}

export function memorySupervisor(options: LocalMemoryOptions): LocalMemory {
  const isReady = Promise.withResolvers<void>()
  const logFile = join(options.dir, 'memory.log')
  const stateDir = join(options.dir, 'memory')
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const started = environment(options, stateDir).then((env) => {
    const supervisor = new Supervisor({
      command: [process.execPath, join(programDir, 'bin', 'statewright.mjs'), 'memory'],
      cwd: options.dir,
      env,
      logFile,
      onLine: ({ msg }) => {
        if (msg === 'ready') isReady.resolve()
      },
      onFailed: (code) =>
        options.onFailed(new Error(`the memory service ended with ${code} before it was ready; its log is ${logFile}`)),
    })
    supervisor.start()
    return supervisor
  })
  started.catch((error: Error) => options.onFailed(error))
  return {
    ready: isReady.promise,
    stop: async () => (await started.catch(() => undefined))?.stop(),
  }
}

async function environment(options: LocalMemoryOptions, stateDir: string): Promise<Record<string, string>> {
  const { server, dir } = options
  const database = server === undefined ? {} : databaseFile(stateDir, await databaseFor(server, join(dir, 'memory')))
  return {
    STATE_DIR: stateDir,
    HTTP_ADDR: `127.0.0.1:${options.port}`,
    OIDC_ISSUER: options.issuer,
    OIDC_AUDIENCE: options.audience,
    OWNER: 'memory',
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    ...database,
    ...memorySettings(process.env),
  }
}

function databaseFile(stateDir: string, url: string): Record<string, string> {
  const path = join(stateDir, 'database-url')
  writeFileSync(path, url, { mode: 0o600 })
  return { DATABASE_URL_FILE: path }
}
