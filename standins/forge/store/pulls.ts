import type { FileDiff } from '../git/diff.ts'
import { checkText, editIssue, newThread, setState, type IssuePatch } from './issues.ts'
import { demand } from './permissions.ts'
import { fullName, isPull, threadKey, type Actor, type Pull, type PullStats, type Repository } from './records.ts'
import { Refusal } from './refusal.ts'
import { emit, record, timestamp, type World } from './world.ts'

export interface PullInput {
  readonly title: string
  readonly body?: string | null
  /** A branch of the same repository; forks are not played. */
  readonly head: string
  readonly base: string
  readonly draft?: boolean
}

export interface PullPatch extends Omit<IssuePatch, 'labels' | 'assignees' | 'stateReason'> {
  readonly base?: string
}

interface Tips {
  readonly headSha: string
  readonly baseSha: string
  readonly diffBase: string
}

export function findPull(repository: Repository, number: number): Pull {
  const issue = repository.issues.get(threadKey(repository, 'pull', number))
  if (!issue || !isPull(issue)) throw new Refusal('not-found')
  return issue
}

export function pullsOf(repository: Repository): Pull[] {
  return [...repository.issues.values()].filter(isPull)
}

/** Opening, merging and pushing exclude each other per repository: each decides by refs that the others move. */
export function refLock(repository: Repository): string {
  return `refs:${fullName(repository)}`
}

export function openPull(world: World, repository: Repository, actor: Actor, input: PullInput): Promise<Pull> {
  return world.locks.run(refLock(repository), async () => {
    demand(repository, actor, 'write')
    checkText(repository, input.title, input.body, 'PullRequest')
    const tips = await tipsOf(repository, input.head, input.base)
    if (
      pullsOf(repository).some((pull) => pull.state === 'open' && pull.head === input.head && pull.base === input.base)
    ) {
      throw new Refusal('pull-exists', { resource: 'PullRequest', detail: `${repository.owner.login}:${input.head}` })
    }
    const stats = await statsOf(repository, tips)
    if (stats.commits === 0)
      throw new Refusal('no-commits', { resource: 'PullRequest', detail: `${input.base} and ${input.head}` })
    const pull: Pull = {
      kind: 'pull',
      ...newThread(world, repository, actor.user, 'pull', input.title, input.body ?? null),
      ...tips,
      pullId: world.nextId(),
      head: input.head,
      base: input.base,
      draft: input.draft ?? false,
      merged: null,
      stats,
      mergeability: null,
      reviews: new Map(),
      reviewComments: new Map(),
      drafts: new Map(),
      reviewers: [],
      versions: [],
    }
    repository.issues.set(threadKey(repository, 'pull', pull.number), pull)
    await noteHead(world, repository, pull)
    record(world, actor.user, 'pull.open', repository, {
      number: pull.number,
      sha: pull.headSha,
      detail: { title: pull.title, head: pull.head, base: pull.base },
    })
    emit(world, { type: 'pull.changed', action: 'opened', repository, actor: actor.user, pull })
    return pull
  })
}

async function tipsOf(repository: Repository, head: string, base: string): Promise<Tips> {
  const headSha = await repository.git.branchTip(head)
  if (!headSha) throw new Refusal('invalid', { resource: 'PullRequest', field: 'head', detail: head })
  const baseSha = await repository.git.branchTip(base)
  if (!baseSha) throw new Refusal('invalid', { resource: 'PullRequest', field: 'base', detail: base })
  const diffBase = await repository.git.mergeBase(baseSha, headSha)
  if (!diffBase) throw new Refusal('no-commits', { resource: 'PullRequest', detail: `${base} and ${head}` })
  return { headSha, baseSha, diffBase }
}

async function statsOf(repository: Repository, tips: Tips): Promise<PullStats> {
  const [commits, files] = await Promise.all([
    repository.git.countCommits(tips.baseSha, tips.headSha),
    repository.git.diffFiles(tips.diffBase, tips.headSha),
  ])
  return {
    commits,
    changedFiles: files.length,
    additions: sum(files, (file) => file.additions),
    deletions: sum(files, (file) => file.deletions),
  }
}

