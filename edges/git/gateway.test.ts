import { expect, test } from 'vitest'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { globSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commit, run } from '../../standins/forge/testing/fixture.ts'
import { BRANCH, podHeader, push, withGateway, type GatewayFixture } from './testing/fixture.ts'
import { testInside } from '../../testing/inside.ts'

const it = testInside<[GatewayFixture]>((use) => withGateway(use))

it('a pod clones and pushes its task branch; the forge has it under the bot, the audit under the pod (TOOLS-14, GIT-GATEWAY-1, GIT-GATEWAY-2, GIT-GATEWAY-6, GIT-1)', async (fixture) => {
  const folder = await fixture.podCloneOverGateway()
  await commit(folder, { 'src/mul.js': 'export const mul = (a, b) => a * b\n' }, 'Add mul')
  await push(folder, `HEAD:refs/heads/${BRANCH}`)
  const head = await run(folder, ['rev-parse', 'HEAD'])
  expect(await run(fixture.path, ['rev-parse', BRANCH])).toBe(head)
  expect(fixture.forge.audit()).toContainEqual(
    expect.objectContaining({ actor: 'bot', action: 'git.push', ref: `refs/heads/${BRANCH}`, after: head }),
  )
  expect(fixture.audits).toMatchObject([
    {
      task: 'default/implement-library-1-aaaaa',
      pod: 'default/implement-library-1-aaaaa/1',
      ref: `refs/heads/${BRANCH}`,
      after: head,
      outcome: 'accepted',
    },
  ])
})

test('the bot’s token goes to no host but the Project’s forge (PROJECT-SCM-4)', async () => {
  const heard: string[] = []
  const elsewhere = createHttpServer((request, response) => {
    heard.push(request.headers.authorization ?? '')
    response.end()
  })
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = elsewhere.address() as AddressInfo
    await withGateway(
      async ({ url }) => {
        const headers = { authorization: podHeader().slice('Authorization: '.length) }
        for (const service of ['git-upload-pack', 'git-receive-pack']) {
          const answer = await fetch(`${url}/info/refs?service=${service}`, { headers })
          expect([answer.status, await answer.json()]).toMatchObject([409, { code: 'conflict' }])
        }
      },
      { url: `http://127.0.0.1:${port}/acme/library.git` },
    )
    expect(heard).toEqual([])
  } finally {
    elsewhere.close()
  }
})

it('later pushes go forward from the first, large and compressed ones too, and a push of a known commit is fine', async (fixture) => {
  const folder = await fixture.podClone()
  await push(folder, `HEAD:refs/heads/${BRANCH}`)
  const noise = Array.from({ length: 200_000 }, (_, index) => ((index * 2654435761) % 4294967296).toString(36)).join(
    '\n',
  )
  await commit(folder, { 'big.txt': noise }, 'A big one')
  await push(folder, `HEAD:refs/heads/${BRANCH}`)
  await commit(folder, { 'more.txt': 'x' }, 'More')
  await push(folder, `HEAD:refs/heads/${BRANCH}`)
  expect(await run(fixture.path, ['rev-parse', BRANCH])).toBe(await run(folder, ['rev-parse', 'HEAD']))
  expect(fixture.audits.map((one) => one.outcome)).toEqual(['accepted', 'accepted', 'accepted'])
})

it.for([
  ['another branch', 'HEAD:refs/heads/main', [], 'push only to'],
  ['another task', 'HEAD:refs/heads/platform/other', [], 'push only to'],
  ['a tag', 'HEAD:refs/tags/v1', [], 'may not push tags'],
])(
  '%s is refused with words that git prints, and the forge hears nothing (GIT-GATEWAY-3, GIT-2)',
  async ([, ref, options, words], fixture) => {
    const folder = await fixture.podClone()
    await push(folder, `HEAD:refs/heads/${BRANCH}`)
    const before = fixture.forge.audit().length
    await commit(folder, { 'x.txt': 'x' }, 'X')
    await expect(push(folder, ref, ...options)).rejects.toThrow(words)
    expect(fixture.forge.audit()).toHaveLength(before)
    expect(fixture.audits.at(-1)).toMatchObject({ outcome: 'refused' })
  },
)

it('a branch is not deleted: the ability is not offered, and a client that asks all the same is refused (GIT-GATEWAY-3, GIT-2)', async (fixture) => {
  const folder = await fixture.podClone()
  await push(folder, `HEAD:refs/heads/${BRANCH}`)
  const head = await run(folder, ['rev-parse', 'HEAD'])
  await expect(push(folder, `:refs/heads/${BRANCH}`)).rejects.toThrow('remote rejected')
  const line = `${head} ${'0'.repeat(40)} refs/heads/${BRANCH}\0report-status`
  const body = `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`
  const headers = {
    authorization: podHeader().slice('Authorization: '.length),
    'content-type': 'application/x-git-receive-pack-request',
  }
  const answer = await fetch(`${fixture.url}/git-receive-pack`, { method: 'POST', headers, body })
  expect(await answer.text()).toContain('a pod may not delete branches')
  expect(await run(fixture.path, ['rev-parse', BRANCH])).toBe(head)
})

