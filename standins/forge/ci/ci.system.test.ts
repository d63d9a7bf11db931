import { access } from 'node:fs/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { failure, run, withForge, type FixtureOptions, type ForgeFixture } from '../testing/fixture.ts'

const REPO = { owner: 'acme', repo: 'library' }

function withCi(
  command: string | undefined,
  use: (fixture: ForgeFixture) => Promise<void>,
  ci: NonNullable<FixtureOptions['repository']>['ci'] = {},
): Promise<void> {
  return withForge(
    {
      repository: {
        ci: { ...(command === undefined ? {} : { command }), ...ci },
        protection: { main: { requiredChecks: ['test'] } },
      },
    },
    use,
  )
}

async function checkOf(fixture: ForgeFixture, ref: string): Promise<unknown> {
  return (await fixture.octokit('bot').checks.listForRef({ ...REPO, ref })).data.check_runs[0]
}

test('a check is there when the push is answered, and a red one keeps the change out', async () => {
  await withCi(undefined, async (fixture) => {
    const folder = await fixture.clone('bot')
    const head = await fixture.push(folder, 'x', { 'src/add.js': 'export const add = () => 0\n' })
    expect(await checkOf(fixture, head)).toMatchObject({ name: 'test', head_sha: head })
    const { data: pull } = await fixture.octokit('bot').pulls.create({ ...REPO, title: 'X', head: 'x', base: 'main' })
    await fixture.forge.idle()
    expect(await checkOf(fixture, 'x')).toMatchObject({
      status: 'completed',
      conclusion: 'failure',
      output: { title: 'Tests failed', text: expect.stringMatching(/fail 1/) },
      pull_requests: [{ number: pull.number }],
    })
    expect(await failure(fixture.octokit('bot').pulls.merge({ ...REPO, pull_number: pull.number }))).toMatchObject({
      status: 405,
      message: 'Required status check "test" is failing.',
    })
    expect(
      (await fixture.octokit('bot').checks.listSuitesForRef({ ...REPO, ref: head })).data.check_suites,
    ).toMatchObject([{ status: 'completed', conclusion: 'failure', head_branch: 'x' }])
    expect((await fixture.octokit('bot').repos.getCombinedStatusForRef({ ...REPO, ref: head })).data).toMatchObject({
      state: 'pending',
      total_count: 0,
    })
  })
})

afterEach(() => vi.unstubAllEnvs())
test('CI gets a path, a home of its own and the way to registries, and none of the secrets around it', async () => {
  const secrets = { FORGE_TEST_CANARY: 'canary', HTTP_PROXY: 'http://me:canary@proxy.example:3128' }
  const roads = { NODE_EXTRA_CA_CERTS: '/etc/own.pem', https_proxy: 'http://proxy.example:3128' }
  for (const [name, value] of Object.entries({ ...secrets, ...roads })) vi.stubEnv(name, value)
  await withCi('env; git log -1 --format=%s; node --version', async (fixture) => {
    await fixture.forge.idle(fixture.push(await fixture.clone('bot'), 'x', { 'a.txt': 'a' }, 'The subject'))
    const check = (await checkOf(fixture, 'x')) as { conclusion: string; output: { text: string } }
    expect(check.conclusion).toBe('success')
    const said = [...Object.entries(roads).map((each) => `${each.join('=')}\n`), 'The subject', process.version]
    for (const each of said) expect(check.output.text).toContain(each)
    expect(check.output.text).not.toContain('canary')
    const home = /^HOME=(.*)$/m.exec(check.output.text)?.[1] ?? ''
    await expect(access(home)).rejects.toThrow(/ENOENT/)
  })
})

test('a run that takes too long is ended with its children and says so', async () => {
  await withCi(
    'echo started; sleep 600 & wait',
    async (fixture) => {
      await fixture.forge.idle(fixture.push(await fixture.clone('bot'), 'x', { 'a.txt': 'a' }))
      expect(await checkOf(fixture, 'x')).toMatchObject({ conclusion: 'timed_out', output: { text: 'started\n' } })
    },
    { timeoutMs: 2_000 },
  )
})

test('a repository without a test script has no checks, and one sha is tested once', async () => {
  await withCi(undefined, async (fixture) => {
    const folder = await fixture.clone('bot')
    await fixture.push(folder, 'x', { 'a.txt': 'a' })
    await run(folder, ['push', '--quiet', 'origin', 'HEAD:refs/heads/y'])
    await fixture.forge.idle(fixture.push(folder, 'z', { 'package.json': '{}' }))
    expect((await fixture.octokit('bot').checks.listForRef({ ...REPO, ref: 'y' })).data.total_count).toBe(1)
    expect((await fixture.octokit('bot').checks.listForRef({ ...REPO, ref: 'z' })).data.total_count).toBe(0)
  })
})

test('closing the forge ends a run that is under way', async () => {
  await withCi('sleep 600', async (fixture) => {
    await fixture.push(await fixture.clone('bot'), 'x', { 'a.txt': 'a' })
    await fixture.forge.close()
    expect(fixture.forge.audit().at(-1)).toMatchObject({ action: 'check.update', actor: 'local-ci[bot]' })
  })
})
