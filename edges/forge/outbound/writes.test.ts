import { expect, test } from 'vitest'
import { run } from '../../../standins/forge/testing/fixture.ts'
import type { Finding } from '../../../machines/effect.ts'
import { until } from '../../../runtime/contract/harness.ts'
import { EffectNotHeldError } from '../../../runtime/errors.ts'
import { managedLabels } from '../../../machines/rules/labels.ts'
import { ForgeUnavailableError } from '../errors.ts'
import { withForgeEdge, type EdgeFixture, type EdgeFixtureOptions } from '../testing/fixture.ts'
import { testInside } from '../../../testing/inside.ts'

const REPO = 'acme/library'
const PLACE = { owner: 'acme', repo: 'library' }
const SUBJECT = { project: 'default/demo', repository: 'library' }
const BRANCH = 'platform/implement-library-1-aaaaa'

function count(fixture: EdgeFixture, action: string): number {
  return fixture.forge.audit().filter((entry) => entry.action === action).length
}

async function bodies(fixture: EdgeFixture, number: number): Promise<string[]> {
  const { data } = await fixture.octokit('bot').issues.listComments({ ...PLACE, issue_number: number })
  return data.map((comment) => comment.body ?? '')
}

function lostAnswer(method: string, path: string): EdgeFixtureOptions {
  return { faults: [{ kind: 'errorAfterWrite', method, path, times: 1 }] }
}

function labelsOf({ forge }: EdgeFixture, number: number): string[] {
  return forge
    .issue(REPO, number)
    .labels.map(({ name }) => name)
    .toSorted()
}

function openIssue(fixture: EdgeFixture): number {
  return fixture.forge.openIssue('maintainer', REPO, { title: 'Add mul', body: 'x', labels: ['platform'] }).number
}

const it = testInside(withForgeEdge, {})

test('a comment whose answer was lost is there once (SERVICE-5)', async () => {
  await withForgeEdge(lostAnswer('POST', '/repos/acme/library/issues/*/comments'), async (fixture) => {
    const params = { ...SUBJECT, number: openIssue(fixture), on: 'issue' as const, body: 'Hello' }
    const perform = (attempt: number): Promise<unknown> =>
      fixture.edge.handlers.postComment.perform(params, fixture.context('issue:a/1/0', attempt))
    await expect(perform(1)).rejects.toMatchObject({ name: 'ForgeUnavailableError' })
    await perform(2)
    await perform(1)
    expect(await bodies(fixture, params.number)).toEqual([expect.stringMatching(/^Hello\n\n<!-- platform:/)])
  })
})

it('a topic has one comment, rewritten by later effects; a marker that somebody else pasted counts for nothing', async (fixture) => {
  const number = openIssue(fixture)
  const say = (key: string, body: string): Promise<unknown> =>
    fixture.edge.handlers.postComment.perform(
      { ...SUBJECT, number, on: 'issue', body, topic: 'plan' },
      fixture.context(key),
    )
  await say('issue:a/1/0', 'Plan one')
  const [first = ''] = await bodies(fixture, number)
  fixture.forge.comment('maintainer', REPO, number, first.replace('1%2F0', '2%2F0').replace('Plan one', 'Forged'))
  await say('issue:a/2/0', 'Plan two')
  await say('issue:a/2/0', 'Plan two')
  const all = await bodies(fixture, number)
  expect(all.map((body) => body.split('\n')[0])).toEqual(['Plan two', 'Forged'])
  expect(count(fixture, 'comment.edit')).toBe(1)
})

it('labels become what the Issue says; those of people stay (SERVICE-4, LABELS-10)', async (fixture) => {
  const number = openIssue(fixture)
  const managed = ['platform-brainstorming', 'platform-approved']
  const write = (labels: string[]): Promise<unknown> =>
    fixture.edge.handlers.writeLabels.perform({ ...SUBJECT, number, labels, managed }, fixture.context('k'))
  await write(['platform-brainstorming'])
  await write(['platform-approved'])
  await write(['platform-approved'])
  expect(labelsOf(fixture, number)).toEqual(['platform', 'platform-approved'])
  expect(count(fixture, 'label.remove') + count(fixture, 'label.add')).toBe(3)
})

