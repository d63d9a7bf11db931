/**
 * Issues that a merge of ours closed by a word, and that are none of its Task's: they are opened again, once [MERGE-14].
 * A person may write such a word into the merge request of a Task, or into a commit of it.
 *
 * 1. Only what the bot's account closed within a minute of the merge: whatever people, or later merges, close stays closed.
 * 2. The comment comes first, under a key of issue and merge request. Where it stands, an issue that was closed after it
 *    stays closed; so a repeated effect opens none twice.
 * 3. Limit: a process that dies right after the merge repeats the effect only while the Task waits for it. When the forge tells
 *    the Task of the merge before that, the effect is withdrawn, and people open the issue by hand.
 */
import type { EffectParams } from '../../../machines/effect.ts'
import { closedIssues, type NamedIssue } from '../../../machines/rules/executed-text.ts'
import { sameLogin } from '../../../machines/rules/logins.ts'
import type { EffectContext } from '../../../runtime/runtime.ts'
import { ForbiddenError, NotFoundError } from '../errors.ts'
import type { ForgeComment, ForgeIssue, ForgeMergeRequest } from '../port.ts'
import { forgePath, type RepositorySettings } from '../projects.ts'
import type { OutboundDeps, Target } from './deps.ts'
import { commentOnce, ownCommentOf } from './issues.ts'

/** GitHub closes within seconds of the merge; what is closed later has another cause. */
const closesWithinMs = 60_000
/** Not yet closed does not mean spared: GitHub closes after it has answered. */
const looks = 3
const betweenLooksMs = 2_000
/** Each costs requests of the forge. */
const mostNamed = 50

type Params = EffectParams<'mergeMergeRequest'>

interface Bystander {
  readonly target: Target
  readonly number: number
}

/** `before`: as it was read before the merge; a person may have edited it in between. */
export async function reopenBystanders(
  deps: OutboundDeps,
  target: Target,
  params: Params,
  before: ForgeMergeRequest,
  { actor }: Pick<EffectContext, 'actor'>,
): Promise<void> {
  if (!sameLogin(before.author.login, target.project.scm.botLogin)) return
  const isOwn = await ownIssues(deps, params, actor)
  if (isOwn === undefined) return
  const merged = await target.forge.mergeRequest(target.path, params.number)
  if (merged.mergedAt === undefined) return
  const named = await executedBy(target, before, merged)
  const others = named
    .flatMap((one) => bystanderOf(target, one) ?? [])
    .filter((one) => !isOwn(one))
    .slice(0, mostNamed)
  let waiting: readonly Bystander[] = others
  for (let look = 1; waiting.length > 0; look += 1) {
    waiting = await openAgain(deps, waiting, merged, `${params.repository}!${params.number}`)
    if (look === looks) return
    if (waiting.length > 0) await new Promise<void>((done) => deps.clock.setTimer(betweenLooksMs, done))
  }
}

/** undefined: nobody knows which issues are its own, since the Task is gone. */
async function ownIssues(
  deps: OutboundDeps,
  { grants }: Params,
  actor: EffectContext['actor'],
): Promise<((one: Bystander) => boolean) | undefined> {
  const threads = await deps.threadsOf(actor)
  if (!threads?.length) return undefined
  const own = new Set(
    threads.flatMap(({ kind, repository, number }) => (kind === 'issue' ? [`${repository}-${number}`] : [])),
  )
  for (const grant of grants) own.add(grant.slice(grant.lastIndexOf('/') + 1))
  return ({ target: { repository }, number }) => own.has(`${repository.name}-${number}`)
}

/** The texts of that moment: a squash makes a commit of the first two. */
async function executedBy(
  { forge, path }: Target,
  before: ForgeMergeRequest,
  merged: ForgeMergeRequest,
): Promise<readonly NamedIssue[]> {
  const commits = await forge.mergeRequestCommits(path, merged.number)
  const texts = [before.title, before.body, merged.title, merged.body, ...commits.map(({ message }) => message)]
  return [...new Set(texts)].flatMap((text) => closedIssues(text))
}

/** An address may have the forge's own folder before the repository's path. */
function bystanderOf(target: Target, { path: named, number }: NamedIssue): Bystander | undefined {
  if (named === '') return { target, number }
  const { repositories, scm } = target.project
  const isNamed = (one: RepositorySettings): boolean => `/${named}`.endsWith(`/${forgePath(one, scm).toLowerCase()}`)
  const repository = repositories.find(isNamed)
  return repository && { target: { ...target, repository, path: forgePath(repository, scm) }, number }
}

/** Returns those that are open, and may still be closed. */
async function openAgain(
  deps: OutboundDeps,
  others: readonly Bystander[],
  { mergedAt = 0 }: ForgeMergeRequest,
  by: string,
): Promise<readonly Bystander[]> {
  const open: Bystander[] = []
  for (const one of others) {
    const { target, number } = one
    const issue = await issueNow(one)
    if (issue?.state === 'open' && (await commentBy(one, by)) === undefined) open.push(one)
    if (issue === undefined || !isClosedBy(target, issue, mergedAt)) continue
    await openOnce(one, issue, by)
    await deps.mirror.refresh(
      `${target.project.namespace}/${target.project.name}`,
      target.repository.name,
      'issue',
      number,
    )
  }
  return open
}

/** A number may be a merge request's, or nobody's; there the forge closed nothing. */
async function issueNow({ target: { forge, path }, number }: Bystander): Promise<ForgeIssue | undefined> {
  try {
    return await forge.issue(path, number)
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof ForbiddenError) return undefined
    throw error
  }
}

function isClosedBy({ project }: Target, { state, closedBy, closedAt = 0 }: ForgeIssue, mergedAt: number): boolean {
  if (state !== 'closed' || !sameLogin(closedBy?.login ?? '', project.scm.botLogin)) return false
  return closedAt >= mergedAt && closedAt <= mergedAt + closesWithinMs
}

async function openOnce(one: Bystander, { closedAt = 0 }: ForgeIssue, by: string): Promise<void> {
  const { target, number } = one
  const existing = await commentBy(one, by)
  if (existing !== undefined && closedAt > existing.createdAt) return
  await commentOnce(target, { on: 'issue', number, words: sentence(by), key: keyBy(by) })
  await target.forge.reopenIssue(target.path, number)
}

function commentBy({ target, number }: Bystander, by: string): Promise<ForgeComment | undefined> {
  return ownCommentOf(target, 'issue', number, keyBy(by))
}

function keyBy(mergeRequest: string): string {
  return `${mergeRequest}/opened-again`
}

function sentence(by: string): string {
  return `The merge of ${by} closed this issue, because its texts or commits name it behind a closing keyword. Its Task is about other issues, so the platform has opened this one again, once. If it is done, close it.`
}
