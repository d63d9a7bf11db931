import { basename, resolve } from 'node:path'
import { systemClock } from '../../../runtime/clock.ts'
import { count, flag, readArgs, text, UsageError, type Parsed } from '../../args.ts'
import type { Issue } from '../../../memory/client/ingest/issue.ts'
import { fetchIssues, readIssues, type LeftOut } from '../../../memory/client/ingest/items.ts'
import { planIngest, type IngestOrder, type IngestPlan } from '../../../memory/client/ingest/plan.ts'
import { noRecord, settledRecord, type IngestRecord } from '../../../memory/client/ingest/record.ts'
import { ingest as send } from '../../../memory/client/ingest/run.ts'
import { findCommit } from '../../../memory/client/ingest/tree.ts'
import type { MemoryClient } from '../../../memory/client/memory-client.ts'
import { progress } from '../../output/progress.ts'
import { connectMemory, memoryAt, memoryOptions, memoryUsage } from '../../server/connect-memory.ts'
import { print, printError } from '../../output/terminal.ts'

const usage = `usage: statewright ingest DIR [--repo NAME] [options]

Stores a repository in the knowledge service: its files and README, the diffs of its commits, and its issues.
It reads the files of the commit HEAD: what is not committed stays out. A folder without commits is read as it is.
The service knows what it has, from any machine: the command sends what changed, and removes what is gone.
An interrupted run continues where it stopped. A run waits until earlier jobs of the repository have ended.
It skips files that git ignores, generated, vendored, binary or large files, and Git LFS pointers. It skips every text with
a secret in it. It stores no outputs of notebooks, and no base64 of 500 characters or more.

  --repo NAME           the repository's name in the knowledge service (default: the folder's name)
  --ref REV             read this commit and its history instead of HEAD; DIR may be a bare repository
  --jobs N              send at most N jobs of 400 memories, and leave the rest to the next run
  --commits N           look at the N newest commits, and send those that the service lacks (default 1000; 0: none)
  --issues FILE         read issues from FILE: a JSON list, or one issue a line, with number, title, body and state
  --forge URL           read issues from this REST API of a forge; needs --forge-repo; FORGE_TOKEN signs in
  --forge-repo NAME     the repository on that forge, as OWNER/NAME
  --max-file-size N     skip files larger than N bytes (default 524288)
  --all                 send everything, not only changes
  --dry-run             send nothing: list what a run would send, remove and skip (without a service everything is new)
  --json                print the result as JSON
${memoryUsage}

Example: statewright ingest ../my-library --dry-run`

const options = {
  ...memoryOptions,
  repo: { type: 'string' },
  ref: { type: 'string' },
  jobs: { type: 'string' },
  commits: { type: 'string' },
  issues: { type: 'string' },
  forge: { type: 'string' },
  'forge-repo': { type: 'string' },
  'max-file-size': { type: 'string' },
  all: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
} as const

const defaultCommits = 1000
const defaultLargest = 512 * 1024

export async function ingest(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, options, usage)
  if (parsed === undefined) return 0
  const [given, ...rest] = parsed.positionals
  if (given === undefined || rest.length > 0) throw new UsageError(usage)
  const dir = resolve(given)
  const repo = text(parsed, 'repo') ?? basename(dir)
  return flag(parsed, 'dry-run') ? dryRun(parsed, dir, repo) : realRun(parsed, dir, repo)
}

async function realRun(parsed: Parsed, dir: string, repo: string): Promise<number> {
  const client = await connectMemory(parsed, process.env)
  const record = await recordOf(client, repo)
  const { order, plan } = await planned(parsed, dir, repo, record)
  const shown = progress('ingesting', Date.now)
  const totals = await send(plan, {
    ...{ client, repo, wait, onProgress: shown.update },
    mostJobs: count(parsed, 'jobs', Infinity),
  })
  shown.end()
  const outcome = {
    repo,
    commit: order.commit ?? null,
    sent: plan.changed.length,
    gone: plan.gone.length,
    // Of the record: before this run, and once it is over.
    before: record.commit,
    indexed: (totals.succeeded && totals.due === 0 ? order.commit : record.commit) ?? null,
    ...totals,
    left_out: plan.leftOut,
  }
  if (flag(parsed, 'json')) print(JSON.stringify(outcome))
  else {
    print(
      plan.changed.length + plan.gone.length === 0
        ? `${repo}: nothing has changed since the last run`
        : `${repo}: ${totals.done} stored, ${totals.skipped} there already, ${totals.purged} earlier ones removed, ${totals.failed} failed`,
    )
    if (totals.due > totals.failed) print(`${repo}: ${totals.due} are left for the next run`)
    for (const line of leftOutLines(plan.leftOut)) print(line)
    for (const error of totals.errors.slice(0, 20)) printError(error)
  }
  return totals.succeeded ? 0 : 1
}

