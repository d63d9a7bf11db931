/** What of a repository becomes memories: files, commits with their diffs, issues. Each carries `repo` and `file`. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { withDeadline } from '../../../http/deadline.ts'
import type { Clock, Fetch } from '../../../http/ports.ts'
import { git, lfsVersionLine, spawnReader } from '../../extract/source-files.ts'
import { findSecrets, isSecretFile } from '../../secrets/find-secrets.ts'
import { clean, withoutBase64 } from './clean.ts'
import { commitsIn, logFormat } from './git-log.ts'
import { Issue, textOfIssue, wordsOfIssue } from './issue.ts'
import { isNotebook, locationInNotebook, textOfNotebook } from './notebook.ts'
import { commitTree, folderTree } from './tree.ts'

export interface Item {
  readonly idempotency_key: string
  readonly content: string
  readonly metadata: Readonly<Record<string, string>>
}

/** All that one file, commit or issue gives; `sha` says whether it is still the same. */
export interface Source {
  readonly file: string
  readonly sha: string
  readonly item: Item
}

export interface LeftOut {
  readonly file: string
  readonly reason: string
}

export interface Gathered {
  readonly sources: Source[]
  readonly leftOut: LeftOut[]
}

/** What a memory may hold at most, in characters. */
const mostCharacters = 1_000_000
/** Of a diff: what one change is about stands at its beginning. */
const mostDiffBytes = 16 * 1024
/** Of the list of a commit's files: a metadata value has room for 4096 characters. */
const mostListed = 4000
/** Raised when commits give another text than before: those that are stored are sent anew then. */
const textOfCommits = 2
/** A text that is shorter says nothing that its name does not. */
const leastCharacters = 1

/** `commit`: the id of the one whose files these are, in a repository with or without a work tree. Without: the folder's. */
export async function gatherFiles(
  dir: string,
  repo: string,
  {
    commit,
    largestBytes,
    onProgress,
  }: {
    readonly commit: string | undefined
    readonly largestBytes: number
    readonly onProgress?: (done: number, total: number) => void
  },
): Promise<Gathered> {
  const tree = commit === undefined ? await folderTree(dir) : await commitTree(dir, commit)
  const leftOut: LeftOut[] = [...tree.skipped]
  const files: string[] = []
  for (const file of tree.files) {
    const reason = reasonByName(file)
    if (reason === undefined) files.push(file)
    else leftOut.push({ file, reason })
  }
  const sources: Source[] = []
  let done = 0
  for await (const read of tree.read(files, largestBytes)) {
    onProgress?.(done, files.length)
    done += 1
    if ('reason' in read) leftOut.push(read)
    else take(read.file, read.sha, read.bytes)
  }
  return { sources, leftOut }

  function take(file: string, sha: string, bytes: Buffer): void {
    const whole = clean(bytes.toString('utf8'))
    const text = isNotebook(file) ? textOfNotebook(whole) : whole
    if (text === undefined) return void leftOut.push({ file, reason: 'no notebook of nbformat 3 or 4' })
    const [secret] = findSecrets(text)
    if (secret !== undefined) {
      const location = isNotebook(file) ? locationInNotebook(text, secret.line) : `line ${secret.line}`
      return void leftOut.push({ file, reason: `holds a secret (${secret.what}, ${location})` })
    }
    if (text.trim().length < leastCharacters) return void leftOut.push({ file, reason: 'empty' })
    const kind = /(?:^|\/)readme(?:\.\w+)?$/i.test(file) ? 'readme' : 'file'
    const words = withoutBase64(text)
    // Its path is what people ask for it by.
    const content = `${file}\n\n${words}`.slice(0, mostCharacters)
    // A version that stores other parts of the same file replaces what is there.
    const digest = words === whole ? sha : digestOf(content)
    const item = { idempotency_key: keyOf('file', file, digest), content, metadata: { repo, file, kind, sha } }
    sources.push({ file, sha: digest, item })
  }
}

function reasonByName(file: string): string | undefined {
  if (isSecretFile(file)) return 'made for secrets'
  // The service has one record a name, and readers know by it what a memory is.
  return /^@(?:issue|commit)\//.test(file) ? 'named as an issue or a commit' : undefined
}

/** Id, time, subject, body. */
const fieldsOfCommit = ['%H', '%ct', '%s', '%b']

interface CommitOptions {
  readonly commit: string
  /** How many of the newest are looked at. */
  readonly most: number
  /** Those that the service has are left alone. */
  readonly isKnown: (file: string, sha: string) => boolean
}

/** Commits of the first parents' line up to `commit`, newest first, merges as what they brought. */
export async function gatherCommits(dir: string, repo: string, options: CommitOptions): Promise<Gathered> {
  const sources: Source[] = []
  const leftOut: LeftOut[] = []
  const due = await dueCommits(dir, options)
  // Where none is named, git would show HEAD.
  if (due.length === 0) return { sources, leftOut }
  const shown = ['--no-walk=unsorted', '--stdin', '--first-parent', '-m', '--name-only']
  const log = await git(dir, ['log', ...shown, logFormat(fieldsOfCommit)], `${due.join('\n')}\n`)
  if (log.code !== 0) throw new Error(`git cannot show the commits: ${log.stderr.trim()}`)
  for (const { values, files } of commitsIn(log.stdout, fieldsOfCommit)) {
    const [sha = '', at = '0', subject = '', body = ''] = values
    const file = fileOfCommit(sha)
    const diff = withoutPointers(await diffOf(dir, sha))
    const text = clean(`${subject}\n\n${body.trim()}\n\n${files.join('\n')}\n\n${diff}`)
    const [secret] = findSecrets(text)
    // The subject and the files are told all the same; the diff is not.
    const content = secret === undefined ? withoutBase64(text) : clean(`${subject}\n\n${files.join('\n')}`)
    if (secret !== undefined) {
      const isClean = findSecrets(content).length === 0
      leftOut.push({ file, reason: `${isClean ? 'diff left out: ' : ''}holds a secret (${secret.what})` })
      if (!isClean) continue
    }
    const listed = listOf(files)
    sources.push({
      file,
      sha: versionOf(sha),
      item: {
        idempotency_key: keyOf('commit', sha, ''),
        content: content.slice(0, mostCharacters),
        metadata: {
          repo,
          file,
          kind: 'commit',
          commit: sha,
          subject: clean(subject).slice(0, 1000),
          committed_at: new Date(Number(at) * 1000).toISOString(),
          ...(listed === '' ? {} : { files: listed }),
        },
      },
    })
  }
  return { sources, leftOut }
}

