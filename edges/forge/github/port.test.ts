import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { withForge } from '../../../standins/forge/testing/fixture.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { isAway } from '../../../runtime/errors.ts'
import { forgePortContract } from '../contract/port-contract.ts'
import type { ForgePort } from '../port.ts'
import { createBudget } from '../transport/rate-limit.ts'
import { withSql } from '../testing/fixture.ts'
import { ciReportOf } from './ci.ts'
import { failureOf } from './failure.ts'
import { createGithubForge } from './port.ts'
import { createTransport } from '../transport/transport.ts'
import { githubWire } from './wire.ts'

const sql = await withSql(async (opened) => opened)

const REPO = { owner: 'acme', repo: 'library' }

function portFor(apiURL: string, token: string, use: typeof fetch = fetch): ForgePort {
  const budget = createBudget({ sql, clock: systemClock, account: `${apiURL} ${token}`, ...githubWire.rate })
  return createGithubForge({
    token,
    apiURL,
    fetch: createTransport({ fetch: use, clock: systemClock, budget, wire: githubWire })(),
  })
}

const traits = { mergeMethods: ['merge', 'squash', 'rebase'], issueEvent: 'issues', marksBots: true } as const

forgePortContract('GitHub', traits, (use) =>
  withForge(
    {
      git: 'memory',
      repository: {
        permissions: { maintainer: 'admin', bot: 'admin', reader: 'read' },
        labels: [{ name: 'platform', color: '5319e7' }],
      },
    },
    async (fixture) => {
      const { forge } = fixture
      await use({
        port: portFor(forge.apiUrl, 'token-of-bot'),
        readerPort: portFor(forge.apiUrl, 'token-of-reader'),
        path: 'acme/library',
        push: async (branch, files) => fixture.push(await fixture.clone('bot'), branch, files),
        openIssue: async (title, labels) =>
          forge.openIssue('maintainer', 'acme/library', { title, body: 'b', labels: [...labels] }).number,
        comment: async (number, body) => void forge.comment('maintainer', 'acme/library', number, body),
        deleteComment: async (id) => forge.deleteComment('maintainer', 'acme/library', Number(id)),
        async reportCheck(sha, name, state) {
          const { checks } = fixture.octokit('maintainer')
          const status = state === 'running' ? 'in_progress' : 'completed'
          const said = { name, status, ...(state === 'running' ? {} : { conclusion: state }) } as const
          const known = await checks.listForRef({ ...REPO, ref: sha, check_name: name, status: 'in_progress' })
          const [open] = known.data.check_runs
          if (open === undefined) await checks.create({ ...REPO, head_sha: sha, ...said })
          else await checks.update({ ...REPO, check_run_id: open.id, ...said })
        },
        expectChecks: (sha) => forge.expectChecks('maintainer', 'acme/library', sha),
        settled: () => forge.idle(),
      })
    },
  ),
)

