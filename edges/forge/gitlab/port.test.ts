import { expect, test } from 'vitest'
import { PROJECT, withGitlab } from '../../../standins/forge/testing/gitlab.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { forgePortContract } from '../contract/port-contract.ts'
import type { ForgePort } from '../port.ts'
import { createBudget } from '../rate-limit.ts'
import { withSql } from '../testing/fixture.ts'
import { createTransport } from '../transport.ts'
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
