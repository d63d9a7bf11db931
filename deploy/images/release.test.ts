/** The release workflows: what they build, in which order, and with which rights. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readInstructions, splitStages } from '../../testing/dockerfiles.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const bases = JSON.parse(read('deploy/images/base.json')) as { readonly node: string }

interface Target {
  readonly inherits?: readonly string[]
  readonly dockerfile?: string
  readonly target?: string
  readonly attest?: readonly string[]
  readonly tags?: readonly string[]
}

const bake = JSON.parse(read('deploy/images/bake.json')) as {
  readonly group: { readonly default: { readonly targets: readonly string[] } }
  readonly target: Readonly<Record<string, Target>>
}
interface Step {
  readonly uses?: string
  readonly run?: string
}

const github = parse(read('.github/workflows/release.yml')) as {
  readonly on: { readonly push: { readonly tags: readonly string[] } }
  readonly permissions: object
  readonly jobs: {
    readonly images: {
      readonly permissions: object
      readonly steps: readonly Step[]
    }
    readonly documents: { readonly needs: string; readonly permissions: object; readonly steps: readonly Step[] }
  }
}
const gitlab = parse(read('.gitlab-ci.yml')) as {
  readonly stages: readonly string[]
  readonly workflow: { readonly rules: readonly { readonly if: string }[] }
  readonly pin: {
    readonly image: string
    readonly script: readonly string[]
    readonly artifacts: { readonly paths: object }
  }
  readonly images: { readonly needs: readonly string[]; readonly script: readonly string[] }
  readonly documents: {
    readonly image: string
    readonly script: readonly string[]
    readonly artifacts: { readonly paths: object; readonly expire_in: string }
  }
}

test('a release has an image for each tree, with its list of parts and its provenance', () => {
  const { targets } = bake.group.default
  expect(targets).toEqual(['orchestrator', 'single-server', 'memory', 'wrapper', 'cli'])
  expect(bake.target['image']!.attest).toEqual(['type=sbom', 'type=provenance,mode=max'])
  for (const name of targets) {
    const { inherits, dockerfile = '', target = '', tags } = bake.target[name]!
    expect([name, inherits, tags]).toEqual([name, ['image'], [`\${REGISTRY}/statewright-${name}:\${TAG}`]])
    expect([name, existsSync(join(root, dockerfile))]).toEqual([name, true])
    const stages = splitStages(readInstructions(read(dockerfile)))
    const stage = target === '' ? stages.at(-1)! : stages.find(({ title }) => title === target)!
    const sources = [stage, ...stages.filter(({ title }) => JSON.stringify(stage.steps).includes(`--from=${title} `))]
    expect(JSON.stringify(sources)).toContain(`node bin/image-tree.mjs ${name} /image`)
  }
})

test('the chart names what a release pushes', () => {
  const values = parse(read('deploy/chart/values.yaml')) as Readonly<Record<string, { readonly repository: string }>>
  const nameOf = (program: string): string => `\${REGISTRY}/${values[program]!.repository}:\${TAG}`
  expect([nameOf('image')]).toEqual(bake.target['orchestrator']!.tags)
  expect([nameOf('wrapperImage')]).toEqual(bake.target['wrapper']!.tags)
})

test('both workflows pin the base images before they build, on a tag of a release alone', () => {
  expect(github.on).toEqual({ push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } })
  expect(gitlab.workflow.rules).toEqual([{ if: String.raw`$CI_COMMIT_TAG =~ /^v\d+\.\d+\.\d+$/` }])
  const bakes = 'docker buildx bake --file deploy/images/bake.json --push --metadata-file images.json'
  const steps = github.jobs.images.steps.flatMap(({ run }) => run ?? [])
  expect(steps.indexOf('node bin/pin-images.mjs')).toBeGreaterThanOrEqual(0)
  expect(steps.indexOf(bakes)).toBeGreaterThan(steps.indexOf('node bin/pin-images.mjs'))
  expect([gitlab.stages, gitlab.images.needs]).toEqual([['pin', 'build'], ['pin']])
  expect(gitlab.pin.script).toContain('node bin/pin-images.mjs')
  expect(gitlab.pin.artifacts.paths).toEqual(['deploy/Dockerfile.*', 'deploy/images/pins.json'])
  expect(gitlab.images.script).toContain(bakes)
})

test('each runs on the Node of the images', () => {
  expect(gitlab.pin.image).toBe(bases.node)
  expect(read('.github/workflows/release.yml')).toContain(`node-version: ${/:([\d.]+)-/.exec(bases.node)![1]}\n`)
})

test('a release has the OpenAPI document of the memory service as an asset (DOCUMENTS-2)', () => {
  const write = 'node bin/memory-openapi.mjs memory.openapi.json'
  const steps = github.jobs.documents.steps.flatMap(({ run = '' }) => run.split('\n'))
  const upload = steps.findIndex((line) => line.startsWith('gh release upload "$TAG" memory.openapi.json'))
  expect(steps.indexOf(write)).toBeGreaterThan(steps.indexOf('npm ci'))
  expect(upload).toBeGreaterThan(steps.indexOf(write))
  expect(github.jobs.documents.needs).toBe('images')
  expect(gitlab.documents.script).toEqual(['npm ci', write])
  expect(gitlab.documents.artifacts).toEqual({ expire_in: 'never', paths: ['memory.openapi.json'] })
  expect(gitlab.documents.image).toBe(bases.node)
})

test('the workflow writes packages, and one job the release, by actions of one version', () => {
  const { images, documents } = github.jobs
  expect([github.permissions, images.permissions, documents.permissions]).toEqual([
    { contents: 'read' },
    { contents: 'read', packages: 'write' },
    { contents: 'write' },
  ])
  const actions = [...images.steps, ...documents.steps].flatMap(({ uses }) => uses ?? [])
  expect(actions.length).toBeGreaterThan(0)
  // By tag: nobody here has seen what a commit of theirs holds.
  expect(actions.filter((action) => !/^[\w-]+\/[\w-]+@v\d+\.\d+\.\d+$/.test(action))).toEqual([])
})
