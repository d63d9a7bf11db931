/** A walk over everything that the adapter asks and everything that the local forge answers, with each request recorded. */
import { Octokit } from '@octokit/rest'
import type { Exchange } from '../../../../standins/forge/testing/judges/judge.ts'
import {
  failure,
  withForge,
  withReceiver,
  type ForgeFixture,
  type Received,
} from '../../../../standins/forge/testing/fixture.ts'
import type { ForgePort } from '../../port.ts'
import { createGithubForge } from '../port.ts'

export interface Recorded {
  readonly exchanges: readonly Exchange[]
  readonly received: readonly Received[]
  /** Methods of the port that were called, and those that there are. */
  readonly called: readonly string[]
  readonly methods: readonly string[]
}

/** Where the walk is: each part takes what it needs of it, and they run in the order below. */
interface Walk {
  readonly port: ForgePort
  readonly room: ForgeFixture
  readonly folder: string
  client(login: string): Octokit
}

const PATH = 'acme/library'
const REPO = { owner: 'acme', repo: 'library' }
const FILES = { 'src/mul.js': 'export const mul = (a, b) => a * b\n' }
const NOWHERE = 'http://127.0.0.1:9/hook'

export async function walkForge(): Promise<Recorded> {
  const exchanges: Exchange[] = []
  const called = new Set<string>()
  let recorded: Recorded | undefined
  await withReceiver(async (receiver) => {
    const repository = {
      permissions: { maintainer: 'admin', bot: 'admin', reader: 'read' },
      labels: [{ name: 'platform', color: '5319e7' }],
      hooks: [{ url: receiver.url, secret: 's', events: ['*'] }],
      protection: { main: { requiredChecks: ['unit'], requiredApprovals: 1 } },
    } as const
    await withForge({ repository }, async (room) => {
      const fetch = recording(exchanges)
      const plain = createGithubForge({ token: 'token-of-bot', apiURL: room.forge.apiUrl, fetch })
      const walk: Walk = {
        port: noting(plain, called),
        room,
        folder: await room.clone('bot'),
        client: (login) => clientOf(room, login, fetch),
      }
      await people(walk)
      await issues(walk)
      await labels(walk)
      await branches(walk)
      const { number, sha } = await pull(walk)
      await checks(walk, sha)
      await reviews(walk, number, sha)
      await lineComments(walk, number, sha)
      await merge(walk, number)
      await hooks(walk)
      await refusals(walk)
      await room.forge.idle()
      const methods = Object.entries(plain).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []))
      recorded = { exchanges, received: receiver.received, called: [...called], methods }
    })
  })
  return recorded!
}

function recording(exchanges: Exchange[]): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const answer = await fetch(input, init)
    const text = await answer.clone().text()
    const isJson = (answer.headers.get('content-type') ?? '').includes('json')
    exchanges.push({
      method: init?.method ?? 'GET',
      path: decodeURI(url.pathname).replace('/api/v3', ''),
      query: [...url.searchParams.keys()],
      ...(typeof init?.body === 'string' ? { sent: JSON.parse(init.body) as unknown } : {}),
      status: answer.status,
      ...(isJson && text !== '' ? { body: JSON.parse(text) as unknown } : {}),
      isText: !isJson && text !== '',
    })
    return answer
  }
}

function noting(port: ForgePort, called: Set<string>): ForgePort {
  return new Proxy(port, {
    get(target, name: keyof ForgePort) {
      called.add(name)
      return target[name]
    },
  })
}

function clientOf({ forge }: ForgeFixture, login: string, use: typeof fetch): Octokit {
  const quiet = (): void => {}
  return new Octokit({
    baseUrl: forge.apiUrl,
    ...(login === '' ? {} : { auth: `token-of-${login}` }),
    request: { fetch: use },
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  })
}

