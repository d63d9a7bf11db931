import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { databaseNameOf, databaseUrlOf } from './database.ts'
import { readJson, writeJson } from '../json-file.ts'
import { Identity, lastWordsIn, slug } from '../pod-folder.ts'
import { findByVariable, isAlive, type ProcessIdentity } from '../processes.ts'

/** What is known of a Project's memory service across our own death. */
const MemoryRecord = Type.Object({
  project: Type.String(),
  port: Type.Integer(),
  /** It has the port that the settings name, and what they name for one Project. */
  isFirst: Type.Boolean(),
  /** Written before the process is, so a repeat looks for it first. */
  isSpawning: Type.Boolean(),
  /** Absent: none was started, or its end is known. */
  process: Type.Optional(Identity),
  /** Of what it was started with. */
  print: Type.String(),
  /** When it was told to end. */
  stoppingAt: Type.Optional(Type.Integer()),
  /** How often it ended by itself since it served last. */
  ends: Type.Integer(),
  /** Of the last time: how, as far as that was seen, and the last words of its log. */
  lastEnd: Type.String(),
})
export type MemoryRecord = Static<typeof MemoryRecord>

/** Set for every service, so that a spawn which was not recorded is found again. */
export const marker = 'STATE_DIR'

/** Ids of Projects; nothing else becomes a folder. */
const projectId = /^[a-z0-9-]+\/[a-z0-9-]+$/

/** The folder of one Project's memory: its record, log, secrets and the embedded store. */
export class MemoryFolder {
  readonly path: string

  constructor(root: string, project: string) {
    if (!projectId.test(project)) throw new Error(`${project} is no <namespace>/<name> of a Project`)
    this.path = join(root, slug(project))
  }

  get log(): string {
    return join(this.path, 'memory.log')
  }

  create(): void {
    mkdirSync(this.path, { recursive: true, mode: 0o700 })
  }

  read(): MemoryRecord | undefined {
    const value = readJson(join(this.path, 'record.json'))
    return Value.Check(MemoryRecord, value) ? value : undefined
  }

  write(record: MemoryRecord): void {
    writeJson(join(this.path, 'record.json'), record)
  }

  /** The record, with the process of a spawn that was begun before our death, if it came to be. */
  adopt(): MemoryRecord | undefined {
    const record = this.read()
    if (record === undefined || !record.isSpawning) return record
    const found = findByVariable(marker, this.path)
    const adopted = { ...record, isSpawning: false, ...(found === undefined ? {} : { process: found }) }
    this.write(adopted)
    return adopted
  }

  /** Of a file that only the service may read. */
  secretPath(name: string): string {
    return join(this.path, name.toLowerCase().replaceAll('_', '-'))
  }

  writeSecret(name: string, content: string): void {
    writeFileSync(this.secretPath(name), content, { mode: 0o600 })
  }

  /** Its own database on this server: the one that it had, wherever the folder lay then. */
  databaseUrl(server: string): string {
    return databaseUrlOf(server, this.#databaseName() ?? databaseNameOf(this.path))
  }

  /** Where what it knows lies, in words; empty: it knows nothing. */
  data(): string {
    const name = this.#databaseName()
    if (existsSync(join(this.path, 'database'))) return `its data stays in ${this.path}`
    return name === undefined ? '' : `its data stays in the database ${name} of the PostgreSQL server`
  }

  /** Of its log. */
  lastWords(): string {
    return lastWordsIn(this.log) || 'its log has no error'
  }

  #databaseName(): string | undefined {
    try {
      return new URL(readFileSync(this.secretPath('DATABASE_URL'), 'utf8')).pathname.slice(1)
    } catch {
      return undefined
    }
  }
}

/** Of every Project that ever had a memory here. */
export function memoryFolders(root: string): readonly MemoryFolder[] {
  const names = existsSync(root) ? readdirSync(root) : []
  return names.flatMap((name) => {
    const record = readJson(join(root, name, 'record.json'))
    return Value.Check(MemoryRecord, record) ? [new MemoryFolder(root, record.project)] : []
  })
}

interface RunningMemory {
  readonly folder: MemoryFolder
  readonly record: MemoryRecord
  readonly process: ProcessIdentity
}

export function runningMemories(root: string): readonly RunningMemory[] {
  return memoryFolders(root).flatMap((folder) => {
    const record = folder.adopt()
    const { process } = record ?? {}
    return record !== undefined && process !== undefined && isAlive(process) ? [{ folder, record, process }] : []
  })
}
