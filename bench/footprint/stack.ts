/** What the programs of an idle memory stack hold: the light profile's, and of the full one those that this machine can start. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../../testing/free-port.ts'
import { treeSeconds } from '../kit/measure/process-times.ts'
import { footprintsBelow } from './processes.ts'
import { sumOf } from './up.ts'

export interface Part {
  readonly name: string
  /** MiB. */
  readonly pss: number
  /** Thousandths of one core. */
  readonly millicores: number
  readonly diskMiB: number
}

interface Running {
  readonly name: string
  readonly pid: number
  /** Of its data; absent: it keeps none. */
  readonly folder?: string
}

type Stops = (() => Promise<unknown>)[]

const root = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)
/** LightRAG asks its model for no idle moment. */
const noModel = 'http://127.0.0.1:9/v1'
const lightRagVersion = '1.5.7'
const readyTries = 600

/** All of them at once, so that each is idle through the same seconds. `failed` says why one could not start. */
export async function stackAtRest(settleMs: number, failed: (what: string, error: unknown) => void): Promise<Part[]> {
  const folder = await mkdtemp(join(tmpdir(), 'footprint-stack-'))
  // PostgreSQL runs as another user than root.
  await chmod(folder, 0o711)
  const stops: Stops = []
  const running: Running[] = []
  try {
    for (const [name, start] of Object.entries(starts))
      await start(folder, stops)
        .then((one) => running.push(one))
        .catch((error: unknown) => failed(name, error))
    await pause(settleMs)
    const before = running.map(({ pid }) => treeSeconds([pid]))
    await pause(settleMs)
    return await Promise.all(
      running.map(async ({ name, pid, folder: data }, at) => ({
        name,
        pss: sumOf(footprintsBelow(pid)),
        millicores: ((treeSeconds([pid]) - (before[at] ?? 0)) / (settleMs / 1000)) * 1000,
        diskMiB: data === undefined ? 0 : await diskOf(data),
      })),
    )
  } finally {
    for (const stop of stops.toReversed()) await stop().catch((error: unknown) => failed('the end', error))
    await rm(folder, { recursive: true, force: true })
  }
}

async function diskOf(folder: string): Promise<number> {
  const { stdout } = await run('du', ['-sk', folder])
  return Number(stdout.split('\t')[0]) / 1024
}

async function byScript(script: string, parameters: readonly string[], folder: string, stops: Stops): Promise<string> {
  const path = join(root, '.ci', script)
  const before = parameters.slice(0, -1)
  stops.push(() => run('bash', [path, ...before, 'stop', folder]))
  const { stdout } = await run('bash', [path, ...before, 'start', folder, ...parameters.slice(-1).filter(Boolean)])
  return stdout.trim().split('\n').at(-1) ?? ''
}

async function pidIn(file: string): Promise<number> {
  return Number((await readFile(file, 'utf8')).split('\n')[0])
}

/** Its keys sign no token: nobody asks an idle service. */
async function issuerOfNobody(stops: Stops): Promise<string> {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const server = createServer((_request, response) =>
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ issuer, jwks_uri: `${issuer}/jwks`, token_endpoint: `${issuer}/token`, keys: [] })),
  )
  await once(server.listen(port, '127.0.0.1'), 'listening')
  stops.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  return issuer
}

let databaseUrl = ''

const starts: Readonly<Record<string, (folder: string, stops: Stops) => Promise<Running>>> = {
  async postgres(folder, stops) {
    const own = join(folder, 'postgres')
    databaseUrl = await byScript('postgres.sh', [''], own, stops)
    return { name: 'PostgreSQL', pid: await pidIn(join(own, 'data', 'postmaster.pid')), folder: own }
  },
  async service(folder, stops) {
    const issuer = await issuerOfNobody(stops)
    const port = await freePort()
    const env = {
      ...{ PATH: process.env['PATH'], HOME: folder, STATE_DIR: join(folder, 'service') },
      ...{ HTTP_ADDR: `127.0.0.1:${port}`, OIDC_ISSUER: issuer, OIDC_AUDIENCE: 'memory' },
      DATABASE_URL: databaseUrl,
    }
    const child = spawn(process.execPath, [join(root, 'bin/statewright.mjs'), 'memory'], { env, stdio: 'ignore' })
    const closed = once(child, 'close')
    stops.push(async () => {
      child.kill('SIGTERM')
      await closed
    })
    for (let tries = 0; tries < readyTries; tries++, await pause(200))
      if (
        await fetch(`http://127.0.0.1:${port}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        )
      )
        return { name: 'memory service', pid: child.pid ?? 0 }
    throw new Error('the memory service was not ready')
  },
  async neo4j(folder, stops) {
    const own = join(folder, 'neo4j')
    await byScript('neo4j.sh', [''], own, stops)
    return { name: 'Neo4j 5.26', pid: await pidIn(join(own, 'pid')), folder: join(own, 'home') }
  },
  async lightrag(folder, stops) {
    const own = join(folder, 'lightrag')
    await byScript('lightrag.sh', [lightRagVersion, noModel], own, stops)
    return { name: `LightRAG ${lightRagVersion}`, pid: await pidIn(join(own, 'pid')), folder: own }
  },
}
