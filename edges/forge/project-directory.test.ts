import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Resource, ResourceReader, SecretReader } from '../ports/resources.ts'
import { createProjectDirectory, type Projects } from './project-directory.ts'
import { appliedFirst, type HolderRule } from './project-names.ts'

const scm = { provider: 'forge_a', owner: 'acme', botLogin: 'bot' }
const bare = { scmSecretRef: 'demo-scm', scm }

/** The ports in the small: what was applied is what is there. */
type Given = Partial<Resource> & Pick<Resource, 'kind' | 'name' | 'spec'>

function applied(...given: Given[]): ReturnType<typeof appliedUnder> {
  return appliedUnder(appliedFirst, given)
}

/** `rule`: which Project of a name holds it. */
function appliedUnder(
  rule: HolderRule,
  given: readonly Given[],
): {
  readonly directory: Projects
  readonly asked: string[]
  readonly secrets: Map<string, Record<string, string>>
} {
  const all = given.map((one) => ({
    namespace: 'default',
    uid: one.name,
    generation: 1,
    createdAt: 0,
    updatedAt: 0,
    ...one,
  }))
  const asked: string[] = []
  const secrets = new Map<string, Record<string, string>>()
  const resources: Pick<ResourceReader, 'list'> = {
    list: async (kind, namespace) =>
      all.filter((one) => one.kind === kind && (namespace === undefined || one.namespace === namespace)),
  }
  const secretPort: Pick<SecretReader, 'read'> = {
    read: async (namespace, name) => secrets.get(`${namespace}/${name}`),
  }
  const directory = createProjectDirectory(
    {
      resources: resources as ResourceReader,
      secrets: secretPort as SecretReader,
      defaultBranch: async (project, repository) => {
        asked.push(`${project}/${repository}`)
        return 'trunk'
      },
    },
    rule,
  )
  return { directory, asked, secrets }
}

