/** The fields of a Project in docs/contract/resources.md: each default and each edge value, as a manifest is judged. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { kinds } from './kinds.ts'
import { ProjectSpec, removedProjectFields } from './project.ts'
import { checkManifest } from './validate.ts'

type Fields = Record<string, unknown>

const scm = { provider: 'forge_a', owner: 'acme', botLogin: 'bot' }
const required = { scmSecretRef: 'demo-scm', scm }

const check = (spec: Fields) =>
  checkManifest({ apiVersion: 'platform.dev/v1alpha1', kind: 'Project', metadata: { name: 'demo' }, spec })

/** The spec with one field set, its blocks made where they are not given. */
function withField(path: string, value: unknown): Fields {
  const spec = structuredClone<Fields>(required)
  const names = path.split('.')
  const block = names.slice(0, -1).reduce<Fields>((at, name) => (at[name] ??= {}) as Fields, spec)
  block[names.at(-1)!] = value
  return spec
}

const valueAt = (spec: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((at, name) => (at as Fields | undefined)?.[name], spec)

const blocks = ['agent', 'memory', 'workspace', 'alerting', 'documentation', 'queue', 'tokenBudget']
const cronBlocks = ['issueScan', 'brainstorm', 'documentation', 'refine', 'upgrade']
const bare = {
  ...required,
  ...Object.fromEntries(blocks.map((name) => [name, {}])),
  upgradePolicy: { minimumReleaseAge: {} },
  scm: { ...scm, board: {}, cron: Object.fromEntries(cronBlocks.map((name) => [name, {}])) },
}

const defaults: readonly (readonly [path: string, value: unknown])[] = [
  ['triggerLabel', 'platform'],
  ['maxConcurrentAgents', 3],
  ['agentPodTTLSeconds', 3600],
  ['maxNewTasksPerSweep', 5],
  ['maxOpenTasks', 6],
  ['maxBundleBytes', 400_000],
  ['autoApproveMaxSignificance', 'off'],
  ['agent.permissionMode', 'bypassPermissions'],
  ['agent.turnTimeoutSeconds', 1800],
  ['agent.stallProbeGraceSeconds', 300],
  ['agent.stallProbeMaxAttempts', 2],
  ['agent.effort', 'xhigh'],
  ['agent.skillsRef', 'main'],
  ['memory.pgInstances', 1],
  ['memory.pgStorage', '10Gi'],
  ['memory.pgWalStorage', '8Gi'],
  ['memory.neo4jStorage', '10Gi'],
  ['workspace.enabled', true],
  ['workspace.cacheEnabled', true],
  ['alerting.enabled', false],
  ['documentation.enabled', false],
  ['upgradePolicy.engine', 'none'],
  ['upgradePolicy.majorStrategy', 'nextHopOnly'],
  ['upgradePolicy.minimumReleaseAge.major', 0],
  ['upgradePolicy.minimumReleaseAge.minor', 0],
  ['upgradePolicy.minimumReleaseAge.patch', 0],
  ['queue.capacity', undefined],
  ['queue.alertCapacity', 1],
  ['tokenBudget.enabled', false],
  ['tokenBudget.mode', 'customWindow'],
  ['tokenBudget.proactivePercent', 50],
  ['tokenBudget.emergencyPercent', 80],
  ['tokenBudget.fiveHourProactivePercent', 0],
  ['tokenBudget.fiveHourEmergencyPercent', 0],
  ['tokenBudget.weeklyProactivePercent', 0],
  ['tokenBudget.weeklyEmergencyPercent', 0],
  ['scm.board.statusField', 'Status'],
  ['scm.brainstormingLabel', 'platform-brainstorming'],
  ['scm.approvedLabel', 'platform-approved'],
  ['scm.implementationLabel', 'platform-implementation'],
  ['scm.declinedLabel', 'platform-declined'],
  ['scm.incidentLabel', 'platform-incident'],
  ['scm.priorityLabel', undefined],
  ['scm.cron.issueScan.maxPerRepo', 1],
  ['scm.cron.brainstorm.enabled', false],
  ['scm.cron.brainstorm.targetOpenProposals', undefined],
  ['scm.cron.brainstorm.historyWindow', 20],
  ['scm.cron.brainstorm.minSessionIntervalMinutes', 12],
  ['scm.cron.documentation.maxPerRepo', 1],
  ['scm.cron.refine.closedLookbackDays', 30],
  ['scm.cron.upgrade.maxOpenUpgrades', 1],
]

const efforts = ['low', 'medium', 'high', 'xhigh', 'max']
const percents = { taken: [0, 100], refused: [-1, 101, 0.5] }
const schedules = { taken: ['', '*/5 0 1 1 0'], refused: ['@daily', '0 0 * *', '0 0 0 * * *'] }

const edges: Readonly<Record<string, { readonly taken: readonly unknown[]; readonly refused: readonly unknown[] }>> = {
  scmSecretRef: { taken: ['s'], refused: ['', undefined] },
  'scm.provider': { taken: ['forge_a', 'forge_b'], refused: ['github', '', undefined] },
  'scm.owner': { taken: ['o'], refused: ['', undefined] },
  'scm.botLogin': { taken: ['b'], refused: ['', undefined] },
  'scm.prReactionScope': { taken: ['labeledOrMentioned', 'all', ''], refused: ['none'] },
  'scm.protectedPaths': {
    taken: [[], ['/deploy/', '.github'], Array(64).fill('a')],
    refused: [['a/**'], ['../a'], [''], Array(65).fill('a'), 'a'],
  },
  'scm.includeConfidential': { taken: [true, false], refused: ['yes', 1] },
  maxConcurrentAgents: { taken: [0, 1], refused: [-1, 1.5, '3'] },
  agentPodTTLSeconds: { taken: [300], refused: [299] },
  maxNewTasksPerSweep: { taken: [1], refused: [0] },
  maxOpenTasks: { taken: [1], refused: [0] },
  maxBundleBytes: { taken: [50_000], refused: [49_999] },
  autoApproveMaxSignificance: { taken: ['off', 'patch', 'minor', 'major', ''], refused: ['all'] },
  'agent.stallProbeGraceSeconds': { taken: [60], refused: [59] },
  'agent.stallProbeMaxAttempts': { taken: [1, 5], refused: [0, 6] },
  'agent.model': { taken: ['', 'm'.repeat(64)], refused: ['m'.repeat(65)] },
  'agent.permissionMode': {
    taken: ['bypassPermissions', 'dontAsk'],
    refused: ['', 'default', 'byPassPermissions', 'acceptEdits', 'auto', 'manual', 'plan'],
  },
  'agent.effort': { taken: efforts, refused: ['', 'extreme'] },
  'agent.effortByKind': { taken: [{}, { refine: 'low', upgrade: 'max' }], refused: [{ refine: '' }, { chat: 'low' }] },
  'agent.modelByKind': { taken: [{}, { incident: 'claude-x' }], refused: [{ chat: 'claude-x' }] },
  'agent.mcpServers': {
    taken: [
      [],
      [{ name: 'wiki', url: 'https://w.invalid', type: 'sse' }],
      [{ name: 'w', url: 'http://w', type: 'http' }],
    ],
    refused: [[{ url: 'https://w.invalid' }], [{ name: 'w' }], [{ name: 'w', url: 'https://w', type: 'stdio' }]],
  },
  'upgradePolicy.engine': { taken: ['external', 'none'], refused: ['renovate'] },
  'upgradePolicy.majorStrategy': { taken: ['nextHopOnly', 'latest'], refused: ['all'] },
  'upgradePolicy.upgradeEngineLogins': { taken: [[], Array(8).fill('a')], refused: [Array(9).fill('a')] },
  'tokenBudget.mode': { taken: ['customWindow', 'claudeSubscription'], refused: ['off'] },
  'tokenBudget.proactivePercent': percents,
  'tokenBudget.emergencyPercent': percents,
  'tokenBudget.fiveHourProactivePercent': percents,
  'tokenBudget.fiveHourEmergencyPercent': percents,
  'tokenBudget.weeklyProactivePercent': percents,
  'tokenBudget.weeklyEmergencyPercent': percents,
  'tokenBudget.resetSchedule': schedules,
  'tokenBudget.windowDuration': { taken: ['5h', '1h30m'], refused: ['5 hours'] },
  'tokenBudget.spawnCeilingByKind': { taken: [{ review: 100 }], refused: [{ review: 101 }, { chat: 1 }] },
  'scm.cron.issueScan.schedule': schedules,
  'scm.cron.brainstorm.schedule': schedules,
  'scm.cron.documentation.schedule': schedules,
  'scm.cron.upgrade.schedule': schedules,
  'scm.cron.brainstorm.targetOpenProposals': { taken: [0], refused: [-1] },
  'scm.cron.brainstorm.historyWindow': { taken: [0], refused: [-1] },
  'scm.cron.brainstorm.minSessionIntervalMinutes': { taken: [-1, 0, 1], refused: [0.5] },
  'scm.cron.upgrade.maxOpenUpgrades': { taken: [1, 10], refused: [0, 11] },
}

const deprecated = [
  'agent.maxTurnsPerPod',
  'agent.maxTurnsPerTask',
  'agent.maxReviewRounds',
  'agent.maxPodRecreations',
  'alerting.cooldownSeconds',
  'scm.cron.brainstorm.maxOpenProposals',
  'scm.cron.brainstorm.staleProposalDays',
]

const removed = [
  'scm.approvalLabel',
  'scm.ideaLabel',
  'scm.rejectedLabel',
  'scm.cron.mrScan',
  'scm.cron.healthCheck',
  'scm.cron.brainstorm.maxPerCycle',
  'scm.cron.brainstorm.maxConsecutiveSkips',
  'agent.contextWindowTokens',
]

const free = [
  'agent.extraEnvs',
  'agent.extraEnvsFrom',
  'agent.extraVolumeMounts',
  'agent.extraVolumes',
  'agent.extraSidecarContainers',
  'agent.extraInitContainers',
]

describe('a Project of the contract', () => {
  const checked = check(bare)
  const spec = checked.sort === 'resource' ? checked.manifest.spec : undefined

  test('blocks without a word are taken', () => {
    expect(checked.faults).toEqual([])
  })

  test.each(defaults)(
    '%s is %j unless it is said (BUNDLE-BUDGET-1, PROJECT-AGENT-3, PROJECT-AGENT-6, PROJECT-ALERTING-1, PROJECT-DOCS-1, PROJECT-UPGRADE-10, PROJECT-BUDGET-2, PROJECT-CRON-4, PROJECT-CRON-10, PROJECT-LABELS-1, PROJECT-LABELS-2, PROJECT-LABELS-3, PROJECT-LABELS-4, PROJECT-LABELS-5, PROJECT-LABELS-6)',
    (path, value) => {
      expect(valueAt(spec, path)).toEqual(value)
    },
  )

  test.each(Object.entries(edges))(
    '%s takes its edge values and nothing beyond them (PROJECT-1, PROJECT-8, PROJECT-9, PROJECT-10, PROJECT-13, PROJECT-14, PROJECT-AGENT-1, PROJECT-AGENT-3, PROJECT-AGENT-7, PROJECT-AGENT-8, PROJECT-AGENT-9, PROJECT-AGENT-10, PROJECT-AGENT-14, PROJECT-MCP-3, PROJECT-MCP-4, PROJECT-UPGRADE-4, PROJECT-UPGRADE-7, PROJECT-UPGRADE-12, PROJECT-BUDGET-3, PROJECT-BUDGET-9, PROJECT-SCM-1, PROJECT-SCM-3, PROJECT-SCM-5, PROJECT-SCM-11, PROJECT-SCM-21, PROJECT-CRON-19)',
    (path, { taken, refused }) => {
      for (const value of taken) expect(check(withField(path, value)).faults, JSON.stringify(value)).toEqual([])
      for (const value of refused) expect(check(withField(path, value)).faults, JSON.stringify(value)).not.toEqual([])
    },
  )

  test('an extra MCP server is reached by http unless it says otherwise (PROJECT-MCP-4)', () => {
    const one = check(withField('agent.mcpServers', [{ name: 'wiki', url: 'https://w.invalid' }]))
    expect(one.sort === 'resource' && valueAt(one.manifest.spec, 'agent.mcpServers.0.type')).toBe('http')
  })

  test('a hook of each name is taken, and one of another name is not (PROJECT-HOOKS-1)', () => {
    const names = [
      ...['preClone', 'postClone', 'conversationStart', 'conversationRestart'],
      ...['agentTurnFinished', 'conversationFinished'],
    ]
    const hooks = Object.fromEntries(names.map((name) => [name, 'true']))
    expect(check(withField('agent.hooks', hooks)).faults).toEqual([])
    expect(check(withField('agent.hooks', {})).faults).toEqual([])
    expect(check(withField('agent.hooks', { ...hooks, preTurn: 'true' })).faults).toHaveLength(1)
    expect(check(withField('agent.hooks', { preClone: 1 })).faults).toHaveLength(1)
  })

  test.each([
    ['a', true],
    ['wiki-2', true],
    ['x'.repeat(32), true],
    ['x'.repeat(33), false],
    ['Wiki', false],
    ['-a', false],
    ['a-', false],
    ['a_b', false],
    ['', false],
  ])('an extra MCP server named %j is taken: %j (PROJECT-MCP-2)', (name, isTaken) => {
    const { faults } = check(withField('agent.mcpServers', [{ name, url: 'https://w.invalid' }]))
    expect(faults.map(({ path }) => path)).toEqual(isTaken ? [] : ['/spec/agent/mcpServers/0/name'])
  })

  test('a schedule of refine is refused, for it has none (PROJECT-CRON-17)', () => {
    const { faults } = check(withField('scm.cron.refine', { schedule: '0 0 * * *' }))
    expect(faults.map(({ path }) => path)).toEqual(['/spec/scm/cron/refine/schedule'])
  })

  test('no field of it is about merging (PROJECT-SCM-18)', () => {
    expect(fieldsOf(ProjectSpec as unknown as Shape).filter((name) => /(?<!e)merg/i.test(name))).toEqual([])
    expect(fieldsOf(ProjectSpec as unknown as Shape)).toContain('protectedPaths')
  })

  test.each(deprecated)(
    '%s is accepted, and said to be deprecated (RESOURCES-11, PROJECT-AGENT-4, PROJECT-ALERTING-5, PROJECT-CRON-13)',
    (path) => {
      const { faults, warnings } = check(withField(path, 7))
      expect(faults).toEqual([])
      expect(warnings).toMatchObject([
        { path: `/spec/${path.replaceAll('.', '/')}`, message: expect.stringContaining('deprecated') },
      ])
    },
  )

  test.each(removed)(
    '%s no longer exists: it is left out with a warning (RESOURCES-13, RESOURCES-14, RESOURCES-15)',
    (path) => {
      const one = check(withField(path, 'x'))
      expect(one.faults).toEqual([])
      expect(one.warnings.map((warning) => warning.path)).toEqual([`/spec/${path.replaceAll('.', '/')}`])
      expect(one.sort === 'resource' && valueAt(one.manifest.spec, path)).toBeUndefined()
      expect(removedProjectFields).toHaveProperty([`/${path.replaceAll('.', '/')}`])
    },
  )

  test.each(free)('%s is taken as Kubernetes writes it (PROJECT-AGENT-22)', (path) => {
    const value = [{ name: 'a', nested: { of: ['any', 'shape'] } }]
    const one = check(withField(path, value))
    expect(one.faults).toEqual([])
    expect(one.sort === 'resource' && valueAt(one.manifest.spec, path)).toEqual(value)
  })
})

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
}