it('history of the task branch is never rewritten, even by force (GIT-GATEWAY-3, GIT-2)', async (fixture) => {
  const folder = await fixture.podClone()
  await commit(folder, { 'x.txt': 'one' }, 'One')
  await push(folder, `HEAD:refs/heads/${BRANCH}`)
  await run(folder, ['commit', '--quiet', '--amend', '-m', 'Other'])
  await expect(push(folder, `+HEAD:refs/heads/${BRANCH}`)).rejects.toThrow('non-fast-forward')
})

it('a push of more bytes than the operator allows is refused, and git’s reason is told (ORCHESTRATOR-SETTINGS-17)', async (fixture) => {
  const folder = await fixture.podClone()
  await commit(folder, { 'x.txt': 'one' }, 'One')
  fixture.mostPackBytes = 64
  await expect(push(folder, `HEAD:refs/heads/${BRANCH}`)).rejects.toThrow('git refused the pack')
  fixture.mostPackBytes = 64 * 1024
  await push(folder, `HEAD:refs/heads/${BRANCH}`)
})

it('GIT-3: before the grant nothing is pushed (GIT-GATEWAY-4)', async (fixture) => {
  const folder = await fixture.podClone()
  await commit(folder, { 'x.txt': 'one' }, 'One')
  fixture.right = { allowed: false, reason: 'library-1 has no approval yet' }
  await expect(push(folder, `HEAD:refs/heads/${BRANCH}`)).rejects.toThrow('library-1 has no approval yet')
  fixture.right = { allowed: true, protectedPaths: false }
  await push(folder, `HEAD:refs/heads/${BRANCH}`)
})

it('GIT-4: files that run unseen need a maintainer, also when hidden in an earlier commit of the branch', async (fixture) => {
  const folder = await fixture.podClone()
  await commit(folder, { '.github/workflows/ci.yml': 'on: push\n' }, 'Steal')
  await commit(folder, { 'x.txt': 'harmless' }, 'Harmless')
  await expect(push(folder, `HEAD:refs/heads/${BRANCH}`)).rejects.toThrow('.github/workflows/ci.yml')
  expect(await run(fixture.path, ['branch', '--list', BRANCH])).toBe('')
  fixture.right = { allowed: true, protectedPaths: true }
  await push(folder, `HEAD:refs/heads/${BRANCH}`)
})

it.for([
  ['what later agents obey', 'CLAUDE.md', 'every later agent obeys it'],
  ['what the Project protects', 'deploy/prod.sh', 'the Project protects it'],
])(
  'a push that changes %s is refused: path, reason and the way out are named (PROJECT-SCM-21)',
  async ([, path, reason], fixture) => {
    const folder = await fixture.podClone()
    await commit(folder, { [path]: 'x' }, 'Change')
    const refused = await push(folder, `HEAD:refs/heads/${BRANCH}`).catch(String)
    for (const words of [path, reason, '/allow-ci-changes']) expect(refused.replaceAll(/\s+/g, ' ')).toContain(words)
    expect(fixture.audits.at(-1)).toMatchObject({ outcome: 'refused', reason: expect.stringContaining(path) })
    fixture.right = { allowed: true, protectedPaths: true }
    await push(folder, `HEAD:refs/heads/${BRANCH}`)
  },
)