it('LABELS-7: the incident label is swept by no change of phase, not even where it is all that is left (LABELS-7)', async (fixture) => {
  const number = openIssue(fixture)
  const names = { brainstorming: 'b', approved: 'a', implementation: 'i', declined: 'd', priority: 'p' }
  const managed = [...managedLabels(names)]
  await fixture.octokit('bot').issues.addLabels({ ...PLACE, issue_number: number, labels: ['platform-incident'] })
  const write = (labels: string[]): Promise<unknown> =>
    fixture.edge.handlers.writeLabels.perform({ ...SUBJECT, number, labels, managed }, fixture.context('k'))
  for (const labels of [['b'], ['a', 'i'], ['d'], []]) await write(labels)
  expect(labelsOf(fixture, number)).toEqual(['platform', 'platform-incident'])
})

test('an issue is closed once, with its comment once', async () => {
  await withForgeEdge(lostAnswer('PATCH', '/repos/acme/library/issues/*'), async (fixture) => {
    const number = openIssue(fixture)
    const close = (): Promise<unknown> =>
      fixture.edge.handlers.closeIssue.perform({ ...SUBJECT, number, comment: 'Done' }, fixture.context('k/1/0'))
    await expect(close()).rejects.toMatchObject({ name: 'ForgeUnavailableError' })
    await close()
    expect(await bodies(fixture, number)).toHaveLength(1)
    expect(count(fixture, 'issue.close')).toBe(1)
  })
})

it('an issue that is retired: its actor learns so, once', async (fixture) => {
  const number = openIssue(fixture)
  const params = { ...SUBJECT, number, comment: 'Done in #2', retires: true }
  const [retired] = await fixture.edge.handlers.closeIssue.perform(params, fixture.context('k/1/0'))
  expect(retired).toMatchObject({ to: `issue:default/library-${number}`, event: { type: 'issue.retired' } })
  expect(count(fixture, 'issue.close')).toBe(1)
})

const PROPOSAL = { ...SUBJECT, title: 'Cache it', body: 'Slow.', sort: 'proposal', dedupe: 'k-cache-it' } as const

test('an issue is filed once, lost answer or not, and its actor is told of it (PROJECT-3, SERVICE-5)', async () => {
  await withForgeEdge(lostAnswer('POST', '/repos/acme/library/issues'), async (fixture) => {
    const file = (key: string): Promise<unknown> =>
      fixture.edge.handlers.fileIssue.perform(PROPOSAL, fixture.context(key))
    await expect(file('task:t/4/0')).rejects.toMatchObject({ name: 'ForgeUnavailableError' })
    await file('task:t/4/0')
    await file('task:t/4/0')
    expect(count(fixture, 'issue.open')).toBe(1)
    expect(fixture.delivered.map(({ event }) => event.type)).toEqual(['issue.observed'])
    expect(fixture.delivered[0]?.event).toMatchObject({
      facts: { selfProposed: true, wanted: true, title: 'Cache it' },
    })
  })
})

it('what another Task filed for the same reason and is open is not filed again; a marker of somebody else counts for nothing', async (fixture) => {
  const file = (key: string, change = {}): Promise<unknown> =>
    fixture.edge.handlers.fileIssue.perform({ ...PROPOSAL, ...change }, fixture.context(key))
  const { data } = await fixture
    .octokit('maintainer')
    .issues.create({ ...PLACE, title: 'Forged', body: 'x\n\n<!-- platform:topic=proposal%2Fk%2Dcache%2Dit -->' })
  expect(data.number).toBeGreaterThan(0)
  await file('task:a/1/0')
  await file('task:b/1/0')
  await file('task:c/1/0', { dedupe: 'other' })
  expect(count(fixture, 'issue.open')).toBe(3)
})

it('the queue learns which issue an incident Task filed, or found open, and nobody of a proposal (ALERTS-6)', async (fixture) => {
  const { perform } = fixture.edge.handlers.fileIssue
  const incident = { ...PROPOSAL, sort: 'incident' } as const
  const filed = await perform(incident, fixture.context('task:a/1/0'))
  const found = await perform(incident, { ...fixture.context('task:b/1/0'), actor: 'task:default/b' })
  const place = { type: 'queue.filed', repository: PROPOSAL.repository, number: fixture.delivered.length }
  expect([...filed, ...found]).toMatchObject([
    { to: 'queue:default/demo', key: 'task:a/1/0/filed', event: place },
    { to: 'queue:default/demo', key: 'task:b/1/0/filed', event: { ...place, task: 'default/b' } },
  ])
  expect(await perform(PROPOSAL, fixture.context('task:c/1/0'))).toEqual([])
})

