import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { lastBytes, lastWords } from '../../http/last-words.ts'
import { secretFileName } from '../../machines/turn/pod-environment.ts'
import { readJson, writeJson } from './json-file.ts'
import type { ProcessIdentity } from './processes.ts'

export const Identity = Type.Object({ pid: Type.Integer(), startTime: Type.String() })

/** What is known of a pod across our own death. `spawning` is written before the process is, so a repeat looks for it first. */
export const PodRecord = Type.Object({
  pod: Type.String(),
  task: Type.String(),
  phase: Type.Union([Type.Literal('spawning'), Type.Literal('running'), Type.Literal('gone')]),
  process: Type.Optional(Identity),
  /** The recorded process is the namespace's keeper; the wrapper is its child. */
  isolated: Type.Boolean(),
  createdAt: Type.Integer(),
  /** When its end was told. */
  endedAt: Type.Optional(Type.Integer()),
  reason: Type.Optional(Type.String()),
  detail: Type.Optional(Type.String()),
})
export type PodRecord = Static<typeof PodRecord>

/** The wrapper writes this once it serves. */
const Endpoint = Type.Object({ url: Type.String() }, { additionalProperties: true })

/** Ids hold slashes; a folder name may not. */
export function slug(id: string): string {
  return id.replaceAll('/', '_')
}

/** The folder of one pod: record, log, token, HOME and the wrapper's own state. */
export class PodFolder {
  readonly path: string

  constructor(root: string, pod: string) {
    this.path = join(root, slug(pod))
  }

  get home(): string {
    return join(this.path, 'home')
  }

  get state(): string {
    return join(this.path, 'state')
  }

  get config(): string {
    return join(this.path, 'config')
  }

  get log(): string {
    return join(this.path, 'wrapper.log')
  }

  create(): void {
    for (const folder of [this.path, this.home, this.state]) mkdirSync(folder, { recursive: true, mode: 0o700 })
  }

  read(): PodRecord | undefined {
    return readRecord(this.path)
  }

  write(record: PodRecord): void {
    writeJson(join(this.path, 'record.json'), record)
  }

  url(): string | undefined {
    const value = readJson(join(this.state, 'endpoint.json'))
    return Value.Check(Endpoint, value) ? value.url : undefined
  }

  /** The agent process as the wrapper recorded it; absent before it starts and after an orderly stop. */
  agent(): ProcessIdentity | undefined {
    const value = readJson(join(this.state, 'agent.json'))
    return Value.Check(Identity, value) ? value : undefined
  }

  /** A file below the pod's folder of configuration. */
  configure(name: string, content: string): void {
    const path = join(this.config, name)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, content, { mode: 0o600 })
  }

  /** A file that only the pod may read; the variable names it. */
  secret(variable: string, content: string): string {
    const path = join(this.path, secretFileName(variable))
    writeFileSync(path, content, { mode: 0o600 })
    return path
  }

  /** Of the wrapper's log: why it ended. */
  lastWords(): string {
    return lastWordsIn(this.log)
  }
}

/** Why a program ended, by its log; empty: that has no error. */
export function lastWordsIn(log: string): string {
  try {
    return lastWords(readEnd(log, lastBytes)).slice(-600)
  } catch {
    return ''
  }
}

function readEnd(path: string, bytes: number): string {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const buffer = Buffer.alloc(Math.min(size, bytes))
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, buffer.length, size - buffer.length))
  } finally {
    closeSync(file)
  }
}

/** Names of the folders that pods have below the root. */
export function podNames(root: string): readonly string[] {
  return existsSync(root) ? readdirSync(root) : []
}

export function podFolders(root: string): readonly PodRecord[] {
  return podNames(root).flatMap((name) => readRecord(join(root, name)) ?? [])
}

/** Undefined while a pod's folder has no record yet, and for one that is none of ours. */
export function readRecord(folder: string): PodRecord | undefined {
  const value = readJson(join(folder, 'record.json'))
  return Value.Check(PodRecord, value) ? value : undefined
}

export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 3 })
}
