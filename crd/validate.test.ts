import { describe, expect, it } from 'vitest'
import { reservedServers } from './project.ts'
import { checkManifest } from './validate.ts'

const project = {
  apiVersion: 'platform.dev/v1alpha1',
  kind: 'Project',
  metadata: { name: 'demo' },
  spec: { scmSecretRef: 'demo-scm', scm: { provider: 'forge_a', owner: 'acme', botLogin: 'bot' } },
}

function withSpec(change: object): unknown {
  return { ...project, spec: { ...project.spec, ...change } }
}

describe('a manifest', () => {
  it('gets the defaults of the contract (RESOURCES-12) (RESOURCES-12, PROJECT-21)', () => {
    const { faults, ...checked } = checkManifest(project)
    expect(faults).toEqual([])
    expect(checked.sort === 'resource' && checked.manifest.spec).toMatchObject({
      triggerLabel: 'platform',
      maxConcurrentAgents: 3,
      agentPodTTLSeconds: 3600,
      maxBundleBytes: 400_000,
      autoApproveMaxSignificance: 'off',
      scm: { approvedLabel: 'platform-approved' },
    })
  })

  it('with a typo is refused with the nearest known key, and every other fault beside it (RESOURCES-8, RESOURCES-9)', () => {
    const { faults } = checkManifest(
      withSpec({ maxConcurentAgents: 2, agentPodTTLSeconds: 10, queue: { capacity: 'x' } }),
    )
    expect(faults.find((fault) => fault.path === '/spec/maxConcurentAgents')?.message).toContain(
      'did you mean maxConcurrentAgents?',
    )
    expect(faults.map((fault) => fault.path)).toEqual(
      expect.arrayContaining(['/spec/maxConcurentAgents', '/spec/agentPodTTLSeconds', '/spec/queue/capacity']),
    )
  })

  it('loses an unknown or a removed key without a word where a server takes it, and is refused for a bad value (RESOURCES-6, RESOURCES-13)', () => {
    const scm = { ...project.spec.scm, approvalLabel: 'ok', maintainerLogin: ['maria'] }
    const checked = checkManifest({ ...(withSpec({ maxConcurentAgents: 2, scm }) as object), extra: 1 }, 'pruned')
    expect([checked.faults, checked.warnings]).toEqual([[], []])
    expect(checked).toEqual(checkManifest(project))
    const bad = withSpec({ maxConcurentAgents: 2, maxConcurrentAgents: -1 })
    expect(checkManifest(bad, 'pruned').faults.map(({ path }) => path)).toEqual(['/spec/maxConcurrentAgents'])
  })

  it.each(reservedServers)(
    'with an extra server %s is refused: the name is the platform’s own (PROJECT-MCP-6)',
    (name) => {
      const url = 'https://wiki.example/mcp'
      const mcpServers = [
        { name: 'wiki', url },
        { name, url },
      ]
      for (const unknownKeys of ['refused', 'pruned'] as const)
        expect(checkManifest(withSpec({ agent: { mcpServers } }), unknownKeys).faults).toEqual([
          { path: '/spec/agent/mcpServers/1/name', message: 'is a name of the platform’s own: choose another one' },
        ])
    },
  )

  it.each([[{ mcpServers: 'wiki' }], [{ mcpServers: [null] }]])(
    'with odd servers is refused for their shape alone: %j (PROJECT-MCP-2)',
    (agent) => {
      const { faults } = checkManifest(withSpec({ agent }))
      expect(faults.length).toBeGreaterThan(0)
      expect(faults.filter(({ message }) => message.includes('platform'))).toEqual([])
    },
  )

  it('takes a null for a field that is not there, as a server does, and refuses one in a list (RESOURCES-12)', () => {
    const nulls = { agent: { model: null, hooks: null }, memory: null, triggerLabel: null, queue: { capacity: null } }
    const checked = checkManifest(withSpec(nulls))
    expect(checked.faults).toEqual([])
    expect(checked).toMatchObject({ manifest: { spec: { triggerLabel: 'platform', agent: { effort: 'xhigh' } } } })
    const scm = { ...project.spec.scm, owner: null, maintainerLogins: ['maria', null] }
    expect(checkManifest(withSpec({ scm })).faults.map(({ path }) => path)).toEqual([
      '/spec/scm/owner',
      '/spec/scm/maintainerLogins/1',
    ])
  })

  it('with a bare word where a text belongs is refused, and told to quote it (RESOURCES-36)', () => {
    const { faults } = checkManifest(withSpec({ autoApproveMaxSignificance: false, triggerLabel: 5 }))
    expect(faults).toEqual([
      { path: '/spec/triggerLabel', message: 'must be string: write it in quotes' },
      {
        path: '/spec/autoApproveMaxSignificance',
        message: 'must be one of "off", "patch", "minor", "major", ""; write it in quotes',
      },
    ])
  })

  it.each([['10Gi'], ['500m'], ['1e3'], ['.5Ti'], ['+1'], ['5.']])('takes the size %s (PROJECT-MEMORY-6)', (size) => {
    expect(checkManifest(withSpec({ memory: { pgStorage: size } })).faults).toEqual([])
  })

  it.each([
    ['banana'],
    ['0'],
    ['0Gi'],
    ['-5Gi'],
    ['10gi'],
    [''],
    ['.'],
    ['1 Gi'],
    ['10Gi\n'],
    ['9'.repeat(33)],
    ['1e999'],
    ['1Ei'],
    ['2e18'],
  ])('refuses the size %j (PROJECT-MEMORY-6)', (size) => {
    const { faults } = checkManifest(withSpec({ workspace: { cacheSize: size } }))
    expect(faults.map(({ path }) => path)).toContain('/spec/workspace/cacheSize')
  })

  it('refuses two extra servers of one name (PROJECT-MCP-5)', () => {
    const server = { name: 'wiki', url: 'https://wiki.example/mcp' }
    expect(checkManifest(withSpec({ agent: { mcpServers: [server, server] } })).faults).toEqual([
      { path: '/spec/agent/mcpServers/1/name', message: 'is the name of another server of the list' },
    ])
  })

  it('takes a namespace of 63 characters, and refuses a name with a dot (RESOURCES-16)', () => {
    const named = (metadata: object) => checkManifest({ ...project, metadata }).faults.map(({ path }) => path)
    expect(named({ name: 'demo', namespace: 'n'.repeat(63) })).toEqual([])
    expect(named({ name: 'demo', namespace: 'n'.repeat(64) })).toEqual(['/metadata/namespace'])
    expect(named({ name: 'de.mo' })).toEqual(['/metadata/name'])
  })

  it('says in words what a name and an address of a forge must be (RESOURCES-9)', () => {
    const said = (metadata: object) => checkManifest({ ...project, metadata }).faults.map(({ message }) => message)
    expect(said({ name: 'My Task!' })).toEqual(['must be lower case letters, digits and dashes, at most 52'])
    expect(said({})).toEqual(['is required: lower case letters, digits and dashes, at most 52'])
    const spec = { projectRef: 'de mo', url: 'git@github.com:acme/lib.git' }
    const repository = { ...project, kind: 'Repository', metadata: { name: 'lib' }, spec }
    expect(checkManifest(repository).faults).toEqual([
      { path: '/spec/projectRef', message: 'must be lower case letters, digits and dashes' },
      { path: '/spec/url', message: 'must be an https address, such as https://github.com/acme/lib.git' },
    ])
  })

  it('says what an enumeration allows (RESOURCES-9)', () => {
    const { faults } = checkManifest(withSpec({ scm: { ...project.spec.scm, provider: 'sourcehut' } }))
    expect(faults).toEqual([{ path: '/spec/scm/provider', message: 'must be one of "forge_a", "forge_b"' }])
  })

  it.each([
    ['github', 'forge_a is GitHub'],
    ['GitHub', 'forge_a is GitHub'],
    ['gitlab', 'forge_b is GitLab'],
    ['forgea', 'did you mean forge_a?'],
  ])('with the provider %s is refused with what it means here (PROJECT-SCM-1)', (provider, hint) => {
    const { faults } = checkManifest(withSpec({ scm: { ...project.spec.scm, provider } }))
    expect(faults).toEqual([{ path: '/spec/scm/provider', message: `must be one of "forge_a", "forge_b"; ${hint}` }])
  })

  it.each([
    ['byPassPermissions', 'did you mean bypassPermissions?'],
    ['plan', 'plan asks a person, and a pod has none'],
    ['acceptEdits', 'acceptEdits asks a person, and a pod has none'],
  ])(
    'with the permission mode %s is refused with what was meant, or the reason (PROJECT-AGENT-3, WRAPPER-ENV-7)',
    (mode, hint) => {
      const { faults } = checkManifest(withSpec({ agent: { permissionMode: mode } }))
      const message = `must be one of "bypassPermissions", "dontAsk"; ${hint}`
      expect(faults).toEqual([{ path: '/spec/agent/permissionMode', message }])
    },
  )

  it('with a deprecated field is taken and says so, also where its value is honoured (RESOURCES-11)', () => {
    const { faults, warnings } = checkManifest(
      withSpec({
        agent: { maxReviewRounds: 3 },
        alerting: { cooldownSeconds: 60 },
        scm: { ...project.spec.scm, cron: { brainstorm: { maxOpenProposals: 2, staleProposalDays: 9 } } },
      }),
    )
    expect(faults).toEqual([])
    expect(warnings.toSorted((a, b) => a.path.localeCompare(b.path))).toEqual([
      { path: '/spec/agent/maxReviewRounds', message: 'is deprecated: accepted and ignored' },
      { path: '/spec/alerting/cooldownSeconds', message: 'is deprecated: accepted and ignored' },
      {
        path: '/spec/scm/cron/brainstorm/maxOpenProposals',
        message: 'is deprecated: used only if targetOpenProposals is not set',
      },
      { path: '/spec/scm/cron/brainstorm/staleProposalDays', message: 'is deprecated: accepted and ignored' },
    ])
  })

  it.each(['0 0 0 1 1 *', '@daily', 'soon'])('whose schedule is %j is refused', (schedule) => {
    const { faults } = checkManifest(withSpec({ scm: { ...project.spec.scm, cron: { issueScan: { schedule } } } }))
    expect(faults.map(({ path }) => path)).toEqual(['/spec/scm/cron/issueScan/schedule'])
  })

  it('whose windowDuration is no duration of Go is refused (PROJECT-BUDGET-11)', () => {
    const { faults } = checkManifest(withSpec({ tokenBudget: { windowDuration: '5 hours', resetSchedule: '' } }))
    expect(faults.map(({ path }) => path)).toEqual(['/spec/tokenBudget/windowDuration'])
  })

  it('with a removed key is taken with a warning that names what replaced it (RESOURCE-RULE-2) (RESOURCES-10)', () => {
    const { faults, warnings } = checkManifest(withSpec({ scm: { ...project.spec.scm, approvalLabel: 'ok' } }))
    expect(faults).toEqual([])
    expect(warnings).toEqual([
      { path: '/spec/scm/approvalLabel', message: 'no longer exists and is ignored: approval is by comment text only' },
    ])
  })

  it('whose modelByKind is of another family, or longer than 64 characters, is refused (PROJECT-AGENT-11)', () => {
    const pathsOf = (model: string): readonly string[] =>
      checkManifest(withSpec({ agent: { modelByKind: { review: model } } })).faults.map(({ path }) => path)
    const path = '/spec/agent/modelByKind/review'
    expect(pathsOf('gpt-9')).toEqual([path])
    expect(pathsOf(`claude-${'x'.repeat(58)}`)).toEqual([path])
    expect(pathsOf(`claude-${'x'.repeat(57)}`)).toEqual([])
  })

  it('whose brainstorm draws on other sources than docs, memory and internet is refused (PROJECT-CRON-14)', () => {
    const faultsOf = (sources: readonly string[]): number =>
      checkManifest(withSpec({ scm: { ...project.spec.scm, cron: { brainstorm: { sources } } } })).faults.length
    expect(faultsOf(['docs', 'memory', 'internet'])).toBe(0)
    expect(faultsOf([])).toBe(0)
    expect(faultsOf(['docs', 'rumours'])).toBe(1)
  })

  it('with a deprecated field is accepted', () => {
    expect(checkManifest(withSpec({ agent: { maxTurnsPerPod: 3 } })).faults).toEqual([])
  })

  it('takes 0 as the pause of a whole Project (PROJECT-4)', () => {
    expect(checkManifest(withSpec({ maxConcurrentAgents: 0 })).faults).toEqual([])
  })

  it('of an unknown kind, or of one that only the orchestrator writes, is refused (RESOURCES-5)', () => {
    expect(checkManifest({ ...project, kind: 'Projekt' }).faults[0]?.message).toContain('did you mean Project?')
    const issue = {
      apiVersion: 'platform.dev/v1alpha1',
      kind: 'Issue',
      metadata: { name: 'a-1' },
      spec: { repositoryRef: 'a', number: 1 },
    }
    expect(checkManifest(issue).faults).toEqual([
      { path: '/kind', message: 'only the orchestrator writes Issue resources' },
    ])
  })

  it.each([
    ['a', true],
    ['a-1', true],
    ['x'.repeat(52), true],
    ['x'.repeat(53), false],
    ['Demo', false],
    ['my.lib', false],
    ['-a', false],
    ['a-', false],
    ['a_b', false],
    ['', false],
  ])('named %j is taken: %j (NAME-5)', (name, isTaken) => {
    const { faults } = checkManifest({ ...project, metadata: { name } })
    expect(faults.map(({ path }) => path)).toEqual(isTaken ? [] : ['/metadata/name'])
  })

  it('that is a Secret carries stringData only (RESOURCES-17, SECRET-1)', () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { token: 't' } }
    expect(checkManifest(secret)).toEqual({
      sort: 'secret',
      secret: { name: 's', namespace: 'default', data: { token: 't' } },
      faults: [],
      warnings: [],
    })
    expect(checkManifest({ ...secret, data: { token: 'dA==' } }).faults[0]?.path).toBe('/data')
  })

  it('that is not a mapping at all still gets an answer', () => {
    expect(checkManifest('nonsense').faults.map((fault) => fault.path)).toContain('')
  })
})

