import { basename, resolve } from 'node:path'
import { systemClock } from '../../runtime/clock.ts'
import { count, flag, readArgs, text, UsageError, type Parsed } from '../args.ts'
import {
  fetchIssues,
  gatherCommits,
  gatherFiles,
  gatherIssues,
  readIssues,
  type Gathered,
} from '../../memory/client/ingest/items.ts'
import { finishPending, ingest as send, planIngest, type IngestRun } from '../../memory/client/ingest/run.ts'
import { findCommit } from '../../memory/client/ingest/tree.ts'
import { stateFile, type StateFile } from '../../memory/client/ingest/state.ts'
import { progress } from '../progress.ts'
import { cacheDir, connect, serviceOptions, serviceUrl, serviceUsage } from '../knowledge-service.ts'

const usage = `usage: statewright ingest DIR [--repo NAME] [options]

Stores a repository in the knowledge service: its files and README, the diffs of its commits, and its issues.
It reads the files of the commit HEAD: what is not committed stays out. A folder without commits is read as it is.
The command sends only what changed since its last run. An interrupted run continues where it stopped.
It skips files that git ignores, and generated, vendored, binary or large files. It skips every text with a secret in it.

  --repo NAME           the repository's name in the knowledge service (default: the folder's name)
  --commits N           send at most the N newest commits (default 1000; 0: none)
  --issues FILE         read issues from FILE: a JSON list, or one issue a line, with number, title, body and state
  --forge URL           read issues from this REST API of a forge; needs --forge-repo; FORGE_TOKEN signs in
  --forge-repo NAME     the repository on that forge, as OWNER/NAME
  --max-file-size N     skip files larger than N bytes (default 524288)
  --all                 send everything, not only changes
  --dry-run             list what a run would send and skip, and send nothing
  --json                print the result as JSON
${serviceUsage}

Example: statewright ingest ../my-library --dry-run`

const options = {
  ...serviceOptions,
  repo: { type: 'string' },
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
  const client = await connect(parsed, process.env)
  const state = stateFile(cacheDir(process.env), client.url, repo)
  const shown = progress('ingesting', process.stderr, Date.now)
  const run: IngestRun = {
    client,
    repo,
    state,
    wait: (ms) => new Promise((done) => void setTimeout(done, ms)),
    onProgress: shown.tell,
  }
  await finishPending(run)
  if (flag(parsed, 'all')) state.write({ commit: null, stored: {}, pending: null })
  const gathered = await gather(parsed, dir, repo, state)
  const plan = planIngest(gathered.sources, state.read(), gathered.kept)
  const totals = await send(plan, run)
  shown.end()
  if (totals.failed === 0 && gathered.head !== undefined) state.write({ ...state.read(), commit: gathered.head })
  const outcome = {
    repo,
    commit: gathered.head ?? null,
    sent: plan.changed.length,
    gone: plan.gone.length,
    ...totals,
    left_out: gathered.leftOut,
  }
  if (flag(parsed, 'json')) console.log(JSON.stringify(outcome))
  else {
    console.log(
      plan.changed.length + plan.gone.length === 0
        ? `${repo}: nothing has changed since the last run`
        : `${repo}: ${totals.done} stored, ${totals.skipped} there already, ${totals.purged} earlier ones removed, ${totals.failed} failed`,
    )
    for (const line of sayLeftOut(gathered.leftOut)) console.log(line)
    for (const error of totals.errors.slice(0, 20)) console.error(error)
  }
  return totals.failed === 0 ? 0 : 1
}

async function dryRun(parsed: Parsed, dir: string, repo: string): Promise<number> {
  // Without a service everything is new to it.
  const url = serviceUrl(parsed, process.env) ?? ''
  const state = stateFile(cacheDir(process.env), url, repo)
  const gathered = await gather(parsed, dir, repo, state)
  const before = flag(parsed, 'all') ? { stored: {} } : state.read()
  const { changed, gone } = planIngest(gathered.sources, before, gathered.kept)
  const bytes = changed.reduce((sum, { item }) => sum + Buffer.byteLength(item.content), 0)
  if (flag(parsed, 'json'))
    console.log(
      JSON.stringify({
        repo,
        would_send: changed.map(({ file }) => file),
        would_remove: gone,
        bytes,
        left_out: gathered.leftOut,
      }),
    )
  else {
    console.log(
      `${repo}: would send ${changed.length} memories (${(bytes / 1024).toFixed(0)} KiB) and remove those of ${gone.length} files`,
    )
    for (const { file, reason } of gathered.leftOut) console.log(`  skipped ${file}: ${reason}`)
  }
  return 0
}

interface All extends Gathered {
  readonly head: string | undefined
  readonly kept: (file: string) => boolean
}

async function gather(parsed: Parsed, dir: string, repo: string, state: StateFile): Promise<All> {
  const shown = progress('reading', process.stderr, Date.now)
  const head = await findCommit(dir, 'HEAD')
  const files = await gatherFiles(dir, repo, {
    commit: head,
    largestBytes: count(parsed, 'max-file-size', defaultLargest),
    onProgress: shown.tell,
  })
  shown.end()
  const most = count(parsed, 'commits', defaultCommits)
  const since = flag(parsed, 'all') ? undefined : (state.read().commit ?? undefined)
  const commits = head === undefined || most === 0 ? nothing : await gatherCommits(dir, repo, { most, since })
  const issues = await gatherFromForge(parsed, repo)
  return {
    sources: [...files.sources, ...commits.sources, ...(issues ?? nothing).sources],
    leftOut: [...files.leftOut, ...commits.leftOut, ...(issues ?? nothing).leftOut],
    head,
    // Commits stay what they are; issues are only judged by a run that asked for them.
    kept: (file) => file.startsWith('@commit/') || (issues === undefined && file.startsWith('@issue/')),
  }
}

const nothing: Gathered = { sources: [], leftOut: [] }

async function gatherFromForge(parsed: Parsed, repo: string): Promise<Gathered | undefined> {
  const [file, api, name] = [text(parsed, 'issues'), text(parsed, 'forge'), text(parsed, 'forge-repo')]
  if (file !== undefined) return gatherIssues(readIssues(file), repo)
  if (api === undefined && name === undefined) return undefined
  if (api === undefined || name === undefined || !/^[\w.-]+\/[\w.-]+$/.test(name))
    throw new UsageError(`--forge URL and --forge-repo OWNER/NAME belong together\n\n${usage}`)
  return gatherIssues(
    await fetchIssues({ api, name, token: process.env['FORGE_TOKEN'], clock: systemClock, fetch }),
    repo,
  )
}

function sayLeftOut(leftOut: Gathered['leftOut']): string[] {
  const secrets = leftOut.filter(({ reason }) => reason.includes('secret'))
  const others = leftOut.length - secrets.length
  return [
    ...secrets.map(({ file, reason }) => `  skipped ${file}: ${reason}`),
    ...(others === 0 ? [] : [`  skipped ${others} more files (--dry-run lists them)`]),
  ]
}