async function people({ port, client }: Walk): Promise<void> {
  const kit = client('maintainer')
  await port.whoAmI()
  await port.repository(PATH)
  await port.permissionOf(PATH, 'bot')
  await port.permissionOf(PATH, 'stranger')
  await kit.meta.root()
  await kit.rateLimit.get()
  await kit.users.getByUsername({ username: 'bot' })
  await kit.repos.listForAuthenticatedUser()
  await kit.repos.listForUser({ username: 'acme' })
  await client('reader').repos.get(REPO)
  await kit.repos.listCollaborators(REPO)
  await kit.repos.checkCollaborator({ ...REPO, username: 'bot' })
}

async function issues({ port, client }: Walk): Promise<void> {
  const kit = client('maintainer')
  const { number } = await port.createIssue(PATH, { title: 'One', body: 'b', labels: ['platform'] })
  const one = { ...REPO, issue_number: number }
  await port.issue(PATH, number)
  await port.editIssue(PATH, number, { title: 'Two', body: 'c' })
  await port.listIssues(PATH, { since: 1, state: 'all' })
  const { id } = await port.createComment(PATH, 'issue', number, 'hello')
  await port.editComment(PATH, { on: 'issue', number, id }, 'hallo')
  await port.editsOf(await port.listComments(PATH, 'issue', number))
  await kit.issues.getComment({ ...REPO, comment_id: Number(id) })
  await kit.issues.deleteComment({ ...REPO, comment_id: Number(id) })
  await port.createComment(PATH, 'issue', number, 'again')
  await kit.issues.update({ ...one, assignees: ['bot'] })
  await kit.issues.update({ ...one, state: 'closed', state_reason: 'not_planned' })
  await port.reopenIssue(PATH, number)
  await port.closeIssue(PATH, number)
  await port.issueHistory(PATH)
}

async function labels({ port, client }: Walk): Promise<void> {
  const kit = client('maintainer')
  const { number } = await port.createIssue(PATH, { title: 'Labelled', body: '' })
  const one = { ...REPO, issue_number: number }
  await port.ensureLabels(PATH, [{ name: 'new label', color: 'ff0000', description: 'x' }])
  await port.ensureLabels(PATH, [{ name: 'new label', color: '00ff00', description: 'y' }])
  await port.changeLabels(PATH, number, { add: ['new label'], remove: [] })
  await port.changeLabels(PATH, number, { add: [], remove: ['new label', 'never'] })
  await kit.issues.listLabelsForRepo(REPO)
  await kit.issues.getLabel({ ...REPO, name: 'new label' })
  await kit.issues.setLabels({ ...one, labels: ['platform'] })
  await kit.issues.listLabelsOnIssue(one)
  await kit.issues.removeAllLabels(one)
  await kit.issues.createLabel({ ...REPO, name: 'spare', color: 'ffffff' })
  await kit.issues.updateLabel({ ...REPO, name: 'spare', color: '000000' })
  await kit.issues.deleteLabel({ ...REPO, name: 'spare' })
}

async function branches({ port, room, folder, client }: Walk): Promise<void> {
  const kit = client('maintainer')
  const sha = await room.push(folder, 'side/one', { 'src/side.js': 'export const side = 1\n' })
  await port.branchHead(PATH, 'main')
  await port.branchHead(PATH, 'absent')
  await port.commitsAhead(PATH, 'main', 'side/one')
  await port.commits(PATH, { since: 0, limit: 2 })
  await port.recentHeads(PATH, 'main', 2)
  await port.requiredChecks(PATH, 'main')
  await port.requiredChecks(PATH, 'side/one')
  await kit.repos.listBranches(REPO)
  await kit.repos.getBranch({ ...REPO, branch: 'main' })
  await kit.repos.getBranchProtection({ ...REPO, branch: 'main' })
  await kit.repos.getStatusChecksProtection({ ...REPO, branch: 'main' })
  await kit.repos.getPullRequestReviewProtection({ ...REPO, branch: 'main' })
  await kit.repos.getCommit({ ...REPO, ref: sha })
  await kit.repos.getCommit({ ...REPO, ref: sha, mediaType: { format: 'diff' } })
  await kit.repos.getContent({ ...REPO, path: '' })
  await kit.repos.getContent({ ...REPO, path: 'package.json' })
  await kit.repos.getContent({ ...REPO, path: 'src' })
  await kit.git.getRef({ ...REPO, ref: 'heads/main' })
  await kit.git.listMatchingRefs({ ...REPO, ref: 'heads/' })
  await kit.git.createRef({ ...REPO, ref: 'refs/heads/other', sha })
  await failure(kit.git.createRef({ ...REPO, ref: 'refs/heads/other', sha }))
  await port.deleteBranch(PATH, 'other')
  await port.deleteBranch(PATH, 'other')
}

