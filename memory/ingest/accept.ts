/**
 * Takes a bulk request as it arrives: items become rows of a job that nobody sees yet, a few hundred at a time, so that
 * a body of 32 MiB is at no moment held whole. Every fault of the request is found before it is refused.
 */
import type { FastifyRequest } from 'fastify'
import { Type, type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { principalOf } from '../../http/auth/authenticate.ts'
import { foldFaults } from '../../http/problems/faults.ts'
import { plainName, repaired } from '../../http/problems/plain-input.ts'
import { invalidInput, type Fault } from '../../http/problems/problem.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { readJsonBody } from '../json-stream/read-json-body.ts'
import { Content, FilePath, IdempotencyKey, Metadata, RepoName } from '../memories/memory.ts'
import type { JobRow } from './jobs.ts'

const Digest = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: plainName,
  description:
    'What the item was made from. Needs `repo` and `metadata.file`; the items of one file have one digest. `GET /ingest-record` shows it once all of them are stored.',
})

const CommitName = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: plainName,
  description: 'The commit that `repo` is at when this job has succeeded. `GET /ingest-record` shows it from then on.',
})

export const BulkItem = Type.Object(
  {
    idempotency_key: Type.Optional(IdempotencyKey),
    content: Content,
    metadata: Type.Optional(Metadata),
    digest: Type.Optional(Digest),
  },
  { additionalProperties: false },
)
export type BulkItem = Static<typeof BulkItem>

export const BulkRequest = Type.Union([
  Type.Object(
    {
      repo: Type.Optional(RepoName),
      reconcile_files: Type.Optional(
        Type.Array(FilePath, {
          description:
            'The service deletes the earlier memories of these files in `repo`, right before it stores the new ones of each file.',
        }),
      ),
      commit: Type.Optional(CommitName),
      items: Type.Array(BulkItem),
    },
    { additionalProperties: false },
  ),
  Type.Array(BulkItem),
])

const oneItem = Compile(BulkItem)
const oneFile = Compile(FilePath)
const repoName = Compile(RepoName)
const commitName = Compile(CommitName)

const batchItems = 256
const batchCharacters = 1_048_576
/** A content of the most characters, each of them escaped. */
const maxItemBytes = 8 * 1_048_576
const maxFaults = 1000

interface PendingItem extends BulkItem {
  readonly index: number
}

/** The accepted job, visible from now on; its actor is still to be told. */
export async function acceptBulk(sql: Sql, request: FastifyRequest, id: string, now: number): Promise<JobRow> {
  await sql.query('insert into ingest_job (id, created_at, requested_by, request_id) values ($1, $2, $3, $4)', [
    id,
    now,
    principalOf(request).subject,
    request.id,
  ])
  try {
    return await new Intake(sql, id).take(request)
  } catch (error) {
    await sql.query('delete from ingest_job where id = $1', [id])
    throw error
  }
}

class Intake {
  readonly #sql: Sql
  readonly #id: string
  readonly #faults: Fault[] = []
  #shape: 'object' | 'array' = 'object'
  #repo: string | undefined
  /** Without a fault that names it already. */
  #lacksRepo = true
  #commit: string | undefined
  #hasItems = false
  #hasFiles = false
  #items: PendingItem[] = []
  #characters = 0
  #files: string[] = []
  #total = 0

  constructor(sql: Sql, id: string) {
    this.#sql = sql
    this.#id = id
  }

  async take(request: FastifyRequest): Promise<JobRow> {
    await readJsonBody(
      request,
      { arrays: ['items', 'reconcile_files'], maxValueBytes: maxItemBytes },
      {
        began: (shape) => void (this.#shape = shape),
        member: (name, value) => this.#member(name, value),
        element: (array, index, value) =>
          array === 'reconcile_files' ? this.#file(index, value) : this.#item(array, index, value),
        ended: (array) => {
          if (array === 'reconcile_files') this.#hasFiles = true
          else this.#hasItems = true
        },
        pieceRead: () => this.#flush(batchItems, batchCharacters),
      },
    )
    await this.#flush(1, 0)
    this.#judge()
    await this.#judgeRepos()
    await this.#judgeDigests()
    if (this.#faults.length > 0) throw this.#refusal()
    return this.#accept()
  }

  #member(name: string, value: unknown): void {
    if (name === 'repo') {
      this.#lacksRepo = value === ''
      if (repoName.Check(value)) this.#repo = value
      else this.#faultsAt('/repo', repoName.Errors(value))
    } else if (name === 'commit') {
      if (commitName.Check(value)) this.#commit = value
      else this.#faultsAt('/commit', commitName.Errors(value))
    } else if (name === 'items' || name === 'reconcile_files') {
      if (name === 'items') this.#hasItems = true
      this.#fault(`/${name}`, 'must be array')
    } else this.#fault(`/${name.slice(0, 100)}`, 'is not a known field')
  }

  #file(index: number, value: unknown): void {
    if (oneFile.Check(value)) this.#files.push(value)
    else this.#faultsAt(`/reconcile_files/${index}`, oneFile.Errors(value))
  }