function sum(files: readonly FileDiff[], count: (file: FileDiff) => number): number {
  return files.reduce((total, file) => total + count(file), 0)
}

export function pullFiles(repository: Repository, pull: Pull, head = pull.headSha): Promise<FileDiff[]> {
  return repository.git.diffFiles(pull.diffBase, head)
}

/** Takes the pull to where its branches now stand. The caller holds the ref lock and tells the world. */
export async function refreshPull(world: World, repository: Repository, pull: Pull): Promise<void> {
  const tips = await tipsOf(repository, pull.head, pull.base)
  Object.assign(pull, tips, {
    stats: await statsOf(repository, tips),
    mergeability: null,
    updatedAt: timestamp(world, repository),
  })
  await noteHead(world, repository, pull)
}

/** Under a ref of its own the head can be fetched after its branch is gone. */
async function noteHead(world: World, repository: Repository, pull: Pull): Promise<void> {
  const { headSha, baseSha, diffBase } = pull
  const last = pull.versions.at(-1)
  if (last?.headSha !== headSha || last.diffBase !== diffBase)
    pull.versions.push({ id: world.nextId(), headSha, baseSha, diffBase, createdAt: timestamp(world, repository) })
  const folder = repository.dialect === 'gitlab' ? 'merge-requests' : 'pull'
  await repository.git.setRef(`refs/${folder}/${pull.number}/head`, headSha)
}

export function editPull(
  world: World,
  repository: Repository,
  actor: Actor,
  pull: Pull,
  patch: PullPatch,
): Promise<void> {
  return world.locks.run(refLock(repository), async () => {
    const texts = patch.title !== undefined || patch.body !== undefined || patch.base !== undefined
    demand(repository, actor, pull.author === actor.user ? 'read' : texts ? 'write' : 'triage')
    if (patch.state === 'open' && pull.state === 'closed') await checkReopening(world, repository, pull)
    if (patch.base !== undefined && patch.base !== pull.base) await moveBase(world, repository, actor, pull, patch.base)
    editIssue(world, repository, actor, pull, {
      ...(patch.title === undefined ? {} : { title: patch.title }),
      ...(patch.body === undefined ? {} : { body: patch.body }),
    })
    if (patch.state && patch.state !== pull.state) setState(world, repository, actor.user, pull, patch.state)
  })
}

async function checkReopening(world: World, repository: Repository, pull: Pull): Promise<void> {
  const gone = pull.merged || !(await repository.git.branchTip(pull.head))
  if (gone) throw new Refusal('head-gone', { resource: 'PullRequest', field: 'state', detail: pull.head })
  await refreshPull(world, repository, pull)
}

async function moveBase(world: World, repository: Repository, actor: Actor, pull: Pull, base: string): Promise<void> {
  await tipsOf(repository, pull.head, base)
  const from = pull.base
  pull.base = base
  await refreshPull(world, repository, pull)
  record(world, actor.user, 'pull.edit', repository, {
    number: pull.number,
    detail: { changed: ['base'], from, to: base },
  })
  emit(world, {
    type: 'pull.changed',
    action: 'edited',
    repository,
    actor: actor.user,
    pull,
    changes: { base: { from } },
  })
}

export function markReady(world: World, repository: Repository, actor: Actor, pull: Pull): void {
  setDraft(world, repository, actor, pull, false)
}

export function setDraft(world: World, repository: Repository, actor: Actor, pull: Pull, draft: boolean): void {
  demand(repository, actor, pull.author === actor.user ? 'read' : 'write')
  if (pull.draft === draft) return
  pull.draft = draft
  pull.updatedAt = timestamp(world, repository)
  record(world, actor.user, draft ? 'pull.draft' : 'pull.ready', repository, { number: pull.number })
  const action = draft ? 'converted_to_draft' : 'ready_for_review'
  emit(world, { type: 'pull.changed', action, repository, actor: actor.user, pull })
}