async function pull({ port, room, folder, client }: Walk): Promise<{ number: number; sha: string }> {
  const kit = client('maintainer')
  const { data: draft } = await kit.pulls.create({ ...REPO, head: 'side/one', base: 'main', title: 'S', draft: true })
  await kit.pulls.update({ ...REPO, pull_number: draft.number, state: 'closed' })
  await kit.pulls.update({ ...REPO, pull_number: draft.number, state: 'open' })
  room.forge.markReady('maintainer', PATH, draft.number)
  const sha = await room.push(folder, 'platform/a', FILES)
  const wanted = { branch: 'platform/a', base: 'main', title: 'A', body: 'b' }
  const { number } = await port.createMergeRequest(PATH, wanted)
  await port.createMergeRequest(PATH, wanted).catch(() => undefined)
  const one = { ...REPO, pull_number: number }
  await port.mergeRequest(PATH, number)
  await port.listMergeRequests(PATH, { state: 'open', headBranch: 'platform/a' })
  await port.mergeRequestHistory(PATH)
  await port.mergeRequestCommits(PATH, number)
  await port.files(PATH, number)
  await port.diff(PATH, number)
  await kit.pulls.update({ ...one, title: 'B' })
  await kit.issues.addLabels({ ...REPO, issue_number: number, labels: ['platform'] })
  await kit.issues.removeLabel({ ...REPO, issue_number: number, name: 'platform' })
  await kit.issues.get({ ...REPO, issue_number: number })
  await failure(kit.pulls.checkIfMerged(one))
  return { number, sha }
}

async function checks({ port, client }: Walk, sha: string): Promise<void> {
  const kit = client('maintainer')
  const { data: run } = await kit.checks.create({ ...REPO, head_sha: sha, name: 'unit', status: 'in_progress' })
  const one = { ...REPO, check_run_id: run.id }
  const output = { title: 't', summary: 's', text: 'x' }
  await kit.checks.update({ ...one, status: 'completed', conclusion: 'failure', output })
  await kit.checks.get(one)
  const suite = { ...REPO, check_suite_id: run.check_suite?.id ?? 0 }
  await kit.checks.getSuite(suite)
  await kit.checks.listForSuite(suite)
  const target_url = 'http://127.0.0.1/x'
  await kit.repos.createCommitStatus({ ...REPO, sha, state: 'success', context: 'ci', description: 'd', target_url })
  await kit.repos.listCommitStatusesForRef({ ...REPO, ref: sha })
  await port.ci(PATH, sha)
  await port.jobLog(PATH, '7')
}

async function reviews({ port, client }: Walk, number: number, sha: string): Promise<void> {
  const kit = client('maintainer')
  const one = { ...REPO, pull_number: number }
  const line = { path: 'src/mul.js', line: 1, body: 'here' }
  await port.postReview(PATH, number, { sha, body: 'x', lines: [{ ...line, line: 99 }] }).catch(() => undefined)
  const { id } = await port.postReview(PATH, number, { sha, body: 'look', lines: [line] })
  await port.reply(PATH, number, id, 'why?')
  const review_id = Number(id.slice('review-'.length))
  await kit.pulls.getReview({ ...one, review_id })
  await kit.pulls.listCommentsForReview({ ...one, review_id })
  const { data: later } = await kit.pulls.createReview({ ...one, body: 'later' })
  await kit.pulls.submitReview({ ...one, review_id: later.id, event: 'REQUEST_CHANGES', body: 'no' })
  await kit.pulls.dismissReview({ ...one, review_id: later.id, message: 'm' })
}