describe('the address of a forge', () => {
  const repository = (url: string): object => ({
    apiVersion: 'platform.dev/v1alpha1',
    kind: 'Repository',
    metadata: { name: 'lib' },
    spec: { projectRef: 'demo', url },
  })
  const faultsOf = (address: string): readonly string[] =>
    [
      withSpec({ scm: { ...project.spec.scm, apiURL: address } }),
      withSpec({ scm: { ...project.spec.scm, webURL: address } }),
      repository(address),
    ].flatMap((manifest) => checkManifest(manifest).faults.map(({ path }) => path))

  it.each(['https://git.acme.invalid', 'http://127.0.0.1:3000/api', 'http://localhost', 'http://[::1]:80/x'])(
    '%s is taken',
    (address) => {
      expect(faultsOf(address)).toEqual([])
    },
  )
  it.each([
    'http://git.acme.invalid',
    'http://localhost.evil.invalid/',
    'http://127.0.0.1.evil.invalid/',
    'http://127.0.0.1@evil.invalid/',
    'http://localhost:1@evil.invalid/',
    'ftp://127.0.0.1/',
  ])('%s is refused: in clear the token goes to this machine alone (PROJECT-SCM-20, REPOSITORY-2)', (address) => {
    expect(faultsOf(address)).toEqual(['/spec/scm/apiURL', '/spec/scm/webURL', '/spec/url'])
  })
})

describe('a manifest that no store holds', () => {
  it('nests deeper than 64 levels: refused before anything walks over it (RESOURCES-31)', () => {
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level += 1) deep = { a: deep }
    expect(checkManifest(withSpec({ deep })).faults).toEqual([
      { path: '', message: 'must not nest deeper than 64 levels' },
    ])
    const twice: Record<string, unknown> = {}
    twice['one'] = twice
    twice['two'] = twice
    expect(checkManifest(withSpec({ twice })).faults).toHaveLength(1)
  })

  it('has NUL or half of a surrogate pair in a name (RESOURCES-31)', () => {
    for (const name of ['a\u0000', '\ud800'])
      expect(checkManifest(withSpec({ triggerLabel: name })).faults).toEqual([
        { path: '/spec/triggerLabel', message: 'must not contain NUL or half of a surrogate pair' },
      ])
    expect(checkManifest(withSpec({ triggerLabel: '\ud83d\ude00' })).faults).toEqual([])
  })
})