describe('a Project', () => {
  test('that says nothing more than it must has the defaults of the contract (PROJECT-SCM-8, PROJECT-SCM-9, PROJECT-SCM-11, PROJECT-UPGRADE-2)', async () => {
    const { directory } = applied({ kind: 'Project', name: 'demo', spec: bare, uid: 'uid-of-demo' })
    expect(await directory.project('demo')).toEqual({
      uid: 'uid-of-demo',
      name: 'demo',
      namespace: 'default',
      generation: expect.any(Number),
      triggerLabel: 'platform',
      autoApproveMaxSignificance: 'off',
      upgradeEngineLogins: [],
      kinds: {
        targetOpenProposals: 3,
        historyWindow: 20,
        proposalSources: [],
        closedLookbackDays: 30,
        adoptBranchPrefix: '',
        documentationRepo: '',
        scansIssues: false,
      },
      repositories: [],
      scm: {
        ...scm,
        maintainerLogins: [],
        reporterLogins: [],
        prReactionScope: '',
        labels: {
          brainstorming: 'platform-brainstorming',
          approved: 'platform-approved',
          implementation: 'platform-implementation',
          declined: 'platform-declined',
          incident: 'platform-incident',
        },
      },
      taskConfig: {
        project: 'default/demo',
        agentPodTTLSeconds: 3600,
        turnTimeoutSeconds: 1800,
        stallProbeGraceSeconds: 300,
        stallProbeMaxAttempts: 2,
        autoApproveMaxSignificance: 'off',
        permissionMode: 'bypassPermissions',
        model: expect.objectContaining({
          implement: 'claude-opus-5-5',
          review: 'claude-opus-5-5',
          documentation: 'claude-sonnet-4-5',
        }) as unknown,
        effort: expect.objectContaining({ implement: 'xhigh', review: 'xhigh' }) as unknown,
        repositories: [],
      },
    })
  })

  test('is found by the uid of its resource while it holds its name, and by no other one (MIRROR-7)', async () => {
    const one = { kind: 'Project', name: 'demo', spec: bare, uid: 'one', createdAt: 1 }
    const { directory } = applied(one, { ...one, namespace: 'team', uid: 'two', createdAt: 2 })
    const found = await Promise.all(['one', 'two', 'demo', 'default/demo'].map((uid) => directory.byUid(uid)))
    expect(found.map((project) => project?.namespace)).toEqual(['default', undefined, undefined, undefined])
  })

  test('with a permission mode that `apply` refuses today is still read as it was stored (RESOURCE-API-6)', async () => {
    const { directory } = applied({
      kind: 'Project',
      name: 'demo',
      spec: { ...bare, agent: { permissionMode: 'byPassPermissions' } },
    })
    expect((await directory.project('demo'))?.taskConfig.permissionMode).toBe('byPassPermissions')
  })

  test('RESOURCES-28: names the generation of each resource that belongs to it, and of no other', async () => {
    const { directory } = applied(
      { kind: 'Project', name: 'demo', spec: bare, generation: 4 },
      { kind: 'Repository', name: 'lib', spec: { projectRef: 'demo' }, generation: 2 },
      { kind: 'Repository', name: 'app', spec: { projectRef: 'other' } },
      { kind: 'Repository', name: 'lib', namespace: 'other', spec: { projectRef: 'demo' }, generation: 9 },
    )
    expect((await directory.applied('default/demo'))?.resources).toEqual({ 'Project/demo': 4, 'Repository/lib': 2 })
  })

  test('that says it all is taken at its word (PROJECT-22)', async () => {
    const { directory } = applied({
      kind: 'Project',
      name: 'demo',
      spec: {
        ...bare,
        triggerLabel: 'agents',
        agentPodTTLSeconds: 900,
        autoApproveMaxSignificance: 'minor',
        upgradePolicy: { upgradeEngineLogins: ['renovate'], adoptBranchPrefix: 'renovate/' },
        agent: {
          turnTimeoutSeconds: 60,
          stallProbeGraceSeconds: 61,
          stallProbeMaxAttempts: 3,
          permissionMode: 'plan',
          hooks: { postClone: 'make' },
        },
        scm: {
          ...scm,
          botEmail: 'bot@acme.invalid',
          apiURL: 'http://127.0.0.1:1/api',
          webURL: 'http://127.0.0.1:1',
          maintainerLogins: ['maria'],
          reporterLogins: ['rita'],
          prReactionScope: 'all',
          approvedLabel: 'ok',
          priorityLabel: 'urgent',
        },
      },
    })
    expect(await directory.project('demo')).toMatchObject({
      triggerLabel: 'agents',
      autoApproveMaxSignificance: 'minor',
      upgradeEngineLogins: ['renovate'],
      agent: { hooks: { postClone: 'make' } },
      kinds: {
        adoptBranchPrefix: 'renovate/',
        upgradePolicy: { upgradeEngineLogins: ['renovate'], adoptBranchPrefix: 'renovate/' },
      },
      scm: {
        botEmail: 'bot@acme.invalid',
        apiURL: 'http://127.0.0.1:1/api',
        webURL: 'http://127.0.0.1:1',
        maintainerLogins: ['maria'],
        reporterLogins: ['rita'],
        prReactionScope: 'all',
        labels: { approved: 'ok', priority: 'urgent', declined: 'platform-declined' },
      },
      taskConfig: {
        agentPodTTLSeconds: 900,
        turnTimeoutSeconds: 60,
        stallProbeGraceSeconds: 61,
        stallProbeMaxAttempts: 3,
        permissionMode: 'plan',
        autoApproveMaxSignificance: 'minor',
      },
    })
  })

  test('PROJECT-14: an empty autoApproveMaxSignificance reads as off (PROJECT-14)', async () => {
    const { directory } = applied({ kind: 'Project', name: 'demo', spec: { ...bare, autoApproveMaxSignificance: '' } })
    const project = await directory.project('demo')
    expect([project?.autoApproveMaxSignificance, project?.taskConfig.autoApproveMaxSignificance]).toEqual([
      'off',
      'off',
    ])
  })

  test('chooses model and effort by kind before its own, and its own before those of the release', async () => {
    const agent = {
      model: 'claude-haiku-4',
      modelByKind: { review: 'claude-opus-9' },
      effort: 'low',
      effortByKind: { review: 'max' },
    }
    const { directory } = applied({ kind: 'Project', name: 'demo', spec: { ...bare, agent } })
    const { model, effort } = (await directory.project('demo'))!.taskConfig
    expect([model['review'], model['implement'], effort['review'], effort['implement']]).toEqual([
      'claude-opus-9',
      'claude-haiku-4',
      'max',
      'low',
    ])
  })

  test('that is not there is undefined, and so are its spec and its Secret', async () => {
    const { directory } = applied()
    expect(await directory.project('demo')).toBeUndefined()
    expect(await directory.spec('demo')).toBeUndefined()
    expect(await directory.secret('demo')).toBeUndefined()
    expect(await directory.projects()).toEqual([])
  })

  test('has the Secret that it names in its own namespace, as it is at this moment (PROJECT-1)', async () => {
    const { directory, secrets } = applied({ kind: 'Project', name: 'demo', namespace: 'team', spec: bare })
    secrets.set('default/demo-scm', { token: 'of another namespace' })
    expect(await directory.secret('demo')).toBeUndefined()
    secrets.set('team/demo-scm', { token: 't', webhookSecret: 'w' })
    expect(await directory.secret('demo')).toEqual({ token: 't', webhookSecret: 'w' })
  })
})