async function lineComments({ port, client }: Walk, number: number, sha: string): Promise<void> {
  const kit = client('maintainer')
  const found = await port.listReviews(PATH, number)
  const { id } = found.find((one) => one.sort === 'inline')!
  const comment_id = Number(id.slice('inline-'.length))
  await port.reply(PATH, number, id, 'why?')
  await port.editsOf(await port.listReviews(PATH, number))
  await port.listCommentsSince(PATH, 0)
  await kit.pulls.getReviewComment({ ...REPO, comment_id })
  await kit.pulls.updateReviewComment({ ...REPO, comment_id, body: 'there' })
  const line = { path: 'src/mul.js', line: 1, side: 'RIGHT', body: 'also' } as const
  const { data: extra } = await kit.pulls.createReviewComment({ ...REPO, pull_number: number, commit_id: sha, ...line })
  await kit.pulls.deleteReviewComment({ ...REPO, comment_id: extra.id })
}

async function merge({ port, room, folder, client }: Walk, number: number): Promise<void> {
  const kit = client('maintainer')
  const one = { ...REPO, pull_number: number }
  const sha = await room.push(folder, 'platform/a', { 'src/mul.js': 'export const mul = (a, b) => b * a\n' })
  await room.forge.idle()
  await port.mergeMergeRequest(PATH, number, { sha: 'f'.repeat(40), method: 'squash' }).catch(() => undefined)
  await port.mergeMergeRequest(PATH, number, { sha, method: 'squash' }).catch(() => undefined)
  await client('maintainer').checks.create({
    ...REPO,
    head_sha: sha,
    name: 'unit',
    status: 'completed',
    conclusion: 'success',
  })
  await kit.pulls.createReview({ ...one, event: 'APPROVE' })
  await port.mergeMergeRequest(PATH, number, { sha, method: 'squash' })
  await kit.pulls.checkIfMerged(one)
  await port.mergeRequest(PATH, number)
  await port.deleteBranch(PATH, 'platform/a')
}

async function hooks({ port, room, client }: Walk): Promise<void> {
  const kit = client('maintainer')
  const { id } = await port.ensureHook(PATH, { url: NOWHERE, secret: 's' })
  await port.ensureHook(PATH, { url: NOWHERE, secret: 't' })
  const one = { ...REPO, hook_id: Number(id) }
  await kit.repos.getWebhook(one)
  await kit.repos.pingWebhook(one)
  await room.forge.idle()
  const [delivery] = await port.listDeliveries(PATH, id, 0)
  await port.redeliver(PATH, id, delivery!.id)
  await room.forge.idle()
  await kit.repos.getWebhookDelivery({ ...one, delivery_id: Number(delivery!.id) })
  await kit.repos.deleteWebhook(one)
}

async function refusals({ port, client }: Walk): Promise<void> {
  const kit = client('maintainer')
  const reader = client('reader')
  await port.repository(`${PATH}-absent`).catch(() => undefined)
  await failure(kit.issues.get({ ...REPO, issue_number: 99 }))
  await failure(kit.issues.create({ ...REPO, title: '' }))
  await failure(client('').issues.create({ ...REPO, title: 'x' }))
  await failure(reader.issues.createLabel({ ...REPO, name: 'q', color: 'ffffff' }))
  await failure(reader.repos.getBranchProtection({ ...REPO, branch: 'main' }))
  await failure(reader.repos.listWebhooks(REPO))
}