async function dueCommits(dir: string, { commit, most, isKnown }: CommitOptions): Promise<readonly string[]> {
  const parameters = ['rev-list', '--first-parent', `--max-count=${most}`, '--end-of-options', commit]
  const { code, stdout, stderr } = await git(dir, parameters)
  if (code !== 0) throw new Error(`git cannot list the commits up to ${commit}: ${stderr.trim()}`)
  return stdout.split('\n').filter((sha) => sha !== '' && !isKnown(fileOfCommit(sha), versionOf(sha)))
}

function versionOf(commit: string): string {
  return `${commit}-${textOfCommits}`
}

function fileOfCommit(sha: string): string {
  return `@commit/${sha}`
}

/** One name a line, as many as fit. */
function listOf(files: readonly string[]): string {
  let list = ''
  for (const file of files) {
    const longer = list === '' ? file : `${list}\n${file}`
    if (longer.length > mostListed) break
    list = longer
  }
  return clean(list)
}

/** Most lines of such a diff are of what came out of cells. */
const noNotebook = ':(top,exclude,icase)*.ipynb'
const lfsLine = new RegExp(`^[ +-]${lfsVersionLine}$`, 'm')

/** A diff without those of files that are or were Git LFS pointers. */
function withoutPointers(diff: string): string {
  const ofFiles = diff.split(/^(?=diff --git )/m)
  return ofFiles.filter((each) => !lfsLine.test(each)).join('')
}

function diffOf(dir: string, sha: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const parameters = ['--first-parent', '-m', '--format=', '-U2', '--no-color', '--no-ext-diff', '--no-textconv']
    const child = spawnReader(dir, ['show', ...parameters, '--end-of-options', sha, '--', noNotebook])
    child.stderr.resume()
    const chunks: Buffer[] = []
    let size = 0
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > mostDiffBytes) child.kill()
    })
    child.once('error', reject)
    child.once('close', () => resolve(Buffer.concat(chunks).subarray(0, mostDiffBytes).toString('utf8')))
  })
}

export function gatherIssues(issues: readonly Issue[], repo: string): Gathered {
  const sources: Source[] = []
  const leftOut: LeftOut[] = []
  for (const issue of issues) {
    const { number, state = '', html_url: url = '', pull_request: change } = issue
    const file = `@issue/${number}`
    const content = textOfIssue(issue).slice(0, mostCharacters)
    const [secret] = findSecrets(wordsOfIssue(issue))
    if (secret !== undefined) {
      leftOut.push({ file, reason: `holds a secret (${secret.what})` })
      continue
    }
    const sha = digestOf(`${state}\n${content}`)
    // Some forges write null for what is none.
    const kind = change === undefined || change === null ? 'issue' : 'merge-request'
    const metadata = {
      repo,
      file,
      kind,
      number: String(number),
      ...(state === '' ? {} : { state }),
      ...(url === '' ? {} : { url }),
    }
    sources.push({ file, sha, item: { idempotency_key: keyOf('issue', String(number), sha), content, metadata } })
  }
  return { sources, leftOut }
}

const Issues = Type.Array(Issue)

/** A JSON list, or one JSON object a line, as forges export them. */
export function readIssues(path: string): readonly Issue[] {
  const text = readFileSync(path, 'utf8').trim()
  const values: unknown = text.startsWith('[')
    ? JSON.parse(text)
    : text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as unknown)
  if (!Value.Check(Issues, values)) throw new Error(`${path} holds no list of issues with number and title`)
  return values
}

const issuesPage = 100
const mostPages = 200
/** For one page. */
const pageMs = 30_000

export interface ForgeIssues {
  /** Of the forge's REST API. */
  readonly api: string
  /** `owner/name`. */
  readonly name: string
  readonly token: string | undefined
  readonly clock: Clock
  readonly fetch: Fetch
}

export async function fetchIssues({ api, name, token, clock, fetch }: ForgeIssues): Promise<readonly Issue[]> {
  const found: Issue[] = []
  for (let page = 1; page <= mostPages; page += 1) {
    const url = `${api.replace(/\/$/, '')}/repos/${name}/issues?state=all&sort=created&direction=asc&per_page=${issuesPage}&page=${page}`
    const headers = { accept: 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
    const values = await withDeadline(clock, pageMs, async (signal): Promise<unknown> => {
      const answer = await fetch(url, { headers, signal })
      if (!answer.ok)
        throw new Error(`${new URL(api).origin} answered ${answer.status} when asked for the issues of ${name}`)
      return answer.json()
    })
    if (!Value.Check(Issues, values)) throw new Error(`${new URL(api).origin} answered no list of issues`)
    found.push(...values)
    if (values.length < issuesPage) break
  }
  return found
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 40)
}

function keyOf(kind: string, name: string, sha: string): string {
  const key = `${kind}:${name}:${sha}`
  return key.length <= 512 ? key : `${kind}:${createHash('sha256').update(key).digest('hex')}`
}