it('LABELS-7: an incident carries the incident label from the start (OUTCOME-INCIDENT-5, LABELS-7)', async (fixture) => {
  await fixture.edge.handlers.fileIssue.perform({ ...PROPOSAL, sort: 'incident' }, fixture.context('task:t/1/0'))
  expect(labelsOf(fixture, 1)).toEqual(['platform-incident'])
})

test('a merge request is opened once for its branch, lost answer or not, and is known before its Task hears (SERVICE-5)', async () => {
  await withForgeEdge(lostAnswer('POST', '/repos/acme/library/pulls'), async (fixture) => {
    const number = openIssue(fixture)
    const sha = await fixture.push(await fixture.clone('bot'), BRANCH, { 'src/mul.js': 'export const mul = 1\n' })
    const params = { ...SUBJECT, branch: BRANCH, title: 'Add mul', body: 'The change.', closes: [number], attempt: 2 }
    const open = (key: string): ReturnType<typeof fixture.edge.handlers.openMergeRequest.perform> =>
      fixture.edge.handlers.openMergeRequest.perform(params, fixture.context(key))
    await expect(open('task:t/4/0')).rejects.toMatchObject({ name: 'ForgeUnavailableError' })
    const [ready] = await open('task:t/4/0')
    expect(ready).toMatchObject({
      to: 'task:default/implement-library-1-aaaaa',
      key: 'task:t/4/0/ready',
      event: {
        type: 'mr.ready',
        headSha: sha,
        headBranch: BRANCH,
        author: 'bot',
        attempt: 2,
        mergeRequest: `default/library-mr-${number + 1}`,
      },
    })
    expect(fixture.delivered.map((one) => one.event.type)).toEqual(['mr.observed'])
    await open('task:t/9/0')
    expect(count(fixture, 'pull.open')).toBe(1)
    expect((await fixture.octokit('bot').pulls.get({ ...PLACE, pull_number: number + 1 })).data.body).toMatch(
      /^The change\.\n\nCloses #1\n\n<!-- platform:/,
    )
  })
})

it('LAW-3: an opening that was withdrawn while it looked at the branch opens nothing [FORGE-WRITES-1]', async (fixture) => {
  await fixture.push(await fixture.clone('bot'), BRANCH, { 'src/mul.js': 'export const mul = 1\n' })
  const params = { ...SUBJECT, branch: BRANCH, title: 't', body: 'b', closes: [], attempt: 1 }
  const withdrawn = { ...fixture.context('a'), signal: AbortSignal.abort() }
  expect(await fixture.edge.handlers.openMergeRequest.perform(params, withdrawn)).toMatchObject([
    { event: { type: 'mr.openFailed', reason: 'withdrawn', attempt: 1 } },
  ])
  expect(count(fixture, 'pull.open')).toBe(0)
})

it('R5: an effect that another process may perform by now looks at the forge and writes nothing there', async (fixture) => {
  const number = openIssue(fixture)
  const { handlers } = fixture.edge
  const folder = await fixture.clone('bot')
  const sha = await fixture.push(folder, BRANCH, { 'src/mul.js': 'export const mul = 1\n' })
  await fixture.push(folder, 'platform/other', { 'src/div.js': 'export const div = 1\n' })
  const pull = await fixture.forge.openPull('bot', REPO, { title: 'Mul', body: '', head: BRANCH, base: 'main' })
  const assertHeld = (): never => {
    throw new EffectNotHeldError('task:t/1/0')
  }
  const lost = { ...fixture.context('task:t/1/0'), assertHeld }
  const verdict = 'approve' as const
  const review = { ...SUBJECT, number: pull.number, sha, verdict, body: 'Good', findings: [] }
  const opening = { ...SUBJECT, branch: 'platform/other', title: 'T', body: 'B', closes: [], attempt: 1 }
  const merging = { ...SUBJECT, number: pull.number, sha, base: 'main', attempt: 1, grants: [] }
  const isKnown = async (): Promise<boolean> =>
    (await fixture.octokit('bot').pulls.get({ ...PLACE, pull_number: pull.number })).data.mergeable !== null
  await until(isKnown)
  const writes = (): number => fixture.forge.audit().filter(({ actor }) => actor === 'bot').length
  const before = writes()
  const tries = [
    () => handlers.postComment.perform({ ...SUBJECT, number, on: 'issue', body: 'Hello' }, lost),
    () => handlers.writeLabels.perform({ ...SUBJECT, number, labels: ['a'], managed: ['a'] }, lost),
    () => handlers.closeIssue.perform({ ...SUBJECT, number }, lost),
    () => handlers.fileIssue.perform(PROPOSAL, lost),
    () => handlers.postReview.perform(review, lost),
    () => handlers.openMergeRequest.perform(opening, lost),
    () => handlers.mergeMergeRequest.perform(merging, lost),
    () => handlers.checkProject.perform({ project: 'default/demo' }, lost),
  ]
  for (const attempt of tries) await expect(attempt()).rejects.toBeInstanceOf(EffectNotHeldError)
  expect(writes()).toBe(before)
})