test('a read that changed nothing costs a 304 and gives the same answer; a change is seen', async () => {
  await withForge({ git: 'memory' }, async ({ forge }) => {
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
  await expect(port.whoAmI()).rejects.toMatchObject({ name: 'BrokenAnswerError' })
  expect(asked).toEqual(['POST', 'GET'])
  await new Promise((resolve) => server.close(resolve))
  await expect(port.whoAmI()).rejects.toMatchObject({ name: 'ForgeUnavailableError' })
})

test.each([undefined, 408, 500, 503, 529])('the status %s is no answer, and no other is (FORGE-WRITES-4)', (status) => {
  expect(isAway(failureOf('read issue', { ...(status === undefined ? {} : { status }) }))).toBe(true)
  for (const refusal of [400, 401, 403, 404, 405, 409, 410, 418, 422])
    expect(isAway(failureOf('read issue', { status: refusal }))).toBe(false)
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
])(
  'CI-RULE-1: a check that is %s with %s counts as %s, and so does a suite (TOOL-CI-11, TOOL-CI-12)',
  (status, conclusion, expected) => {
    const report = ciReportOf('s', [{ status, conclusion }], [{ id: 1, name: 'c', status, conclusion }], [])
    expect([report.status, report.checks[0]!.status]).toEqual([expected, expected])
  },
)

test('a suite in which nothing ever began does not count, and one that waits for a person does (TOOL-CI-9)', () => {
  const unused = { status: 'queued', conclusion: null, latest_check_runs_count: 0 }
  const statusOf = (...suites: Parameters<typeof ciReportOf>[1]): string => ciReportOf('s', suites, [], []).status
  expect(statusOf(unused)).toBe('none')
  expect(statusOf(unused, { status: 'completed', conclusion: 'success', latest_check_runs_count: 2 })).toBe('success')
  expect(statusOf({ status: 'completed', conclusion: 'action_required', latest_check_runs_count: 0 })).toBe('pending')
})

test('a commit status counts beside the suites (TOOL-CI-15)', () => {
  const green = { status: 'completed', conclusion: 'success' }
  expect(ciReportOf('s', [green], [], [{ context: 'deploy', state: 'pending' }]).status).toBe('pending')
  expect(ciReportOf('s', [], [], [{ context: 'deploy', state: 'success' }]).status).toBe('success')
})

test('a check of GitHub’s own CI names its job, one of an app carries its log, a status of another system neither (TOOL-CI-8)', () => {
  const run = { id: 7, status: 'completed', conclusion: 'failure', output: { title: 'Red', text: 'line 1' } }
  const runs = [
    { ...run, name: 'unit', app: { slug: 'github-actions' } },
    { ...run, name: 'lint', app: { slug: 'linter' } },
  ]
  const statuses = [{ context: 'deploy', state: 'error', target_url: 'https://ci/1', description: 'broke' }]
  expect(ciReportOf('s', [], runs, statuses).checks).toEqual([
    { name: 'unit', status: 'failure', conclusion: 'failure', log: 'Red\n\nline 1', job: '7' },
    { name: 'lint', status: 'failure', conclusion: 'failure', log: 'Red\n\nline 1' },
    { name: 'deploy', status: 'failure', conclusion: 'error', url: 'https://ci/1', external: true },
  ])
})

test('the log of a job is read from the place that GitHub names, which is shown no token', async () => {
  const asked: { readonly url: string; readonly authorization: string | undefined }[] = []
  const answers: Record<string, (base: string) => { status: number; headers?: Record<string, string>; body?: string }> =
    {
      '/repos/acme/library/actions/jobs/7/logs': (base) => ({ status: 302, headers: { location: `${base}/blob/7` } }),
      '/blob/7': () => ({ status: 200, body: 'line 1\nline 2\n' }),
      '/repos/acme/library/actions/jobs/8/logs': (base) => ({ status: 302, headers: { location: `${base}/blob/8` } }),
      '/blob/8': (base) => ({ status: 302, headers: { location: `${base}/blob/7` } }),
      '/repos/acme/library/actions/jobs/9/logs': () => ({ status: 403, body: '{"message": "no"}' }),
    }
  await withServer(
    (request, response, base) => {
      asked.push({ url: request.url ?? '', authorization: request.headers.authorization })
      const { status, headers, body } = answers[request.url ?? '']?.(base) ?? {
        status: 404,
        body: '{"message": "gone"}',
      }
      response.writeHead(status, {
        'content-type': body?.startsWith('{') ? 'application/json' : 'text/plain',
        ...headers,
      })
      response.end(body)
    },
    async (base) => {
      const port = portFor(base, 'token-of-bot')
      expect(await port.jobLog('acme/library', '7')).toBe('line 1\nline 2\n')
      expect(asked.map(({ authorization }) => authorization)).toEqual(['token token-of-bot', undefined])
      await expect(port.jobLog('acme/library', '8')).rejects.toThrow(
        'the forge sends to an address that is none of its own',
      )
      expect(await port.jobLog('acme/library', '9')).toBeUndefined()
      expect(await port.jobLog('acme/library', '10')).toBeUndefined()
    },
  )
})

describe('required checks', () => {
  const main = (answers: Readonly<Record<string, readonly [number, unknown]>>): Promise<unknown> => {
    const answerOf = (url = ''): readonly [number, unknown] =>
      answers[/rules/.test(url) ? 'rules' : 'branch'] ?? [500, {}]
    let found: unknown
    return withServer(
      (request, response) => {
        const [status, body] = answerOf(request.url)
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      },
      async (base) => {
        found = await portFor(base, 'token-of-bot').requiredChecks('acme/library', 'main')
      },
    ).then(() => found)
  }
  const commit = { sha: 'a'.repeat(40) }
  const open = { commit, protected: false, protection: { enabled: false } }
  const byBranch = (contexts: readonly string[], checks: readonly string[]): object => ({
    commit,
    protected: true,
    protection: {
      enabled: true,
      required_status_checks: { contexts, checks: checks.map((context) => ({ context, app_id: null })) },
    },
  })
  const rule = (...contexts: readonly string[]): object => ({
    type: 'required_status_checks',
    parameters: { required_status_checks: contexts.map((context) => ({ context })) },
  })

  test('MERGE-4: those of the branch and those of every ruleset are required', async () => {
    const rules = [rule('lint', 'unit'), { type: 'deletion' }, rule('e2e')]
    expect(await main({ branch: [200, byBranch(['unit'], ['unit', 'types'])], rules: [200, rules] })).toEqual({
      names: ['unit', 'types', 'lint', 'e2e'],
    })
    expect(await main({ branch: [200, open], rules: [200, []] })).toEqual({ names: [] })
  })

  test.each([
    [404, 'Not Found'],
    [403, 'Resource not accessible by integration'],
  ])('MERGE-15: an answer %s %s is no word that nothing is required', async (status, message) => {
    const refused = [status, { message }] as const
    expect(await main({ branch: refused, rules: [200, [rule('lint')]] })).toEqual({
      names: ['lint'],
      unread: `the protection of main (read branch: ${message})`,
    })
    expect(await main({ branch: [200, byBranch(['unit'], [])], rules: refused })).toEqual({
      names: ['unit'],
      unread: `the rulesets of main (list rules of branch: ${message})`,
    })
  })

  test('MERGE-15: a protected branch whose answer leaves the checks out is not one that requires none', async () => {
    const rules = [200, []] as const
    const unread = { names: [], unread: 'the protection of main' }
    expect(await main({ branch: [200, { commit, protected: true }], rules })).toEqual(unread)
    expect(await main({ branch: [200, { commit }], rules })).toEqual(unread)
    expect(await main({ branch: [200, { commit, protected: true, protection: { enabled: true } }], rules })).toEqual(
      unread,
    )
  })

  test.each(['workflows', 'code_scanning'])(
    'MERGE-15: the rule %s requires checks that it does not name',
    async (type) => {
      expect(await main({ branch: [200, open], rules: [200, [{ type, parameters: { anything: [] } }]] })).toEqual({
        names: [],
        unread: `which checks the rule ${type} of main requires`,
      })
    },
  )

  test('a base that is gone requires nothing', async () => {
    const gone = [404, { message: 'Branch not found' }] as const
    expect(await main({ branch: gone, rules: [200, []] })).toEqual({ names: [] })
  })
})

test.each([404, 422])('a branch to delete is gone where the forge answers %s', async (status) => {
  await withAnswer(status, '{"message": "Reference does not exist"}', async (port) => {
    await expect(port.deleteBranch('acme/library', 'platform/a')).resolves.toBeUndefined()
  })
})

test.each([400, 405])('a branch that the forge refuses to delete by a %s is not gone', async (status) => {
  await withAnswer(status, '{"message": "no"}', async (port) => {
    await expect(port.deleteBranch('acme/library', 'platform/a')).rejects.toMatchObject({ name: 'ValidationError' })
  })
})

test('an issue whose face of a merge request is null is an issue', async () => {
  const at = '2026-01-01T00:00:00Z'
  const plain = { number: 1, title: 'One', state: 'open', labels: [], html_url: 'u', created_at: at, updated_at: at }
  await withAnswer(200, JSON.stringify({ ...plain, pull_request: null }), async (port) => {
    expect(await port.issue('acme/library', 1)).toMatchObject({ number: 1, title: 'One' })
  })
  await withAnswer(
    200,
    JSON.stringify([
      { ...plain, pull_request: null },
      { ...plain, pull_request: {} },
    ]),
    async (port) => {
      expect(await port.listIssues('acme/library')).toHaveLength(1)
    },
  )
})

async function withAnswer(status: number, body: string, use: (port: ForgePort) => Promise<void>): Promise<void> {
  const type = body.startsWith('4') ? 'text/plain' : 'application/json'
  await withServer(
    (_request, response) => void response.writeHead(status, { 'content-type': type }).end(body),
    (base) => use(portFor(base, 'token-of-bot')),
  )
}

async function withServer(
  handle: (request: IncomingMessage, response: ServerResponse, base: string) => void,
  use: (base: string) => Promise<void>,
): Promise<void> {
  let base = ''
  const server = createServer((request, response) => handle(request, response, base))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    await use(base)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}
