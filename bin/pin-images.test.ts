import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { faultsOf } from '../testing/dockerfiles.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { parseImage } = (await import(new URL('./build/registry.mjs', import.meta.url).href)) as {
  parseImage(image: string): { readonly registry: string; readonly repository: string; readonly tag: string }
}
const digest = `sha256:${'5a'.repeat(32)}`

/** A registry that answers a request with a token that it gave itself. */
interface Registry {
  readonly host: string
  readonly asked: readonly string[]
}

/** @param header what it has under the tag `1`. */
async function registry(header: string = digest, wantsToken = true): Promise<Registry> {
  const asked: string[] = []
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = '', url = '', headers } = request
    asked.push(`${method} ${url}`)
    const end = (status: number, more: Readonly<Record<string, string>> = {}, body = ''): void =>
      void response.writeHead(status, more).end(body)
    if (url.startsWith('/token?')) return end(200, { 'content-type': 'application/json' }, '{"token": "own"}')
    if (wantsToken && headers.authorization !== 'Bearer own')
      return end(401, {
        'www-authenticate': `Bearer realm="http://${host}/token",service="here",scope="repository:acme/node:pull"`,
      })
    if (!String(headers.accept).includes('application/vnd.oci.image.index.v1+json')) return end(406)
    if (method !== 'HEAD' || url !== '/v2/acme/node/manifests/1') return end(404)
    end(200, { 'docker-content-digest': header })
  }
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { host, asked }
}

interface Pinned {
  readonly dir: string
  readonly code: number
  readonly text: string
  readonly dockerfile: string
}

async function pin(image: string, env: Readonly<Record<string, string>> = { GITHUB_RUN_ID: '77' }): Promise<Pinned> {
  const dir = mkdtempSync(join(tmpdir(), 'pins-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  mkdirSync(join(dir, 'deploy/images'), { recursive: true })
  writeFileSync(join(dir, 'deploy/images/base.json'), JSON.stringify({ node: image }))
  const file = join(dir, 'deploy/Dockerfile.x')
  writeFileSync(
    file,
    `FROM ${image} AS build\nFROM build AS other\nFROM ${image}\nCOPY --from=other /a /a\nUSER 1000\nHEALTHCHECK NONE\n`,
  )
  const child = spawn(process.execPath, [join(root, 'bin/pin-images.mjs'), dir], { env, cwd: root })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (text += part.toString()))
  const [code] = (await once(child, 'close')) as [number]
  return { dir, code, text, dockerfile: readFileSync(file, 'utf8') }
}

test('a run asks the registry with a token, and pins and records what it has', async () => {
  const { host, asked } = await registry()
  const image = `${host}/acme/node:1`
  const { dir, code, dockerfile } = await pin(image)
  expect(code).toBe(0)
  expect(dockerfile).toMatch(`FROM ${image}@${digest} AS build\nFROM build AS other\nFROM ${image}@${digest}\n`)
  const record: unknown = JSON.parse(readFileSync(join(dir, 'deploy/images/pins.json'), 'utf8'))
  expect(record).toEqual({
    run: 'github 77',
    pins: [
      { image, registry: host, repository: 'acme/node', tag: '1', digest, at: expect.stringMatching(/^\d{4}-.*Z$/) },
    ],
  })
  expect(asked).toEqual([
    'HEAD /v2/acme/node/manifests/1',
    'GET /token?scope=repository%3Aacme%2Fnode%3Apull&service=here',
    'HEAD /v2/acme/node/manifests/1',
  ])
  // The linter takes this digest, and no other.
  const tree = { isSent: () => true, bases: [image] }
  expect(faultsOf(dockerfile, { ...tree, pinned: [`${image}@${digest}`] })).toEqual([])
  expect(faultsOf(dockerfile, { ...tree, pinned: [] }).join('\n')).toContain('that no run of pin-images has recorded')
})

test('a registry that wants no token is asked once; GitLab names its pipeline', async () => {
  const { host, asked } = await registry(digest, false)
  const { dir, code } = await pin(`${host}/acme/node:1`, { CI_PIPELINE_ID: '5' })
  expect([code, asked.length]).toEqual([0, 1])
  expect(readFileSync(join(dir, 'deploy/images/pins.json'), 'utf8')).toContain('"run": "gitlab 5"')
})

test.each([
  ['a tag that is not there', digest, '2', 'answered 404'],
  ['no digest', '', '1', 'answered no digest of sha256'],
  ['what is no digest', 'sha256:5a', '1', 'answered no digest of sha256'],
])('%s ends the run, and nothing is written', async (_title, header, tag, complaint) => {
  const { host } = await registry(header)
  const { dir, code, text, dockerfile } = await pin(`${host}/acme/node:${tag}`)
  expect([code, text]).toEqual([1, expect.stringContaining(complaint)])
  expect(dockerfile).not.toContain('@')
  expect(existsSync(join(dir, 'deploy/images/pins.json'))).toBe(false)
})

test('without a run of a workflow nothing is asked', async () => {
  const { host, asked } = await registry()
  expect(await pin(`${host}/acme/node:1`, {})).toMatchObject({
    code: 2,
    text: expect.stringContaining('GITHUB_RUN_ID'),
  })
  expect(asked).toEqual([])
})

test.each([
  ['node:24', 'registry-1.docker.io', 'library/node'],
  ['acme/node:24', 'registry-1.docker.io', 'acme/node'],
  ['registry.example/a/b/node:24', 'registry.example', 'a/b/node'],
  ['localhost/node:24', 'localhost', 'node'],
])('%s is of %s', (image, host, repository) => {
  expect(parseImage(image)).toEqual({ registry: host, repository, tag: '24' })
})

test.each(['node', `node:24@${digest}`, 'registry.example:5000/node'])('%s has no tag alone', (image) => {
  expect(() => parseImage(image)).toThrow('with a tag alone')
})
