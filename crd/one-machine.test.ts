import { describe, expect, test } from 'vitest'
import { beyondOneMachine, inertOnOneMachine } from './one-machine.ts'
import { checkManifest } from './validate.ts'

const scm = { provider: 'forge_a', owner: 'acme', botLogin: 'bot' }
const project = (spec: object): object => ({
  apiVersion: 'platform.dev/v1alpha1',
  kind: 'Project',
  metadata: { name: 'demo' },
  spec: { scmSecretRef: 'demo-scm', scm, ...spec },
})

describe('one machine', () => {
  test.each<[path: string, spec: object, why: string]>([
    ['agent/image', { agent: { image: 'wrapper:v1.2.3' } }, 'runs no image'],
    ['agent/extraSidecarContainers', { agent: { extraSidecarContainers: [{ name: 'a' }] } }, 'no other container'],
    ['agent/extraInitContainers', { agent: { extraInitContainers: [{ name: 'a' }] } }, 'no other container'],
    ['agent/extraVolumes', { agent: { extraVolumes: [{ name: 'a' }] } }, 'has a folder'],
    ['agent/extraVolumeMounts', { agent: { extraVolumeMounts: [{ name: 'a' }] } }, 'has a folder'],
    ['agent/extraEnvs', { agent: { extraEnvs: [{ name: 'A', value: 'b' }] } }, 'no others'],
    ['agent/extraEnvsFrom', { agent: { extraEnvsFrom: [{ secretRef: { name: 'a' } }] } }, 'no others'],
    ['workspace/enabled', { workspace: { enabled: false } }, 'has a folder'],
    ['workspace/storageClass', { workspace: { storageClass: 'fast' } }, 'no class'],
    ['workspace/size', { workspace: { size: '20Gi' } }, 'no size'],
    ['workspace/cacheSize', { workspace: { cacheSize: '1Gi' } }, 'no size'],
    ['memory/pgInstances', { memory: { pgInstances: 3 } }, 'has no sizes'],
    ['workspace/cacheEnabled', { workspace: { cacheEnabled: false } }, 'no build cache'],
    ['scm/board/githubProjectNumber', { scm: { ...scm, board: { githubProjectNumber: 7 } } }, 'no board'],
    ['scm/board/gitlabBoardId', { scm: { ...scm, board: { gitlabBoardId: 7 } } }, 'no board'],
    ['scm/board/statusField', { scm: { ...scm, board: { statusField: 'Phase' } } }, 'no board'],
    ['alerting/url', { alerting: { url: 'https://alerts.acme.invalid' } }, 'no tool'],
    ['memory/profile', { memory: { profile: 'full' } }, 'neither Neo4j nor LightRAG'],
    ['memory/neo4jStorage', { memory: { neo4jStorage: '20Gi' } }, 'has no sizes'],
  ])('refuses spec/%s with the reason, and a cluster takes it (RESOURCE-API-6)', (path, spec, why) => {
    expect(beyondOneMachine(project(spec))).toEqual([
      { path: `/spec/${path}`, message: expect.stringContaining(why) as unknown },
    ])
    expect(checkManifest(project(spec)).faults).toEqual([])
  })

  test('takes what it wrote itself: defaults and fields that ask for nothing (RESOURCE-API-6)', () => {
    const boards = { board: {}, provider: 'forge_b' }
    const blocks = {
      agent: { image: '', extraEnvs: [], extraVolumes: [] },
      workspace: {},
      memory: { profile: 'light' },
      alerting: { url: '' },
      scm: { ...scm, ...boards },
    }
    const checked = checkManifest(project(blocks))
    if (checked.sort !== 'resource') throw new Error('a Project is a resource')
    expect(checked.manifest.spec['workspace']).toMatchObject({ size: '10Gi' })
    expect(beyondOneMachine(project(checked.manifest.spec))).toEqual([])
  })

  test('refuses every field that nothing obeys at once, and a choice that no forge has beside them (RESOURCE-API-6)', () => {
    const spec = {
      agent: { image: 'a' },
      alerting: { url: 'https://a.invalid' },
      scm: { ...scm, board: { gitlabBoardId: 1 } },
    }
    expect(beyondOneMachine(project(spec)).map(({ path }) => path)).toEqual([
      '/spec/agent/image',
      '/spec/scm/board/gitlabBoardId',
      '/spec/alerting/url',
    ])
  })

  test('refuses the origin of a Task that a person applies, unless it is a person’s (RESOURCE-API-6)', () => {
    const task = (origin: object): object => ({ kind: 'Task', spec: { projectRef: 'demo', origin } })
    expect(beyondOneMachine(task({ kind: 'cron', ref: 'x' }))).toEqual([
      { path: '/spec/origin/kind', message: expect.stringContaining('only the orchestrator writes it') as unknown },
    ])
    expect(beyondOneMachine(task({ kind: 'human', ref: 'uid' }))).toEqual([])
  })

  test('warns of a field that the contract accepts and nothing reads (RESOURCE-API-7, PROJECT-BUDGET-15)', () => {
    const inert = project({ tokenBudget: { spawnCeilingByKind: { review: 50 } } })
    expect(beyondOneMachine(inert)).toEqual([])
    expect(inertOnOneMachine(inert)).toEqual([
      { path: '/spec/tokenBudget/spawnCeilingByKind', message: expect.stringContaining('has no effect') as unknown },
    ])
    expect(inertOnOneMachine(project({ alerting: { url: 'https://a.invalid' } }))).toEqual([])
  })

  test('has nothing to say of other kinds, nor of what is no manifest', () => {
    for (const document of [
      null,
      'text',
      [],
      { kind: 'Task', spec: { agent: { image: 'a' } } },
      { kind: 'Project' },
      { kind: 'toString' },
    ])
      expect(beyondOneMachine(document)).toEqual([])
    expect(beyondOneMachine({ kind: 'Project', spec: { agent: null, workspace: 'x' } })).toEqual([])
  })
})
