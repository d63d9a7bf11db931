/**
 * Memory services of Projects as detached child processes of one machine. They outlive the orchestrator and are found again
 * by their records: a Project never has two, and one that died is started again at the next look.
 */
import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { withDeadline } from '../../http/deadline.ts'
import type { Fetch } from '../../http/ports.ts'
import type { StackSight } from '../../machines/memory-stack/events.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Random } from '../../runtime/random.ts'
import type { MemoryStacks } from '../ports/memory-stacks.ts'
import { ensureDatabase } from './memory/database.ts'
import { MemoryFolder, marker, memoryFolders, type MemoryRecord } from './memory/folder.ts'
import { memorySecrets, memorySettings, sharedSettings } from './memory/settings.ts'
import { portOwner } from './memory/port-owner.ts'
import { freePort, isFree } from './memory/ports.ts'
import { familyOf, givesBack, isAlive, signal as send, startDetached } from './processes.ts'

export interface LocalMemoryStacksOptions {
  /** Each Project has a folder of its own below it. */
  readonly root: string
  /** The service's command line. */
  readonly command: readonly string[]
  readonly issuer: string
  readonly audience: string
  /** Settings of the service in it are passed on, and nothing else. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** PostgreSQL, on which each Project gets a database of its own; empty: the embedded store in the Project's folder. */
  readonly databaseServer: string
  /** Of the first Project; 0: any free one. */
  readonly firstPort: number
  readonly fetch: Fetch
  readonly clock: Clock
  readonly random: Random
}

/** It gives its connections 25 seconds, and its work ten. */
const stopLimitMs = 45_000
const shortLifeMs = 30_000
/** It gives its own checks three seconds. */
const answerMs = 5_000

const Ready = Type.Object({ degraded: Type.Optional(Type.Array(Type.String())) })
const NotReady = Type.Object({ reasons: Type.Array(Type.String()) })

/** What a service is started with. */
interface Plan {
  readonly port: number
  readonly env: Readonly<Record<string, string>>
  /** By name; each becomes a file. */
  readonly secrets: Readonly<Record<string, string>>
  readonly print: string
}

export function localMemoryStacks(options: LocalMemoryStacksOptions): MemoryStacks {
  const { root, clock } = options
  /** How those ended that this process started, by pid. */
  const ends = new Map<number, Promise<string>>()
  let changed: (project: string, sight: StackSight) => void = () => undefined

  return {
    async reconcile(project, _wanted, signal) {
      const folder = new MemoryFolder(root, project)
      folder.create()
      const record = folder.adopt() ?? (await claim(options, folder, project))
      const plan = planOf(options, folder, record)
      if (isRunning(record)) {
        if (record.print === plan.print && record.stoppingAt === undefined) return look(options, folder, record, signal)
        stop(folder, record, clock)
        return sight('pending', plan.port, 'it stops, and starts again with what it is given now')
      }
      const ended = await ending(folder, record, ends)
      if (!(await isFree(plan.port))) {
        const owner = portOwner(plan.port) ?? 'another program'
        return sight('pending', plan.port, `its port ${plan.port} is in use by ${owner}`)
      }
      const started = await start(options, folder, ended, plan)
      ends.set(started.process.pid, started.ended)
      const startedAt = clock.elapsed()
      void started.ended.then((how) => {
        // One that does not live long is looked at often enough.
        if (clock.elapsed() - startedAt >= shortLifeMs) changed(project, sight('pending', plan.port, `it ended ${how}`))
      })
      return sight('pending', plan.port, ['it starts', ...before(ended)].join('; '))
    },

    watch: (listener) => void (changed = listener),

    async end(project) {
      const folder = new MemoryFolder(root, project)
      const record = folder.adopt()
      if (record !== undefined && isRunning(record)) {
        stop(folder, record, clock)
        return sight('pending', record.port, 'it stops')
      }
      // What was ended did not end by itself.
      if (record?.process !== undefined) {
        ends.delete(record.process.pid)
        folder.write(withoutProcess(record))
      }
      return { phase: 'gone', part: 'service', words: folder.data(), endpoint: '', externalEndpoint: '' }
    },
  }
}

/** The first one gets the port that is named, every other one any free one, which no other has been given. */
async function claim(
  { root, firstPort, random }: LocalMemoryStacksOptions,
  folder: MemoryFolder,
  project: string,
): Promise<MemoryRecord> {
  const known = (): readonly MemoryRecord[] => memoryFolders(root).flatMap((other) => other.read() ?? [])
  for (;;) {
    const free = await freePort(random)
    // From here on nobody else runs until the record is written.
    const others = known()
    const isFirst = !others.some((other) => other.isFirst)
    const isNamed = isFirst && firstPort !== 0
    if (!isNamed && (free === firstPort || others.some(({ port }) => port === free))) continue
    const port = isNamed ? firstPort : free
    const record = { project, port, isFirst, isSpawning: false, print: '', ends: 0, lastEnd: '' }
    folder.write(record)
    return record
  }
}