async function dryRun(parsed: Parsed, dir: string, repo: string): Promise<number> {
  const at = await memoryAt(parsed, process.env)
  const record = at === undefined ? noRecord : await recordOf(await connectMemory(parsed, process.env, at), repo)
  const { changed, gone, leftOut } = (await planned(parsed, dir, repo, record)).plan
  const bytes = changed.reduce((sum, { item }) => sum + Buffer.byteLength(item.content), 0)
  if (flag(parsed, 'json'))
    print(
      JSON.stringify({
        repo,
        service: at?.url ?? null,
        would_send: changed.map(({ file }) => file),
        would_remove: gone,
        bytes,
        left_out: leftOut,
      }),
    )
  else {
    if (at === undefined) print(`${repo}: no knowledge service is configured, so everything counts as new`)
    print(
      `${repo}: would send ${changed.length} memories (${(bytes / 1024).toFixed(0)} KiB) and remove those of ${gone.length} files`,
    )
    for (const { file, reason } of leftOut) print(`  skipped ${file}: ${reason}`)
  }
  return 0
}

const wait = (ms: number): Promise<void> => new Promise((done) => void setTimeout(done, ms))

async function recordOf(client: MemoryClient, repo: string): Promise<IngestRecord> {
  const shown = progress('waiting', Date.now)
  const seen = new Set<string>()
  const record = await settledRecord(repo, { client, wait }, ({ id, done, failed, skipped, total }) => {
    if (!seen.has(id)) printError(`${repo}: the ingest job ${id} has not ended: waiting for it`)
    seen.add(id)
    shown.update(done + failed + skipped, total)
  })
  shown.end()
  return record
}

async function planned(
  parsed: Parsed,
  dir: string,
  repo: string,
  record: IngestRecord,
): Promise<{ readonly order: IngestOrder; readonly plan: IngestPlan }> {
  const order = {
    dir,
    repo,
    commit: await commitOf(parsed, dir),
    largestBytes: count(parsed, 'max-file-size', defaultLargest),
    mostCommits: count(parsed, 'commits', defaultCommits),
    issues: await issuesOf(parsed),
    isWhole: flag(parsed, 'all'),
  }
  const shown = progress('reading', Date.now)
  const plan = await planIngest(order, record, shown.update)
  shown.end()
  return { order, plan }
}

async function commitOf(parsed: Parsed, dir: string): Promise<string | undefined> {
  const ref = text(parsed, 'ref')
  const commit = await findCommit(dir, ref ?? 'HEAD')
  if (ref !== undefined && commit === undefined) throw new UsageError(`${dir} has no commit ${ref}`)
  return commit
}

async function issuesOf(parsed: Parsed): Promise<readonly Issue[] | undefined> {
  const [file, api, name] = [text(parsed, 'issues'), text(parsed, 'forge'), text(parsed, 'forge-repo')]
  if (file !== undefined) return readIssues(file)
  if (api === undefined && name === undefined) return undefined
  if (api === undefined || name === undefined || !/^[\w.-]+\/[\w.-]+$/.test(name))
    throw new UsageError(`--forge URL and --forge-repo OWNER/NAME belong together\n\n${usage}`)
  return fetchIssues({ api, name, token: process.env['FORGE_TOKEN'], clock: systemClock, fetch })
}

function leftOutLines(leftOut: readonly LeftOut[]): string[] {
  const secrets = leftOut.filter(({ reason }) => reason.includes('secret'))
  const others = leftOut.length - secrets.length
  return [
    ...secrets.map(({ file, reason }) => `  skipped ${file}: ${reason}`),
    ...(others === 0 ? [] : [`  skipped ${others} more files (--dry-run lists them)`]),
  ]
}
