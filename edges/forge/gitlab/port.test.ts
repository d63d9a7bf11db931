import { expect, test } from 'vitest'
import { PROJECT, withGitlab } from '../../../standins/forge/testing/gitlab.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { forgePortContract } from '../contract/port-contract.ts'
import type { ForgePort } from '../port.ts'
import { createBudget } from '../transport/rate-limit.ts'
import { withSql } from '../testing/fixture.ts'
import { createTransport } from '../transport/transport.ts'
import { createGitlabForge } from './port.ts'
import { gitlabWire } from './wire.ts'

const sql = await withSql(async (opened) => opened)

function portFor(apiURL: string, token: string, use: typeof fetch = fetch): ForgePort {
  const budget = createBudget({ sql, clock: systemClock, account: `${apiURL} ${token}`, ...gitlabWire.rate })
  return createGitlabForge({
    token,
    apiURL,
    fetch: createTransport({ fetch: use, clock: systemClock, budget, wire: gitlabWire })(),
  })
}

const traits = { mergeMethods: ['merge', 'squash'], issueEvent: 'Issue Hook', marksBots: false } as const
const repository = {
  permissions: { maintainer: 'admin', bot: 'admin', reader: 'read' },
  labels: [{ name: 'platform', color: '5319e7' }],
} as const
const states = { running: 'running', success: 'success', failure: 'failed' } as const

forgePortContract('GitLab', traits, (use) =>
  withGitlab({ repository }, async (fixture) => {
    const { forge } = fixture
    await use({
      port: portFor(forge.gitlabApiUrl, 'token-of-bot'),
      readerPort: portFor(forge.gitlabApiUrl, 'token-of-reader'),
      path: PROJECT,
      push: async (branch, files) => fixture.push(await fixture.clone('bot'), branch, files),
      openIssue: async (title, labels) =>
        forge.openIssue('maintainer', PROJECT, { title, body: 'b', labels: [...labels] }).number,
      comment: async (number, body) => void forge.comment('maintainer', PROJECT, number, body),
      deleteComment: async (id) => forge.deleteComment('maintainer', PROJECT, Number(id)),
      async reportCheck(sha, name, state) {
        const path = `/projects/${encodeURIComponent(PROJECT)}/statuses/${sha}`
        const posted = await fixture.ask('bot', 'POST', path, { state: states[state], name })
        expect(posted.status).toBe(201)
      },
      expectChecks: (sha) => forge.expectChecks('bot', PROJECT, sha),
      settled: () => forge.idle(),
    })
  }),
)

test('what an approval and requested changes are is read with the head that they saw', async () => {
  await withGitlab({ repository }, async (fixture) => {
    const port = portFor(fixture.forge.gitlabApiUrl, 'token-of-bot')
    const folder = await fixture.clone('bot')
    const sha = await fixture.push(folder, 'feature', { 'a.js': '1\n' })
    const { number } = await port.createMergeRequest(PROJECT, { branch: 'feature', base: 'main', title: 'A', body: '' })
    const place = `/projects/${encodeURIComponent(PROJECT)}/merge_requests/${number}`
    expect((await fixture.ask('maintainer', 'POST', `${place}/approve`)).status).toBe(201)
    const later = await fixture.push(folder, 'feature', { 'b.js': '2\n' })
    expect(await port.listReviews(PROJECT, number)).toMatchObject([
      { verdict: 'approved', author: { login: 'maintainer' }, sha },
    ])
    expect((await port.mergeRequest(PROJECT, number)).headSha).toBe(later)
    expect((await fixture.ask('maintainer', 'POST', `${place}/unapprove`)).status).toBe(201)
    expect(await port.listReviews(PROJECT, number)).toEqual([])
  })
})

const API = 'https://lab.example/api/v4'
const moved = { iid: 3, title: 'T', state: 'opened', author: { id: 5, username: 'ann' }, labels: [], web_url: 'w' }
const dates = { created_at: '2026-01-02T03:04:05Z', updated_at: '2026-01-02T03:04:05Z' }

test('a project that moved is found by its id, and one that took its name is another (FORGE-RULES-4)', async () => {
  const named = { id: '7' }
  const asked: string[] = []
  const port = portFor(API, 't', async (input) => {
    const path = String(input).slice(API.length)
    asked.push(path)
    if (path === '/projects/7/issues/3') return Response.json({ ...moved, ...dates })
    const tail = path.slice('/projects/grp%2Fold'.length)
    const id = tail === '' ? named.id : '7'
    return new Response(null, { status: 301, headers: { location: `${API}/projects/${id}${tail}` } })
  })
  expect(await port.issue('grp/old', 3)).toMatchObject({ number: 3, title: 'T' })
  expect(asked).toEqual(['/projects/grp%2Fold/issues/3', '/projects/grp%2Fold', '/projects/7/issues/3'])
  named.id = '8'
  await expect(port.issue('grp/old', 3)).rejects.toMatchObject({ name: 'NotFoundError' })
})

test.each([
  [{ 'retry-after': '7' }, 'secondary', 7000],
  [{ 'ratelimit-remaining': '0', 'ratelimit-reset': '1' }, 'primary', 1000],
  [{}, 'secondary', 60_000],
])('a 429 with the headers %j closes the budget', async (headers, limitType, retryAfterMs) => {
  const limited = portFor(
    `${API}/${limitType}${retryAfterMs}`,
    't',
    async () => new Response('', { status: 429, headers }),
  )
  await expect(limited.issue('grp/app', 3)).rejects.toMatchObject({ name: 'RateLimitedError', limitType, retryAfterMs })
})

test('a 403 is a missing right whatever it says of limits', async () => {
  const headers = { 'ratelimit-remaining': '0', 'ratelimit-reset': '1' }
  const port = portFor(`${API}/403`, 't', async () => new Response('', { status: 403, headers }))
  await expect(port.issue('grp/app', 3)).rejects.toMatchObject({ name: 'ForbiddenError' })
})