describe('a Repository', () => {
  test('has its address from the forge unless it names one, and its lists only where it has any (REPOSITORY-4, RESOURCE-RULE-3)', async () => {
    const { directory } = applied(
      { kind: 'Project', name: 'demo', spec: bare },
      { kind: 'Project', name: 'own-forge', spec: { ...bare, scm: { ...scm, webURL: 'https://git.acme.invalid' } } },
      { kind: 'Project', name: 'lab', spec: { ...bare, scm: { ...scm, provider: 'forge_b' } } },
      { kind: 'Repository', name: 'a', spec: { projectRef: 'demo' } },
      {
        kind: 'Repository',
        name: 'b',
        spec: {
          projectRef: 'demo',
          url: 'https://x.invalid/b.git',
          defaultBranch: 'next',
          maintainerLogins: [],
          reporterLogins: ['rita'],
        },
      },
      { kind: 'Repository', name: 'c', spec: { projectRef: 'own-forge' } },
      { kind: 'Repository', name: 'd', spec: { projectRef: 'lab' } },
    )
    const [demo, own, lab] = await directory.projects()
    expect(demo?.repositories).toEqual([
      { name: 'a', url: 'https://github.com/acme/a.git' },
      {
        name: 'b',
        url: 'https://x.invalid/b.git',
        defaultBranch: 'next',
        maintainerLogins: [],
        reporterLogins: ['rita'],
      },
    ])
    expect(own?.repositories).toEqual([{ name: 'c', url: 'https://git.acme.invalid/acme/c.git' }])
    expect(lab?.repositories).toEqual([{ name: 'd', url: 'https://gitlab.com/acme/d.git' }])
  })

  test('shows agents what its forge shows to members alone only where it says so (PROJECT-SCM-22)', async () => {
    const { scm } = bare
    const { directory } = applied(
      { kind: 'Project', name: 'one', spec: bare },
      { kind: 'Project', name: 'two', spec: { ...bare, scm: { ...scm, includeConfidential: false } } },
      { kind: 'Project', name: 'three', spec: { ...bare, scm: { ...scm, includeConfidential: true } } },
    )
    const projects = await directory.projects()
    expect(projects.map((project) => project.scm.includeConfidential)).toEqual([undefined, undefined, true])
  })

  test('starts from the branch it names, else from the one the forge names', async () => {
    const { directory, asked } = applied(
      { kind: 'Project', name: 'demo', spec: bare },
      { kind: 'Repository', name: 'a', spec: { projectRef: 'demo' } },
      { kind: 'Repository', name: 'b', spec: { projectRef: 'demo', defaultBranch: 'next' } },
    )
    expect((await directory.project('demo'))?.taskConfig.repositories).toEqual([
      { name: 'a', base: 'trunk' },
      { name: 'b', base: 'next' },
    ])
    expect(asked).toEqual(['default/demo/a'])
  })

  test('belongs to the Project of its own namespace, and its change is one of its Project (RESOURCES-3, REPOSITORY-1)', async () => {
    const { directory } = applied(
      { kind: 'Project', name: 'demo', generation: 2, spec: bare },
      { kind: 'Repository', name: 'a', generation: 3, spec: { projectRef: 'demo' } },
      { kind: 'Repository', name: 'b', namespace: 'other', spec: { projectRef: 'demo' } },
      { kind: 'Repository', name: 'c', spec: { projectRef: 'another' } },
    )
    const project = await directory.project('demo')
    expect(project?.repositories.map(({ name }) => name)).toEqual(['a'])
  })

  test('is another one to check after every change of it or of a Repository, and the same where nothing changed', async () => {
    const generationOf = async (...repositories: Parameters<typeof applied>): Promise<number | undefined> =>
      (await applied({ kind: 'Project', name: 'demo', spec: bare }, ...repositories).directory.project('demo'))
        ?.generation
    const a = { kind: 'Repository', name: 'a', spec: { projectRef: 'demo' } }
    const seen = [
      await generationOf(),
      await generationOf(a),
      await generationOf({ ...a, generation: 2 }),
      await generationOf({ ...a, uid: 'made again' }),
    ]
    expect(new Set(seen).size).toBe(seen.length)
    expect(await generationOf(a)).toBe(seen[1])
    expect(seen.every(Number.isSafeInteger)).toBe(true)
  })
})

