/** What every adapter of the port has to do, told as tests; the adapter is the parameter. */
import { describe, expect, test } from 'vitest'
import type { ForgePort, MergeMethod } from '../port.ts'

/** In what forges differ and the port shows it. */
export interface ForgeTraits {
  /** Of a repository whose settings nobody touched, in the order in which we try them. */
  readonly mergeMethods: readonly MergeMethod[]
  /** What a delivery about an issue is called. */
  readonly issueEvent: string
  /** Whether a comment says of its author that it is a bot; by its login it is known anyway. */
  readonly marksBots: boolean
}

export interface ContractFixture {
  /** As the bot, with every right on the repository. */
  readonly port: ForgePort
  /** As an account that may only read. */
  readonly readerPort: ForgePort
  /** `owner/name` of a repository with a branch `main`. */
  readonly path: string
  /** Commits the files on a branch and pushes it as the bot; its head. */
  push(branch: string, files: Readonly<Record<string, string>>): Promise<string>
  /** Acts of a person who maintains the repository. */
  openIssue(title: string, labels: readonly string[]): Promise<number>
  comment(number: number, body: string): Promise<void>
  deleteComment(id: string): Promise<void>
  reportCheck(sha: string, name: string, state: 'running' | 'success' | 'failure'): Promise<void>
  /** The forge knows that checks of the head are still to begin, until the returned function is called. */
  expectChecks(sha: string): () => void
  /** A hook's deliveries have been tried. */
  settled(): Promise<void>
}

export type WithContractFixture = (use: (fixture: ContractFixture) => Promise<void>) => Promise<void>

const FILES = { 'src/mul.js': 'export const mul = (a, b) => a * b\n' }