function fieldsOf({ properties = {}, items }: Shape): readonly string[] {
  const own = Object.entries(properties).flatMap(([name, inner]) => [name, ...fieldsOf(inner)])
  return items === undefined ? own : [...own, ...fieldsOf(items)]
}

/** Names of fields, those in blocks and lists too, that no code of a page has. */
function unlistedFields({ properties = {}, items }: Shape, page: string): readonly string[] {
  const code = [...page.matchAll(/`[^`]+`/g)].join(' ')
  const own = Object.entries(properties).flatMap(([name, inner]) => [
    ...(new RegExp(`\\b${name}\\b`).test(code) ? [] : [name]),
    ...unlistedFields(inner, page),
  ])
  return items === undefined ? own : [...own, ...unlistedFields(items, page)]
}

test('docs/contract/resources.md names every field that people may write', () => {
  const page = readFileSync(new URL('../docs/contract/resources.md', import.meta.url), 'utf8')
  const found = kinds.flatMap(({ kind, spec, writable }) =>
    writable ? unlistedFields(spec as Shape, page).map((name) => `${kind} ${name}`) : [],
  )
  expect(found).toEqual([])
  expect(unlistedFields({ properties: { old: {}, fresh: { properties: { inner: {} } } } }, 'a fresh `old`')).toEqual([
    'fresh',
    'inner',
  ])
})