test('a branch that is absent or holds nothing new gives no merge request, and the Task is told why', async () => {
  await withForgeEdge({ git: 'process' }, async (fixture) => {
    const params = { ...SUBJECT, branch: BRANCH, title: 't', body: 'b', closes: [], attempt: 1 }
    expect(await fixture.edge.handlers.openMergeRequest.perform(params, fixture.context('a'))).toMatchObject([
      { event: { type: 'mr.openFailed', reason: expect.stringContaining('not on the forge'), attempt: 1 } },
    ])
    await run(await fixture.clone('bot'), ['push', '--quiet', 'origin', `HEAD:refs/heads/${BRANCH}`])
    expect(await fixture.edge.handlers.openMergeRequest.perform(params, fixture.context('b'))).toMatchObject([
      { event: { type: 'mr.openFailed', reason: expect.stringContaining('no commit') } },
    ])
  })
})

const findings: Finding[] = [
  { repo: 'library', number: 1, path: 'src/mul.js', line: 1, body: 'Name it.', severity: 'low' },
  { repo: 'library', number: 1, path: 'src/mul.js', line: 999, body: 'No such line.', severity: 'high' },
  { repo: 'library', number: 1, path: 'src/other.js', line: 1, body: 'Not in the diff.', severity: 'medium' },
  { repo: 'library', number: 1, body: 'In general.', severity: 'critical' },
  { repo: 'library', number: 2, body: 'Of another one.', severity: 'critical' },
]

test('a review stands inline where the diff has the line, the rest in its text, once even when the answer is lost (TOOLS-18, OUTCOME-REVIEW-11, OUTCOME-REVIEW-12)', async () => {
  await withForgeEdge(lostAnswer('POST', '/repos/acme/library/pulls/*/reviews'), async (fixture) => {
    const sha = await fixture.push(await fixture.clone('bot'), BRANCH, { 'src/mul.js': 'export const mul = 1\n' })
    await fixture.forge.openPull('bot', REPO, { title: 'Mul', body: '', head: BRANCH, base: 'main' })
    const params = { ...SUBJECT, number: 1, sha, verdict: 'request_changes' as const, body: 'Please look.', findings }
    const review = (): Promise<unknown> =>
      fixture.edge.handlers.postReview.perform(params, fixture.context('task:t/5/1'))
    await expect(review()).rejects.toMatchObject({ name: 'ForgeUnavailableError' })
    await review()
    const { data: reviews } = await fixture.octokit('bot').pulls.listReviews({ ...PLACE, pull_number: 1 })
    const { data: inline } = await fixture.octokit('bot').pulls.listReviewComments({ ...PLACE, pull_number: 1 })
    expect(reviews).toMatchObject([{ state: 'COMMENTED', body: expect.stringContaining('request changes') }])
    for (const text of ['No such line.', 'Not in the diff.', 'In general.', 'src/mul.js:999'])
      expect(reviews[0]?.body).toContain(text)
    expect(reviews[0]?.body).not.toContain('Of another one.')
    expect(inline.map((one) => [one.path, one.line, one.body])).toEqual([['src/mul.js', 1, '**low**: Name it.']])
  })
})

test('a rate limit is a wait as long as the forge says, for all calls of the Project, and no failure (FORGE-BUDGET-4)', async () => {
  await withForgeEdge(
    {
      faults: [
        { kind: 'rateLimit', method: 'POST', path: '/repos/acme/library/issues/*/comments', retryAfter: 7, times: 1 },
      ],
    },
    async (fixture) => {
      const params = { ...SUBJECT, number: openIssue(fixture), on: 'issue' as const, body: 'Hello' }
      const say = (): Promise<unknown> => fixture.edge.handlers.postComment.perform(params, fixture.context('k/1/0'))
      await expect(say()).rejects.toMatchObject({ name: 'RateLimitedError', retryAfterMs: 7000 })
      await expect(say()).rejects.toMatchObject({ name: 'RateLimitedError' })
      fixture.clock.advance(7000)
      await say()
      expect(await bodies(fixture, params.number)).toHaveLength(1)
    },
  )
})

