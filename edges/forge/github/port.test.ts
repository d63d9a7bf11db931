import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { withForge } from '../../../cli/standins/forge/testing.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { forgePortContract } from '../port-contract.ts'
import type { ForgePort } from '../port.ts'
import { createBudget } from '../rate-limit.ts'
import { ciReportOf } from './ci.ts'
import { createGithubForge } from './port.ts'
import { createTransport } from './transport.ts'

const REPO = { owner: 'acme', repo: 'library' }

function portFor(apiURL: string, token: string, use: typeof fetch = fetch): ForgePort {
  return createGithubForge({
    token,
    apiURL,
    transport: createTransport({ fetch: use, clock: systemClock, budget: createBudget({ clock: systemClock }) }),
  })
}

forgePortContract('GitHub', (use) =>
  withForge(
    {
      repository: {
        permissions: { maintainer: 'admin', bot: 'admin', reader: 'read' },
        labels: [{ name: 'platform', color: '5319e7' }],
      },
    },
    async (room) => {
      const { forge } = room
      await use({
        port: portFor(forge.apiUrl, 'token-of-bot'),
        readerPort: portFor(forge.apiUrl, 'token-of-reader'),
        path: 'acme/library',
        push: async (branch, files) => room.push(await room.clone('bot'), branch, files),
        openIssue: async (title, labels) =>
          forge.openIssue('maintainer', 'acme/library', { title, body: 'b', labels: [...labels] }).number,
        comment: async (number, body) => void forge.comment('maintainer', 'acme/library', number, body),
        deleteComment: async (id) => forge.deleteComment('maintainer', 'acme/library', Number(id)),
        async reportCheck(sha, name, state) {
          const status = state === 'running' ? 'in_progress' : 'completed'
          await room.octokit('bot').checks.create({
            ...REPO,
            head_sha: sha,
            name,
            status,
            ...(state === 'running' ? {} : { conclusion: state }),
          })
        },
        settled: () => forge.idle(),
      })
    },
  ),
)

test('a read that changed nothing costs a 304 and gives the same answer; a change is seen', async () => {
  await withForge({}, async ({ forge }) => {
    const statuses: number[] = []
    const port = portFor(forge.apiUrl, 'token-of-bot', async (input, init) => {
      const answer = await fetch(input, init)
      statuses.push(answer.status)
      return answer
    })
    const { number } = forge.openIssue('maintainer', 'acme/library', { title: 'One', body: '' })
    const first = await port.issue('acme/library', number)
    expect(await port.issue('acme/library', number)).toEqual(first)
    expect(statuses).toEqual([200, 304])
    forge.editIssue('maintainer', 'acme/library', number, { title: 'Two' })
    expect((await port.issue('acme/library', number)).title).toBe('Two')
  })
})

test('a write is never repeated by itself, and a broken or silent forge is asked again later', async () => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.method ?? '')
    if (request.method === 'POST') response.writeHead(502).end('<html>')
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"login": 7}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port: number } = server.address() as { port: number }
  const port = portFor(`http://127.0.0.1:${number}`, 't')
  await expect(port.createComment('a/b', 'issue', 1, 'x')).rejects.toMatchObject({ name: 'ForgeUnavailableError' })
  await expect(port.whoAmI()).rejects.toMatchObject({ name: 'RetryableError' })
  expect(asked).toEqual(['POST', 'GET'])
  await new Promise((resolve) => server.close(resolve))
  await expect(port.whoAmI()).rejects.toMatchObject({ name: 'ForgeUnavailableError' })
})

test.each([
  ['completed', 'neutral', 'success'],
  ['completed', 'skipped', 'success'],
  ['completed', 'timed_out', 'failure'],
  ['completed', 'startup_failure', 'failure'],
  ['completed', 'stale', 'failure'],
  ['completed', 'cancelled', 'cancelled'],
  ['completed', 'action_required', 'pending'],
  ['completed', 'invented later', 'pending'],
  ['queued', null, 'pending'],
  ['in_progress', null, 'running'],
])('rulings 3.17: a check that is %s with %s counts as %s', (status, conclusion, expected) => {
  expect(ciReportOf('s', [{ name: 'c', status, conclusion }], []).status).toBe(expected)
})