it('a submodule needs a maintainer, also where no .gitmodules names it', async (fixture) => {
  const folder = await fixture.podClone()
  await run(folder, ['update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},dep`])
  await run(folder, ['commit', '--quiet', '-m', 'Link'])
  await expect(push(folder, `HEAD:refs/heads/${BRANCH}`)).rejects.toThrow('submodule')
  expect(await run(fixture.path, ['branch', '--list', BRANCH])).toBe('')
})

it('merging a base that changed its CI is no change of CI by the pod', async (fixture) => {
  const folder = await fixture.podClone()
  await commit(folder, { 'x.txt': 'mine' }, 'Mine')
  const human = await fixture.clone('maintainer')
  await fixture.push(human, 'main', { '.github/workflows/ci.yml': 'on: push\n' })
  await run(folder, ['fetch', '--quiet', 'origin'])
  await run(folder, ['merge', '--quiet', '-m', 'Merge', 'origin/main'])
  await push(folder, `HEAD:refs/heads/${BRANCH}`)
})

test('CI is measured against the branch that the Repository names, not the one of the forge (GIT-GATEWAY-5, REPOSITORY-3)', async () => {
  await withGateway(
    async (fixture) => {
      const human = await fixture.clone('maintainer')
      await run(human, ['checkout', '--quiet', '-b', 'release'])
      await fixture.push(human, 'release', { '.github/workflows/ci.yml': 'on: tag\n' })
      const folder = await fixture.podClone()
      await run(folder, ['checkout', '--quiet', 'release'])
      await commit(folder, { 'x.txt': 'mine' }, 'Mine')
      await push(folder, `HEAD:refs/heads/${BRANCH}`)
      await commit(folder, { '.github/workflows/ci.yml': 'on: push\n' }, 'CI')
      await expect(push(folder, `HEAD:refs/heads/${BRANCH}`)).rejects.toThrow('.github/workflows/ci.yml')
    },
    { defaultBranch: 'release' },
  )
})

it('a pod without a branch of its own fetches and pushes nothing', async (fixture) => {
  fixture.access = { repositories: ['library'], branches: {} }
  const folder = await fixture.podCloneOverGateway()
  await expect(push(folder, `HEAD:refs/heads/${BRANCH}`)).rejects.toThrow('403')
})

it('without a token git is challenged, with a wrong one refused; other Tasks, Projects and addresses are closed (GIT-GATEWAY-1, GIT-GATEWAY-6, GIT-GATEWAY-7)', async (fixture) => {
  const get = (url: string, token?: string): Promise<Response> =>
    fetch(
      url,
      token === undefined ? {} : { headers: { authorization: podHeader(token).slice('Authorization: '.length) } },
    )
  const refs = `${fixture.url}/info/refs?service=git-upload-pack`
  const open = await get(refs)
  expect([open.status, open.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="statewright git"'])
  expect((await get(refs, 'wrong')).status).toBe(401)
  expect((await get(refs.replace('/demo/', '/other/'), 'pod-token')).status).toBe(403)
  expect((await get(refs.replace('library.git', 'secrets.git'), 'pod-token')).status).toBe(403)
  expect((await get(`${fixture.url}/HEAD`, 'pod-token')).status).toBe(404)
  expect((await get(`${fixture.url}/objects/info/packs`, 'pod-token')).status).toBe(404)
  expect(await (await get(`${fixture.url}/info/lfs/objects/batch`, 'pod-token')).json()).toMatchObject({
    message: expect.stringContaining('LFS'),
  })
  fixture.access = undefined
  expect((await get(refs, 'pod-token')).status).toBe(403)
})

it('a forge that refuses the push is quoted, without its address', async (fixture) => {
  const folder = await fixture.podClone()
  await commit(folder, { 'x.txt': 'one' }, 'One')
  await push(folder, `HEAD:refs/heads/${BRANCH}`)
  // A branch that another one's name is a folder of cannot be made.
  fixture.access = { repositories: ['library'], branches: { library: `${BRANCH}/below` } }
  await expect(push(folder, `HEAD:refs/heads/${BRANCH}/below`)).rejects.toThrow('the forge refused the push')
  expect(fixture.audits.at(-1)).toMatchObject({ outcome: 'failed' })
})

it('what the forge says of a refused push reaches the pod, its lines and not its addresses (TOOL-OPEN-14)', async (fixture) => {
  const folder = await fixture.podClone()
  await commit(folder, { 'x.txt': 'one' }, 'One')
  const [hooks] = globSync('**/git-hooks', { cwd: fixture.dir })
  const hook = join(fixture.dir, hooks!, 'pre-receive')
  const said = [
    'error: GH013: Rule violations found',
    '',
    '- Commits must have verified signatures.',
    'See https://forge.example/x',
  ]
  await writeFile(hook, `#!/bin/sh\ncat >&2 <<'EOF'\n${said.join('\n')}\nEOF\nexit 1\n`, { mode: 0o755 })
  const refused = await push(folder, `HEAD:refs/heads/${BRANCH}`).catch((error: unknown) => String(error))
  expect(refused).toContain('pre-receive hook declined')
  expect(refused).toContain('GH013: Rule violations found; - Commits must have verified signatures.; See <forge>')
  expect(fixture.audits.at(-1)).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('GH013') })
})

it('bytes that are no push are a bad request', async (fixture) => {
  const headers = {
    authorization: podHeader().slice('Authorization: '.length),
    'content-type': 'application/x-git-receive-pack-request',
  }
  const answer = await fetch(`${fixture.url}/git-receive-pack`, { method: 'POST', headers, body: 'hello world' })
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([400, 'malformed-request'])
})

it('a push whose commit closes an issue is refused, and the forge has none of it (EXECUTED-5)', async (fixture) => {
  const clone = await fixture.podClone()
  await commit(clone, { 'src/week.js': 'export const week = 7\n' }, 'Fixes #4')
  await expect(run(clone, ['push', '--quiet', 'origin', `HEAD:refs/heads/${BRANCH}`])).rejects.toThrow(
    /says "Fixes #4", which would close an issue/,
  )
  expect(fixture.audits).toMatchObject([{ outcome: 'refused' }])
})