test('two checks of a Project never meet at the forge, where the second would find its hook refused', async () => {
  await withForgeEdge({}, async ({ edge }) => expect(edge.handlers.checkProject.ordered).toBe(true))
})

async function checked(fixture: EdgeFixture): Promise<Record<string, unknown>> {
  const [delivery] = await fixture.edge.handlers.checkProject.perform(
    { project: 'default/demo' },
    fixture.context('check'),
  )
  return delivery!.event
}

it('a Project that can work is ready; its hook and labels are there, once', async (fixture) => {
  expect(await checked(fixture)).toMatchObject({
    type: 'project.checked',
    ready: true,
    reason: 'Checked',
    generation: 3,
    message: '',
  })
  await checked(fixture)
  const { data: hooks } = await fixture.octokit('bot').repos.listWebhooks({ ...PLACE })
  expect(hooks).toHaveLength(1)
  const { data: labels } = await fixture.octokit('bot').issues.listLabelsForRepo({ ...PLACE })
  expect(labels.map((label) => label.name)).toEqual(
    expect.arrayContaining(['platform', 'platform-approved', 'platform-incident']),
  )
})

it.for([
  ['there is no Secret', undefined, 'token and webhookSecret'],
  ['the Secret has no keys', {}, 'token and webhookSecret'],
  ['the token is missing', { webhookSecret: 's' }, 'token'],
  ['the token is empty', { token: '', webhookSecret: 's' }, 'token'],
  ['the secret of the hook is missing', { token: 'token-of-bot' }, 'webhookSecret'],
  ['the secret of the hook is empty', { token: 'token-of-bot', webhookSecret: '' }, 'webhookSecret'],
])(
  'PROJECT-2: where %s, the Project is not ready, and every missing key is named',
  async ([, secret, lacks], fixture) => {
    fixture.secret = secret
    const before = fixture.forge.audit().length
    const found = { ready: false, reason: 'SecretMissingKeys', message: `the Secret lacks ${lacks}` }
    expect(await checked(fixture)).toMatchObject(found)
    expect(fixture.forge.audit()).toHaveLength(before)
  },
)

test('RESOURCE-RULE-1: each thing that is wrong with a Project is named (SECRET-5, PROJECT-2, PROJECT-SCM-3, PROJECT-SCM-5, PROJECT-SCM-8)', async () => {
  await withForgeEdge({}, async (fixture) => {
    for (const [token, reason] of [
      ['nobody', 'TokenRefused'],
      ['token-of-maintainer', 'BotLoginMismatch'],
    ] as const) {
      fixture.secret = { token, webhookSecret: 's' }
      expect(await checked(fixture)).toMatchObject({ ready: false, reason })
    }
  })
  const project: EdgeFixtureOptions['project'] = (given) => ({
    ...given,
    scm: { ...given.scm, maintainerLogins: [] },
    repositories: [
      ...given.repositories,
      { name: 'gone', url: `${given.scm.webURL}/acme/gone.git` },
      { name: 'foreign', url: `${given.scm.webURL}/other/foreign.git` },
    ],
  })
  await withForgeEdge({ project }, async (fixture) => {
    const event = await checked(fixture)
    expect(event).toMatchObject({ ready: false, reason: 'RepositoryUnreachable' })
    expect(event['message']).toMatch(/maintainerLogins is empty.*gone.*not under acme/)
  })
})

test('a forge that does not answer six times makes the Project not ready and says so; fewer times are retried (PROJECT-STATUS-13)', async () => {
  const away = { kind: 'errorBeforeWrite', method: 'GET', path: '/user', times: 100 } as const
  await withForgeEdge({ faults: [away] }, async (fixture) => {
    const check = (attempt: number) =>
      fixture.edge.handlers.checkProject.perform({ project: 'default/demo' }, fixture.context('check', attempt))
    await expect(check(5)).rejects.toThrow(ForgeUnavailableError)
    const [delivery] = await check(6)
    expect(delivery!.event).toMatchObject({ ready: false, reason: 'ForgeUnreachable' })
    expect(delivery!.event['message']).toMatch(/^the forge does not answer: read own account/)
  })
})