  #item(array: string, index: number, value: unknown): void {
    this.#total = index + 1
    if (!oneItem.Check(value))
      return this.#faultsAt(array === '' ? `/${index}` : `/${array}/${index}`, oneItem.Errors(value))
    this.#items.push({ ...value, index })
    this.#characters += value.content.length
  }

  #fault(path: string, message: string): void {
    if (this.#faults.length < maxFaults) this.#faults.push({ path, message })
  }

  #faultsAt(path: string, errors: Parameters<typeof foldFaults>[0]): void {
    for (const fault of foldFaults(errors)) this.#fault(`${path}${fault.path}`, fault.message)
  }

  #judge(): void {
    if (!this.#hasItems && this.#shape === 'object') this.#fault('/items', 'is required')
    if (this.#hasFiles && this.#lacksRepo) this.#fault('/repo', 'is required with reconcile_files')
    if (this.#commit !== undefined && this.#lacksRepo) this.#fault('/repo', 'is required with commit')
  }

  /** MEMORY-RULE-4: purge and scope go by the request's repository; an item of another one is a mistake. */
  async #judgeRepos(): Promise<void> {
    if (this.#repo === undefined) return
    const { rows } = await this.#sql.query<{ index: number }>(
      `select index from ingest_item where job = $1 and metadata ? 'repo' and metadata->>'repo' <> $2
      order by index limit ${maxFaults}`,
      [this.#id, this.#repo],
    )
    for (const { index } of rows) this.#fault(`/items/${index}/metadata/repo`, 'is not the repo of the request')
  }

  /** A digest speaks for all that the repository has of a file. */
  async #judgeDigests(): Promise<void> {
    const { rows } = await this.#sql.query<{ index: number; fault: string }>(
      `select index, case when $2 then 'needs the repo of the request' when file is null then 'needs metadata.file'
        else 'is not the digest of the other items of its file' end as fault
      from (select index, file, digest, first_value(digest) over (partition by file order by index) as first
        from ingest_item where job = $1) i
      where digest is distinct from case when $2 or file is null then null else first end
      order by index limit ${maxFaults}`,
      [this.#id, this.#lacksRepo],
    )
    const pathPrefix = this.#shape === 'array' ? '' : '/items'
    for (const { index, fault } of rows) this.#fault(`${pathPrefix}/${index}/digest`, fault)
  }

  #refusal(): Error {
    const isCut = this.#faults.length >= maxFaults
    return invalidInput(this.#faults, isCut ? `the first ${maxFaults} faults are listed` : undefined)
  }

  async #flush(items: number, characters: number): Promise<void> {
    if (this.#files.length >= items) await this.#flushFiles()
    if (this.#items.length === 0 || (this.#items.length < items && this.#characters < characters)) return
    const batch = this.#items
    this.#items = []
    this.#characters = 0
    await this.#sql.query(
      `insert into ingest_item (job, index, idempotency_key, content, metadata, file, digest)
      select $1, i.index, i.key, i.content, i.metadata::jsonb, nullif(i.metadata::jsonb->>'file', ''), i.digest
      from unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[]) as i (index, key, content, metadata, digest)`,
      [
        this.#id,
        batch.map(({ index }) => index),
        batch.map(({ idempotency_key: key }) => key ?? null),
        batch.map(({ content }) => content.toWellFormed()),
        batch.map(({ metadata = {} }) => JSON.stringify(repaired(metadata))),
        batch.map(({ digest }) => digest ?? null),
      ],
    )
  }

  async #flushFiles(): Promise<void> {
    const files = this.#files
    this.#files = []
    await this.#sql.query('insert into ingest_file (job, file) select $1, unnest($2::text[]) on conflict do nothing', [
      this.#id,
      files,
    ])
  }

  async #accept(): Promise<JobRow> {
    const repo = this.#repo ?? ''
    return this.#sql.tx(async (tx) => {
      if (this.#repo !== undefined && repo !== '')
        await tx.query(
          `update ingest_item set metadata = metadata || jsonb_build_object('repo', $2::text)
          where job = $1 and not metadata ? 'repo'`,
          [this.#id, repo],
        )
      const { rows } = await tx.query<JobRow>(
        `update ingest_job set is_staged = false, repo = $2, total = $3, commit = $4 where id = $1
        returning id, number, repo, total, created_at, outcome`,
        [this.#id, repo, this.#total, this.#commit ?? null],
      )
      return rows[0]!
    })
  }
}