test.each([
  ['nothing', {}, 3],
  ['the deprecated alias alone', { maxOpenProposals: 7 }, 7],
  ['both', { targetOpenProposals: 0, maxOpenProposals: 7 }, 0],
])(
  'PROJECT-CRON-7, PROJECT-CRON-9: with %s the target of proposals is %o -> %i (PROJECT-CRON-16)',
  async (_what, brainstorm, target) => {
    const { directory } = applied({
      kind: 'Project',
      name: 'demo',
      spec: { ...bare, scm: { ...scm, cron: { brainstorm, refine: { closedLookbackDays: 0 } } } },
    })
    expect((await directory.project('demo'))?.kinds).toMatchObject({
      targetOpenProposals: target,
      closedLookbackDays: 30,
    })
  },
)

/** A namespace of its own is all that this attacker needs: he applies a Project of the victim's name, and his own people. */
describe('a Project of a name that another one holds', () => {
  const victim: Given = { kind: 'Project', name: 'demo', namespace: 'team', uid: 'victim', createdAt: 1, spec: bare }
  const attacker: Given = {
    ...victim,
    namespace: 'aaa',
    uid: 'attacker',
    createdAt: 2,
    spec: { scmSecretRef: 'demo-scm', scm: { ...scm, owner: 'evil', maintainerLogins: ['mallory'] } },
  }
  const both = [attacker, victim, { kind: 'Repository', name: 'lib', namespace: 'team', spec: { projectRef: 'demo' } }]

  /** What the platform reads for a webhook, for a Task of the victim, and with which token it then writes. */
  async function readUnder(rule: HolderRule): Promise<object> {
    const { directory, secrets } = appliedUnder(rule, both)
    secrets.set('team/demo-scm', { token: 'of the victim' }).set('aaa/demo-scm', { token: 'of the attacker' })
    const maintainers = async (name: string): Promise<unknown> => (await directory.project(name))?.scm.maintainerLogins
    return {
      named: await maintainers('demo'),
      victim: await maintainers('team/demo'),
      attacker: await maintainers('aaa/demo'),
      tokens: await Promise.all(['demo', 'team/demo', 'aaa/demo'].map(async (name) => directory.secret(name))),
      listed: (await directory.projects()).map(({ namespace }) => namespace),
    }
  }

  test('changes neither its Secret nor its settings, and is found by nobody (RESOURCES-19, RESOURCES-20, NAME-2)', async () => {
    expect(await readUnder(appliedFirst)).toEqual({
      named: [],
      victim: [],
      attacker: undefined,
      tokens: [{ token: 'of the victim' }, { token: 'of the victim' }, undefined],
      listed: ['team'],
    })
  })

  test('takes it over where the first of any namespace is taken: the wall is what keeps it out (RESOURCES-20)', async () => {
    expect(await readUnder((claimants) => claimants[0])).toMatchObject({
      named: ['mallory'],
      victim: undefined,
      tokens: [{ token: 'of the attacker' }, undefined, { token: 'of the attacker' }],
      listed: ['aaa'],
    })
  })

  test('is what an edge would find that cuts the namespace off before it asks: none does (RESOURCES-20)', () => {
    const cut = /\.(project|secret|spec|openForge)\((bareName|nameOf)\(/
    const root = fileURLToPath(new URL('../../', import.meta.url))
    const sources = globSync(['edges/**/*.ts', 'cli/**/*.ts'], { cwd: root }).filter(
      (file) => !file.endsWith('.test.ts'),
    )
    expect(sources.length).toBeGreaterThan(100)
    expect(sources.filter((file) => cut.test(readFileSync(join(root, file), 'utf8')))).toEqual([])
    expect(cut.test('await directory.project(bareName(id))')).toBe(true)
  })

  test('is shown as it was applied, beside the name of the holder (RESOURCES-19)', async () => {
    const { directory } = applied(...both)
    expect(await directory.ids()).toEqual(['aaa/demo', 'team/demo'])
    expect(await directory.applied('aaa/demo')).toMatchObject({
      holder: 'team/demo',
      project: { namespace: 'aaa', repositories: [], taskConfig: { project: 'aaa/demo' } },
    })
    expect(await directory.applied('team/demo')).toMatchObject({ holder: 'team/demo' })
    expect(await directory.applied('other/demo')).toBeUndefined()
  })

  test('gets the name once its holder is gone (RESOURCES-19)', async () => {
    const { directory } = applied(attacker)
    expect((await directory.project('demo'))?.namespace).toBe('aaa')
    expect(await directory.applied('aaa/demo')).toMatchObject({ holder: 'aaa/demo' })
  })

  test('loses between two of one moment by its namespace, in every process alike (RESOURCES-19)', async () => {
    for (const order of [
      [attacker, victim],
      [victim, attacker],
    ]) {
      const { directory } = applied(...order.map((one) => ({ ...one, createdAt: 1 })))
      expect((await directory.project('demo'))?.namespace).toBe('aaa')
    }
  })
})
