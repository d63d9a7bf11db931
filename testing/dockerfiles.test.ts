import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { houseOf } from './architecture/house.ts'
import { listFiles } from './architecture/source.ts'
import { faultsOf, type Tree, sentNames } from './dockerfiles.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  devDependencies: { node: string }
}
const sent = sentNames(readFileSync(join(root, '.dockerignore'), 'utf8'))

const bases = JSON.parse(readFileSync(join(root, 'deploy/images/base.json'), 'utf8')) as { readonly node: string }

const record = join(root, 'deploy/images/pins.json')
/** What a run of `bin/pin-images.mjs` has learned. It is written in a release workflow, and is not of this repository. */
const { pins } = (existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : { pins: [] }) as {
  readonly pins: readonly { readonly image: string; readonly digest: string }[]
}

const tree: Tree = {
  bases: Object.values(bases),
  pinned: pins.map(({ image, digest }) => `${image}@${digest}`),
  isSent: (path) => sent.some((name) => `${path}/`.startsWith(`${name}/`)) && existsSync(join(root, path)),
}

const files = globSync('deploy/Dockerfile.*', { cwd: root }).toSorted()

test('there is an image for each program that there is (DEPLOYMENT-2)', () => {
  expect(files).toEqual([
    'deploy/Dockerfile.cli',
    'deploy/Dockerfile.memory',
    'deploy/Dockerfile.orchestrator',
    'deploy/Dockerfile.wrapper',
  ])
})

test('the base image has the Node that package.json pins', () => {
  expect(bases.node).toMatch(new RegExp(`^node:${devDependencies.node}-`))
})

test.each(files)(
  '%s is pinned, runs as nobody special, keeps no secret and copies what exists (DEPLOYMENT-2, WRAPPER-IMAGE-1)',
  (file) => {
    expect(faultsOf(readFileSync(join(root, file), 'utf8'), tree)).toEqual([])
  },
)

test('no file of the deployment has a digest that no run has recorded', () => {
  const written = globSync('deploy/**/*', { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8').match(/sha256:[0-9a-f]{64}/g) ?? [])
  const recorded = pins.map(({ digest }) => digest)
  expect(written.filter((digest) => !recorded.includes(digest))).toEqual([])
})

test('the orchestrator of an image isolates its pods or refuses to start (DEPLOYMENT-4)', () => {
  const lines = readFileSync(join(root, 'deploy/Dockerfile.orchestrator'), 'utf8').split('\n')
  expect(lines.filter((line) => /^\s*(ENV\s+)?POD_ISOLATION=/.test(line)).map((line) => line.trim())).toEqual([
    expect.stringMatching(/^(ENV\s+)?POD_ISOLATION=required\b/),
  ])
})

test.each(['orchestrator', 'memory'])('the image of %s gives memory back, as a server of up does', (name) => {
  const text = readFileSync(join(root, `deploy/Dockerfile.${name}`), 'utf8')
  for (const setting of ['MALLOC_TRIM_THRESHOLD_=131072', 'NODE_OPTIONS=--max-semi-space-size=16'])
    expect(text.split('\n').map((line) => line.trim().replace(/ \\$/, ''))).toContain(setting)
})

test('the builder is sent every folder that the programs are made of, and nothing but what is named', () => {
  const ofPrograms = listFiles(root).filter((path) => path.startsWith('cli/') && !/\.test\.ts$|\/testing/.test(path))
  const folders = houseOf(ofPrograms, (path) => readFileSync(join(root, path), 'utf8')).files.flatMap(
    ({ path, imports }) =>
      imports
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => join(dirname(path), specifier).split('/')[0] ?? ''),
  )
  expect(folders).toContain('wrapper')
  expect([...new Set(folders)].filter((folder) => !sent.includes(folder))).toEqual([])
  expect(sent.filter((path) => !existsSync(join(root, path)))).toEqual([])
  expect(readFileSync(join(root, '.dockerignore'), 'utf8')).toMatch(/^\*$/m)
})

const good = `FROM ${bases.node} AS build\nRUN npm ci\nFROM ${bases.node}\nCOPY --from=build /app /app\nCOPY bin/statewright.mjs ./\nUSER node\nHEALTHCHECK NONE\n`

test.each<[title: string, change: (text: string) => string, complaint: string]>([
  ['another Node', (text) => text.replaceAll(bases.node, 'node:24'), 'FROM node:24 is no base image'],
  [
    'a digest that nobody asked a registry for',
    (text) => text.replaceAll(bases.node, `${bases.node}@sha256:${'0'.repeat(64)}`),
    'that no run of pin-images has recorded',
  ],
  [
    'root in one of two targets',
    (text) => `${text}FROM ${bases.node} AS other\nCOPY --from=build /app /app\nHEALTHCHECK NONE\n`,
    'runs as root',
  ],
  ['no user', (text) => text.replace('USER node\n', ''), 'runs as root'],
  ['root by its number', (text) => text.replace('USER node', 'USER 0:0'), 'runs as root'],
  [
    'a user of the build stage only',
    (text) => text.replace('USER node\n', '').replace('RUN npm ci', 'USER node\nRUN npm ci'),
    'runs as root',
  ],
  ['a build argument', (text) => `ARG NPM_TOKEN\n${text}`, 'ARG is not taken here'],
  ['a secret in the environment', (text) => `${text}ENV A=1 \\\n  API_KEY=x\n`, 'keeps a secret'],
  ['an install without lockfile', (text) => text.replace('npm ci', 'npm install -g claude'), 'no lockfile pins'],
  ['a download', (text) => `${text}RUN curl https://example.org | sh\n`, 'nobody verified'],
  ['a file that is not there', (text) => text.replace('bin/statewright.mjs', 'bin/absent.mjs'), 'no such file'],
  ['a file that the builder is not sent', (text) => text.replace('bin/statewright.mjs', 'LICENSE'), 'no such file'],
  ['a stage that is not there', (text) => text.replace('--from=build', '--from=other'), 'no earlier stage'],
  ['no health check', (text) => text.replace('HEALTHCHECK NONE\n', ''), 'no HEALTHCHECK'],
  ['a server whose health nobody asks for', (text) => `${text}EXPOSE 8080\n`, 'does not ask /healthz'],
  ['the sources in the image', (text) => `${text}COPY . .\n`, 'carries the sources'],
])('%s is noticed', (_title, change, complaint) => {
  expect(faultsOf(good, tree)).toEqual([])
  expect(faultsOf(change(good), tree).join('\n')).toContain(complaint)
})
