/** The memory service as a process, before a real identity provider on loopback: to be killed, and asked at random. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientCredentials } from '../../../http/token-source.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { databaseFor } from '../../../edges/local/memory/database.ts'
import { programDir } from '../../program.ts'
import { startIdentity, type Identity } from '../../local/standins.ts'

export const memoryAudience = 'urn:statewright:memory'
export const otherAudience = 'urn:statewright:operator'

export interface MemoryProcess {
  readonly url: string
  /** SIGKILL, and gone. */
  kill(): Promise<void>
  /** SIGTERM; the exit code. */
  stop(): Promise<number | null>
}

export interface MemoryHost {
  readonly identity: Identity
  /** Empty: the embedded store in `stateDir`. */
  readonly databaseUrl: string
  readonly stateDir: string
  /** Its client, whose tokens the service believes. */
  readonly client: { readonly clientId: string; readonly secret: string }
  start(env?: Readonly<Record<string, string>>): Promise<MemoryProcess>
  token(audience?: string): Promise<string>
  /** Ends what still runs. */
  close(): Promise<void>
}

/** On a database of its own on this server; on the embedded store where there is none. */
export async function memoryHost(server = process.env['DATABASE_URL'] ?? ''): Promise<MemoryHost> {
  const dir = mkdtempSync(join(tmpdir(), 'memory-process-'))
  const databaseUrl = server === '' ? '' : await databaseFor(server, dir)
  const client = { clientId: 'service', secret: 'service-secret' }
  const identity = await startIdentity({
    clients: [{ ...client, audiences: [memoryAudience, otherAudience] }],
    tokenSeconds: 7200,
  })
  const running = new Set<ChildProcess>()

  return {
    identity,
    databaseUrl,
    stateDir: dir,
    client,
    async start(env = {}) {
      const child = spawn(process.execPath, [join(programDir, 'bin', 'statewright.mjs'), 'memory'], {
        env: {
          PATH: process.env['PATH'] ?? '',
          HTTP_ADDR: '127.0.0.1:0',
          STATE_DIR: dir,
          OIDC_ISSUER: identity.issuer,
          OIDC_AUDIENCE: memoryAudience,
          ...(databaseUrl === '' ? {} : { DATABASE_URL: databaseUrl, OWNER: 'memory' }),
          ...env,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      running.add(child)
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
      void ended.then(() => running.delete(child))
      const url = await readyUrl(child, ended)
      return {
        url,
        async kill() {
          child.kill('SIGKILL')
          await ended
        },
        async stop() {
          child.kill('SIGTERM')
          return ended
        },
      }
    },
    token: (audience = memoryAudience) =>
      clientCredentials({
        tokenUrl: identity.tokenUrl,
        ...client,
        audience,
        clock: systemClock,
        fetch,
      }).token(),
    async close() {
      await Promise.all([...running].map(killed))
      await identity.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGKILL')
  await ended
}

function readyUrl(child: ChildProcess, ended: Promise<number | null>): Promise<string> {
  const said: string[] = []
  child.stderr?.on('data', (chunk: Buffer) => said.push(chunk.toString()))
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      said.push(`${line}\n`)
      if (line.startsWith('{')) {
        const { msg, url } = JSON.parse(line) as { readonly msg?: string; readonly url?: string }
        if (msg === 'ready' && url !== undefined) resolve(url)
      }
    })
    void ended.then((code) => reject(new Error(`the memory service ended with ${code}:\n${said.slice(-10).join('')}`)))
  })
}
