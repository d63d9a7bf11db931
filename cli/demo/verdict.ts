/** Did the main job succeed? The forge's own audit log decides, and the repository itself. */
import { mkdtemp, rm } from 'node:fs/promises'
import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { AuditEntry } from '../local/standins.ts'
import { git } from '../local/git-seed.ts'
import { people } from '../../standins/people.ts'
import { maintainerComments } from './maintainer-comments.ts'

const run = promisify(execFile)
const testLimitMs = 10 * 60_000

export interface Verdict {
  readonly faults: readonly string[]
  readonly mergeRequest: { readonly number: number; readonly reviewedSha: string; readonly mergeCommit: string } | null
}

interface JudgedRepository {
  readonly barePath: string
  readonly defaultBranch: string
  readonly testCommand: string | undefined
}

/** Exactly one merge request, one merge with a reviewed sha, by the bot; no comment twice; main holds the change and passes. */
export async function judge(audit: readonly AuditEntry[], repository: JudgedRepository): Promise<Verdict> {
  const opened = audit.filter(({ action, actor }) => action === 'pull.open' && actor === people.bot)
  const merges = audit.filter(({ action }) => action === 'pull.merge')
  const [merge] = merges
  const faults = [
    ...(opened.length === 1 ? [] : [`${opened.length} merge requests were opened, not one`]),
    ...(merges.length === 1 ? [] : [`${merges.length} merges were made, not one`]),
    ...(merge === undefined || merge.actor === people.bot ? [] : [`the merge was made by ${merge.actor}`]),
    ...repeated(audit),
  ]
  const { sha, after, number = 0 } = merge ?? {}
  if (sha === undefined || after === undefined) return { faults, mergeRequest: null }
  const isReviewed = audit.some((entry) => entry.number === merge?.number && isReviewOf(entry, sha))
  if (!isReviewed) faults.push(`the merged head ${sha} has no review`)
  faults.push(...(await judgeMain(repository, sha)))
  return { faults, mergeRequest: { number, reviewedSha: sha, mergeCommit: after } }
}

interface Written {
  readonly body?: string | null
  readonly path?: string
  readonly line?: number
}

/** Of what the bot wrote without its hidden markers. */
export function textOf(body: string): string {
  return body.replaceAll(/<!--.*?-->/gs, '').trim()
}

/** The platform's own. On GitLab the text of a review is a comment that names its head. */
function isReviewOf({ action, actor, kind, sha, detail }: AuditEntry, head: string): boolean {
  if (actor !== people.bot) return false
  if (action.startsWith('review.')) return sha === head
  const { body } = (detail ?? {}) as Written
  const isComment = action === 'comment.create' && kind === 'pull'
  return isComment && (body ?? '').includes(`<!-- platform:review=${head} -->`)
}

/** What may be written again, and what never may. */
const written: Readonly<Record<string, boolean>> = {
  'comment.create': true,
  'review.create': true,
  'review-comment.create': false,
}

/**
 * The same words by the bot on the same thread, hidden markers aside. Each word that withholds the merge may cause one
 * more review of a head, and one more refused approval, with the same words; under one marker it is the same one.
 */
function repeated(audit: readonly AuditEntry[]): readonly string[] {
  const withheld = maintainerComments(audit).filter(({ means }) => means === 'withholds')
  const seen = new Map<string, readonly string[]>()
  return audit.flatMap(({ actor, action, kind, number, sha = '', detail }, index) => {
    const mayRepeat = written[action]
    const { body, path = '', line = 0 } = (detail ?? {}) as Written
    const words = textOf(body ?? '')
    if (actor !== people.bot || mayRepeat === undefined || words === '') return []
    const key = JSON.stringify([action, kind, number, sha, path, line, words])
    const before = seen.get(key) ?? []
    seen.set(key, [...before, body ?? ''])
    const isOther = mayRepeat && !before.includes(body ?? '')
    const allowed = isOther ? withheld.filter((word) => word.index < index).length : 0
    return before.length > allowed ? [`the bot wrote twice on #${number}: ${words.slice(0, 80)}`] : []
  })
}

/** By tree, not by ancestry: a squash or rebase keeps the content and loses the commit (MERGE-8). */
async function judgeMain(
  { barePath, defaultBranch, testCommand }: JudgedRepository,
  reviewedSha: string,
): Promise<readonly string[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'statewright-verdict-'))
  try {
    await git(scratch, 'clone', '--quiet', '--branch', defaultBranch, barePath, 'main')
    const checkout = join(scratch, 'main')
    await git(checkout, 'fetch', '--quiet', 'origin', reviewedSha)
    const base = await firstParentBase(checkout, reviewedSha)
    const changed = (await git(checkout, 'diff', '--name-only', base, reviewedSha))
      .split('\n')
      .filter((path) => path !== '')
    if (changed.length === 0) return ['the merged head changes nothing']
    const differs = await git(checkout, 'diff', '--name-only', 'HEAD', reviewedSha, '--', ...changed)
    const faults =
      differs === '' ? [] : [`${defaultBranch} does not contain the change: ${differs.split('\n').join(', ')}`]
    return [...faults, ...(await runTests(checkout, testCommand))]
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Where the change began: the merge base with the base branch as it was before the merge. */
async function firstParentBase(checkout: string, reviewedSha: string): Promise<string> {
  const before = await git(checkout, 'rev-parse', 'HEAD^1').catch(() => 'HEAD')
  const base = await git(checkout, 'merge-base', before, reviewedSha)
  return base === reviewedSha ? `${reviewedSha}^` : base
}

async function runTests(checkout: string, given: string | undefined): Promise<readonly string[]> {
  const manifest = await git(checkout, 'show', 'HEAD:package.json').catch(() => '{}')
  const { scripts } = JSON.parse(manifest) as { scripts?: { test?: string } }
  const command = given ?? (scripts?.test === undefined ? 'true' : 'npm test')
  const PATH = `${dirname(process.execPath)}:${process.env['PATH'] ?? '/usr/bin:/bin'}`
  const env = { PATH, HOME: checkout, CI: 'true', npm_config_update_notifier: 'false' }
  try {
    await run('sh', ['-c', command], { cwd: checkout, env, timeout: testLimitMs, maxBuffer: 32 * 1024 * 1024 })
    return []
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    return [`the tests of the merged branch fail: ${`${stdout}${stderr}`.trim().split('\n').slice(-5).join(' | ')}`]
  }
}