async function mergeable(port: ForgePort, path: string, number: number): Promise<boolean> {
  for (let round = 0; round < 100; round++) {
    const found = await port.mergeRequest(path, number)
    if (found.mergeable !== null) return found.mergeable
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error('the forge never found out whether it can be merged')
}

export function forgePortContract(name: string, traits: ForgeTraits, withFixture: WithContractFixture): void {
  describe(`${name} as a forge (PROJECT-SCM-2)`, () => {
    identity(traits, withFixture)
    issues(traits, withFixture)
    mergeRequests(withFixture)
    checks(withFixture)
    hooks(traits, withFixture)
  })
}

function identity({ mergeMethods }: ForgeTraits, withFixture: WithContractFixture): void {
  test('tells whose token it is, what the repository allows and who may do what (FORGE-RULES-3)', async () => {
    await withFixture(async ({ port, readerPort, path }) => {
      expect((await port.whoAmI()).login).toBe('bot')
      expect(await port.repository(path)).toMatchObject({
        path,
        defaultBranch: 'main',
        mergeMethods,
      })
      expect(await port.permissionOf(path, 'bot')).toBe('admin')
      expect(await port.permissionOf(path, 'stranger')).not.toBe('admin')
      await expect(port.repository(`${path}-absent`)).rejects.toMatchObject({
        name: 'NotFoundError',
        reason: 'forge-not-found',
      })
      await expect(readerPort.deleteBranch(path, 'main')).rejects.toMatchObject({ name: 'ForbiddenError' })
    })
  })
}

function issues({ marksBots }: ForgeTraits, withFixture: WithContractFixture): void {
  test('lists issues that changed since, without merge requests, and reads one', async () => {
    await withFixture(async ({ port, path, openIssue, push }) => {
      const number = await openIssue('First', ['platform'])
      await push('a', FILES)
      await port.createMergeRequest(path, { branch: 'a', base: 'main', title: 'A', body: '' })
      const [listed, ...others] = await port.listIssues(path)
      expect([listed?.number, others]).toEqual([number, []])
      expect(await port.issue(path, number)).toMatchObject({
        title: 'First',
        state: 'open',
        labels: ['platform'],
        author: { login: 'maintainer', bot: false },
      })
      expect(await port.listIssues(path, { since: listed!.updatedAt + 60_000 })).toEqual([])
      const edited = await port.editIssue(path, number, { title: 'Second' })
      expect(edited).toMatchObject({ number, title: 'Second', body: listed!.body })
      await port.closeIssue(path, number)
      expect(await port.issue(path, number)).toMatchObject({ state: 'closed', closedBy: { login: 'bot' } })
      const { closedAt } = await port.issue(path, number)
      expect(closedAt).toBeGreaterThanOrEqual(Math.floor(listed!.createdAt / 1000) * 1000)
      expect(await port.listIssues(path, { state: 'open' })).toEqual([])
      await port.reopenIssue(path, number)
      await port.reopenIssue(path, number)
      const again = await port.issue(path, number)
      expect(again.state).toBe('open')
      expect(again).not.toHaveProperty('closedAt')
      expect(again).not.toHaveProperty('closedBy')
    })
  })

  test('reads all issues and merge requests there ever were, page by page', async () => {
    await withFixture(async ({ port, path, openIssue, push }) => {
      const opened: number[] = []
      for (let n = 0; n < 101; n++) opened.push(await openIssue(`Issue ${n}`, []))
      await port.closeIssue(path, opened[0]!)
      await push('a', FILES)
      const { number } = await port.createMergeRequest(path, { branch: 'a', base: 'main', title: 'A', body: '' })
      const first = await port.issueHistory(path)
      const second = await port.issueHistory(path, first.next)
      expect(second.next).toBeUndefined()
      const found = [...first.items, ...second.items].map((issue) => issue.number)
      expect(found.toSorted((a, b) => a - b)).toEqual(opened)
      const { items, next } = await port.mergeRequestHistory(path)
      expect([items.map((one) => one.number), next]).toEqual([[number], undefined])
    })
  })

  test('writes, edits and lists comments in their order; a deleted one is gone', async () => {
    await withFixture(async ({ port, path, openIssue, comment, deleteComment }) => {
      const number = await openIssue('First', [])
      await comment(number, 'one')
      const mine = await port.createComment(path, 'issue', number, 'two')
      expect(mine).toMatchObject({ on: 'issue', number, sort: 'comment', author: { login: 'bot', bot: marksBots } })
      await port.editComment(path, { on: 'issue', number, id: mine.id }, 'three')
      const all = await port.listComments(path, 'issue', number)
      expect(all.map((one) => one.body)).toEqual(['one', 'three'])
      expect((await port.listCommentsSince(path, 0)).map((one) => [one.on, one.number, one.body])).toEqual([
        ['issue', number, 'one'],
        ['issue', number, 'three'],
      ])
      await deleteComment(all[0]!.id)
      expect((await port.listComments(path, 'issue', number)).map((one) => one.body)).toEqual(['three'])
    })
  })

  test('makes labels once and changes those of an issue; what is not there is no error', async () => {
    await withFixture(async ({ port, path, openIssue }) => {
      const number = await openIssue('First', ['platform'])
      const spec = { name: 'new label', color: 'ff0000', description: 'x' }
      await port.ensureLabels(path, [spec])
      await port.ensureLabels(path, [{ ...spec, color: '00ff00' }])
      await port.changeLabels(path, number, { add: ['new label'], remove: ['platform', 'never there'] })
      expect((await port.issue(path, number)).labels).toEqual(['new label'])
    })
  })
}

function mergeRequests(withFixture: WithContractFixture): void {
  test('opens, finds, shows and merges a change at exactly its head', async () => {
    await withFixture(async ({ port, path, push }) => {
      const sha = await push('platform/a', FILES)
      expect(await port.branchHead(path, 'platform/a')).toBe(sha)
      expect(await port.branchHead(path, 'absent')).toBeUndefined()
      expect(await port.commitsAhead(path, 'main', 'platform/a')).toBe(1)
      const opened = await port.createMergeRequest(path, { branch: 'platform/a', base: 'main', title: 'A', body: 'b' })
      expect(opened).toMatchObject({
        state: 'open',
        headSha: sha,
        headBranch: 'platform/a',
        headRepository: path,
        baseBranch: 'main',
        draft: false,
      })
      await expect(
        port.createMergeRequest(path, { branch: 'platform/a', base: 'main', title: 'A', body: 'b' }),
      ).rejects.toMatchObject({ name: 'ValidationError' })
      expect(
        (await port.listMergeRequests(path, { state: 'open', headBranch: 'platform/a' })).map((one) => one.number),
      ).toEqual([opened.number])
      expect(await port.listMergeRequests(path, { headBranch: 'platform/b' })).toEqual([])
      expect(await port.files(path, opened.number)).toMatchObject([
        { path: 'src/mul.js', status: 'added', additions: 1 },
      ])
      expect(await port.diff(path, opened.number)).toContain('+export const mul')
      expect(await mergeable(port, path, opened.number)).toBe(true)
      const listed = await port.mergeRequestCommits(path, opened.number)
      expect(listed).toMatchObject([{ sha }])
      await expect(
        port.mergeMergeRequest(path, opened.number, { sha: 'f'.repeat(40), method: 'merge' }),
      ).rejects.toMatchObject({ name: 'HeadMovedError' })
      const commit = await port.mergeMergeRequest(path, opened.number, { sha, method: 'squash' })
      expect(await port.mergeRequest(path, opened.number)).toMatchObject({ state: 'merged', mergeCommit: commit })
      expect((await port.mergeRequest(path, opened.number)).mergedAt).toBeGreaterThanOrEqual(opened.createdAt)
      expect(await port.mergeRequestCommits(path, opened.number)).toEqual(listed)
      expect(await port.recentHeads(path, 'main', 1)).toEqual([commit])
      expect(await port.commits(path, { since: 0, limit: 1 })).toMatchObject([{ sha: commit }])
      await port.deleteBranch(path, 'platform/a')
      await port.deleteBranch(path, 'platform/a')
      expect(await port.branchHead(path, 'platform/a')).toBeUndefined()
    })
  })

  test('reviews on lines of the diff, refuses other lines whole, and answers in the thread', async () => {
    await withFixture(async ({ port, path, push }) => {
      const sha = await push('platform/a', FILES)
      const { number } = await port.createMergeRequest(path, {
        branch: 'platform/a',
        base: 'main',
        title: 'A',
        body: '',
      })
      const bad = { sha, body: 'x', lines: [{ path: 'src/mul.js', line: 99, body: 'nowhere' }] }
      await expect(port.postReview(path, number, bad)).rejects.toMatchObject({ name: 'ValidationError' })
      expect(await port.listReviews(path, number)).toEqual([])
      const review = await port.postReview(path, number, {
        sha,
        body: 'look',
        lines: [{ path: 'src/mul.js', line: 1, body: 'here' }],
      })
      expect(review).toMatchObject({ sort: 'review', verdict: 'commented', sha })
      const inline = (await port.listReviews(path, number)).find((one) => one.sort === 'inline')!
      expect(inline).toMatchObject({ on: 'mr', number, path: 'src/mul.js', line: 1, body: 'here' })
      expect(await port.reply(path, number, inline.id, 'why?')).toMatchObject({ sort: 'inline', inReplyTo: inline.id })
      expect(await port.reply(path, number, review.id, 'thanks')).toMatchObject({
        sort: 'comment',
        on: 'mr',
        body: 'thanks',
      })
    })
  })

  test('a change that conflicts is told as such and not merged', async () => {
    await withFixture(async ({ port, path, push }) => {
      const sha = await push('platform/a', { 'README.md': 'ours\n' })
      await push('main', { 'README.md': 'theirs\n' })
      const { number } = await port.createMergeRequest(path, {
        branch: 'platform/a',
        base: 'main',
        title: 'A',
        body: '',
      })
      expect(await mergeable(port, path, number)).toBe(false)
      await expect(port.mergeMergeRequest(path, number, { sha, method: 'merge' })).rejects.toMatchObject({
        name: 'NotMergeableError',
      })
    })
  })
}

function checks(withFixture: WithContractFixture): void {
  test('a head is what the forge says of it as a whole, also while every check that has begun is green (TOOL-CI-9)', async () => {
    await withFixture(async ({ port, path, push, reportCheck, expectChecks }) => {
      const sha = await push('platform/a', FILES)
      const end = expectChecks(sha)
      await reportCheck(sha, 'unit', 'success')
      const between = await port.ci(path, sha)
      expect([between.status, between.checks.map(({ status }) => status)]).toEqual(['running', ['success']])
      await reportCheck(sha, 'deploy', 'success')
      end()
      expect((await port.ci(path, sha)).status).toBe('success')
    })
  })

  test('the checks of a head come to one state: none, running until the last has ended, then failure or success (TOOL-CI-10, TOOL-CI-14)', async () => {
    await withFixture(async ({ port, path, push, reportCheck }) => {
      const sha = await push('platform/a', FILES)
      expect(await port.ci(path, sha)).toEqual({ sha, status: 'none', unfinished: false, checks: [] })
      await reportCheck(sha, 'unit', 'running')
      expect(await port.ci(path, sha)).toMatchObject({ status: 'running', unfinished: true })
      await reportCheck(sha, 'lint', 'success')
      expect((await port.ci(path, sha)).status).toBe('running')
      await reportCheck(sha, 'types', 'failure')
      expect((await port.ci(path, sha)).status).toBe('running')
      await reportCheck(sha, 'unit', 'success')
      expect(await port.ci(path, sha)).toMatchObject({ status: 'failure', unfinished: false })
      expect(await port.requiredChecks(path, 'main')).toEqual({ names: [] })
    })
  })
}

function hooks({ issueEvent }: ForgeTraits, withFixture: WithContractFixture): void {
  test('a hook is made once; deliveries that failed are listed and sent again under the same id', async () => {
    await withFixture(async ({ port, path, openIssue, settled }) => {
      const spec = { url: 'http://127.0.0.1:47999/hook', secret: 's' }
      const hook = await port.ensureHook(path, spec)
      expect(await port.ensureHook(path, { ...spec, secret: 'rotated' })).toEqual(hook)
      await openIssue('First', [])
      await settled()
      const [failed] = (await port.listDeliveries(path, hook.id, 0)).filter((one) => one.event === issueEvent)
      expect(failed?.ok).toBe(false)
      await port.redeliver(path, hook.id, failed!.id)
      await settled()
      const again = (await port.listDeliveries(path, hook.id, 0)).filter((one) => one.delivery === failed!.delivery)
      expect(again).toHaveLength(2)
    })
  })
}