test('an attempt that a forge leaves without an answer for 20 seconds stands for all six; a shorter one is retried (PROJECT-STATUS-13)', async () => {
  const away = { kind: 'errorBeforeWrite', method: 'GET', path: '/user', times: 100 } as const
  await withForgeEdge({ faults: [away] }, async (fixture) => {
    const begun = fixture.context('check')
    const check = () => fixture.edge.handlers.checkProject.perform({ project: 'default/demo' }, begun)
    fixture.clock.advance(19_999)
    await expect(check()).rejects.toThrow(ForgeUnavailableError)
    fixture.clock.advance(1)
    const [delivery] = await check()
    expect(delivery!.event).toMatchObject({ ready: false, reason: 'ForgeUnreachable' })
  })
})

test.each<[string, EdgeFixtureOptions, string]>([
  ['a bot that may not write labels', { repository: { permissions: { maintainer: 'admin', bot: 'read' } } }, ''],
  [
    'a label that the forge takes by no name',
    { project: (given) => ({ ...given, triggerLabel: 'x'.repeat(51) }) },
    'name is too long (maximum is 50 characters)',
  ],
])('%s makes the Project not ready, in the forge’s words (PROJECT-STATUS-13)', async (_what, options, words) => {
  await withForgeEdge(options, async (fixture) => {
    const event = await checked(fixture)
    expect(event).toMatchObject({ ready: false, reason: 'LabelsNotWritable', message: expect.stringContaining(words) })
  })
})

it('a Project whose name another one holds is not ready, and nothing of it is asked of any forge (RESOURCES-19, PROJECT-STATUS-13)', async (fixture) => {
  fixture.holder = 'team/demo'
  const event = await checked(fixture)
  expect(event).toMatchObject({ ready: false, reason: 'NameConflict', generation: 3 })
  expect(event['message']).toContain('team/demo')
  expect(fixture.forge.audit().filter(({ actor }) => actor === 'bot')).toEqual([])
})

test.each([
  ['another host', 'https://evil.invalid/acme/library.git'],
  ['another port', 'http://127.0.0.1:1/acme/library.git'],
  ['the name of the forge before another host', 'http://127.0.0.1@evil.invalid/acme/library.git'],
])('a Repository on %s makes the Project not ready (PROJECT-SCM-4)', async (_what, url) => {
  const project: EdgeFixtureOptions['project'] = (given) => ({
    ...given,
    repositories: [...given.repositories, { name: 'elsewhere', url }],
  })
  await withForgeEdge({ project }, async (fixture) => {
    expect(await checked(fixture)).toMatchObject({
      ready: false,
      reason: 'RepositoryOutsideOwner',
      message: `elsewhere is at ${new URL(url).origin}, but the Project's forge is ${fixture.forge.url}`,
    })
  })
})

test('documentation that is not enrolled is said, and holds nothing up; enrolled under another spelling it is found (PROJECT-DOCS-3, PROJECT-DOCS-4, PROJECT-STATUS-14)', async () => {
  const at =
    (documentationRepo: (web: string) => string): EdgeFixtureOptions['project'] =>
    (given) => ({
      ...given,
      kinds: { ...given.kinds, documentationRepo: documentationRepo(String(given.scm.webURL)) },
    })
  await withForgeEdge({ project: at((web) => `${web}/acme/docs.git`) }, async (fixture) => {
    expect(await checked(fixture)).toMatchObject({
      ready: true,
      faults: [{ reason: 'DocumentationNotEnrolled', blocks: false }],
    })
  })
  await withForgeEdge({ project: at((web) => `${web}/ACME/library/`) }, async (fixture) => {
    expect(await checked(fixture)).toMatchObject({ ready: true, faults: [] })
  })
})

it('a resync names the run that asked for it', async (fixture) => {
  const asked = { project: 'default/demo', run: 'issueScan/3' }
  expect(await fixture.edge.handlers.resyncMirror.perform(asked, fixture.context('r'))).toMatchObject([
    { event: { type: 'project.resynced', run: 'issueScan/3' } },
  ])
})

test('a bot without the right to hooks leaves the Project ready and says so (PROJECT-STATUS-14)', async () => {
  await withForgeEdge({ repository: { permissions: { maintainer: 'admin', bot: 'write' } } }, async (fixture) => {
    const event = await checked(fixture)
    expect(event).toMatchObject({ ready: true })
    expect(event['message']).toContain('hook')
    expect(
      await fixture.edge.handlers.resyncMirror.perform({ project: 'default/demo' }, fixture.context('r')),
    ).toMatchObject([{ key: 'r/resynced', event: { type: 'project.resynced' } }])
  })
})