function planOf(options: LocalMemoryStacksOptions, folder: MemoryFolder, record: MemoryRecord): Plan {
  const { command, issuer, audience, databaseServer, firstPort } = options
  const port = record.isFirst && firstPort !== 0 ? firstPort : record.port
  const given = memorySettings(options.env)
  const settings = record.isFirst ? given : sharedSettings(given)
  const secrets = Object.fromEntries(
    memorySecrets.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]]])),
  )
  if (databaseServer !== '') secrets['DATABASE_URL'] = folder.databaseUrl(databaseServer)
  const env: Record<string, string> = { ...givesBack, ...settings }
  for (const name of memorySecrets) delete env[name]
  for (const name of Object.keys(secrets)) env[`${name}_FILE`] ??= folder.secretPath(name)
  Object.assign(env, {
    HTTP_ADDR: `127.0.0.1:${port}`,
    OIDC_ISSUER: issuer,
    OIDC_AUDIENCE: audience,
    // One service has this store, so after a crash the next one goes on at once.
    OWNER: 'memory',
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    [marker]: folder.path,
  })
  const print = createHash('sha256')
    .update(JSON.stringify([command, env, secrets]))
    .digest('hex')
  return { port, env, secrets, print }
}

function isRunning({ process }: MemoryRecord): boolean {
  return process !== undefined && isAlive(process)
}

/** The record of one that does not run. An end that nobody asked for is counted, once. */
async function ending(
  folder: MemoryFolder,
  record: MemoryRecord,
  ends: Map<number, Promise<string>>,
): Promise<MemoryRecord> {
  const { process, stoppingAt } = record
  if (process === undefined) return record
  const how = await ends.get(process.pid)
  ends.delete(process.pid)
  const lastEnd = `${how === undefined ? '' : ` ${how}`}: ${folder.lastWords()}`
  const counted = { ...record, ends: record.ends + 1, lastEnd }
  const ended = withoutProcess(stoppingAt === undefined ? counted : record)
  folder.write(ended)
  return ended
}

function withoutProcess({ project, port, isFirst, isSpawning, print, ends, lastEnd }: MemoryRecord): MemoryRecord {
  return { project, port, isFirst, isSpawning, print, ends, lastEnd }
}

async function start(
  { command, databaseServer }: LocalMemoryStacksOptions,
  folder: MemoryFolder,
  record: MemoryRecord,
  { port, env, secrets, print }: Plan,
): ReturnType<typeof startDetached> {
  const { DATABASE_URL: database } = secrets
  if (database !== undefined) await ensureDatabase(databaseServer, database)
  for (const [name, content] of Object.entries(secrets)) folder.writeSecret(name, content)
  const planned = { ...record, port, print }
  folder.write({ ...planned, isSpawning: true })
  const started = await startDetached({ command, cwd: folder.path, env, log: folder.log })
  folder.write({ ...planned, isSpawning: false, process: started.process })
  return started
}

/** Told once; one that takes too long is ended by force. */
function stop(folder: MemoryFolder, record: MemoryRecord, clock: Clock): void {
  const { process, stoppingAt } = record
  if (process === undefined) return
  if (stoppingAt === undefined) {
    send(process, 'SIGTERM')
    folder.write({ ...record, stoppingAt: clock.now() })
  } else if (clock.now() - stoppingAt >= stopLimitMs) for (const member of familyOf(process)) send(member, 'SIGKILL')
}

async function look(
  { fetch, clock }: LocalMemoryStacksOptions,
  folder: MemoryFolder,
  record: MemoryRecord,
  signal: AbortSignal,
): Promise<StackSight> {
  const { port } = record
  const answer = await withDeadline(clock, answerMs, (late) =>
    ask(fetch, `${urlOf(port)}/readyz`, AbortSignal.any([signal, late])),
  ).catch(() => undefined)
  signal.throwIfAborted()
  if (answer?.ok !== true) {
    const reasons = Value.Check(NotReady, answer?.body) ? answer.body.reasons.join(', ') : ''
    const words = answer === undefined ? 'it does not answer yet' : reasons || `it answers ${answer.status}`
    return sight('pending', port, [words, ...before(record)].join('; '))
  }
  if (record.ends > 0) folder.write({ ...record, ends: 0, lastEnd: '' })
  const { degraded = [] } = Value.Check(Ready, answer.body) ? answer.body : {}
  if (degraded.length > 0) return sight('degraded', port, degraded.join(', '))
  return sight('running', port, '')
}

interface Answer {
  readonly ok: boolean
  readonly status: number
  readonly body: unknown
}

async function ask(fetch: Fetch, url: string, signal: AbortSignal): Promise<Answer> {
  const response = await fetch(url, { signal })
  const body: unknown = await response.json().catch(() => undefined)
  return { ok: response.ok, status: response.status, body }
}

function before({ ends, lastEnd }: MemoryRecord): readonly string[] {
  if (ends === 0) return []
  return [ends === 1 ? `it ended${lastEnd}` : `it ended ${ends} times, the last${lastEnd}`]
}

function sight(phase: StackSight['phase'], port: number, words: string): StackSight {
  return { phase, part: 'service', words, endpoint: urlOf(port), externalEndpoint: '' }
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`
}
