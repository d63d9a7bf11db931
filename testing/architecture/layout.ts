/** ARCHITECTURE.md, "Layout and import rules", as data: one entry a zone, the most specific folder wins. */
export interface Zone {
  readonly folder: string
  /** What of ours its files may import besides the zone itself: folders end in `/`, files don't; `*` is one segment. */
  readonly imports: readonly string[] | 'anything'
  /** What its tests may import besides: the real program at the other end of a wire, say. */
  readonly tests?: readonly string[]
  /** The packages that it may import; absent: any that package.json lists. */
  readonly packages?: readonly string[]
  /** It runs only in development, tests and the stand-ins of one machine, so devDependencies will do. */
  readonly development?: boolean
  /** May start what builds a fixture for tests: what is measured stands in one. */
  readonly fixtures?: boolean
}

/** What every server is made of. */
const kit = 'http/'
/** Siblings meet in ports only: those of pods and resources, and the forge's, which lies beside its implementations. */
const edge = ['runtime/', 'machines/', 'crd/', kit, 'edges/ports/', 'edges/forge/*.ts'] as const
const orchestrated = ['machines/', 'runtime/', 'crd/', 'edges/', 'wrapper/boot/environment.ts', kit] as const
const platform = ['machines/', 'runtime/', 'crd/', 'edges/', 'memory/', 'wrapper/', kit] as const

/** Here `up` and `demo` start the stand-ins of one machine. */
const door = 'cli/local/standins.ts'

interface Room {
  readonly room: string
  /** The rooms that it stands on. */
  readonly on: readonly string[]
  /** Those that its tests may import besides. */
  readonly tests?: readonly string[]
}

/** Rooms of one folder, each a zone that may import what the folder may and the rooms that it stands on. */
function roomsOf(
  folder: string,
  imports: readonly string[],
  tests: readonly string[],
  rooms: readonly Room[],
): readonly Zone[] {
  const paths = (names: readonly string[]): string[] => names.map((name) => `${folder}${name}/`)
  return rooms.map(({ room, on, tests: own = [] }) => ({
    folder: `${folder}${room}/`,
    imports: [...imports, ...paths(on)],
    tests: [...tests, ...paths(own)],
  }))
}

/** The product above, the laboratory below: nothing of the product imports the laboratory, but for one door. */
const product: readonly Zone[] = [
  // markdown-it and parse5 are pure: they read the words of people as a forge displays them (decisions/0022).
  { folder: 'machines/', imports: [], packages: ['xstate', 'typebox', 'markdown-it', 'parse5'] },
  { folder: 'runtime/', imports: ['machines/'] },
  { folder: 'crd/', imports: ['machines/'] },
  { folder: kit, imports: [] },
  ...[
    'ports',
    'forge',
    'alerts',
    'pods',
    'schedule',
    'local',
    'agents',
    'git',
    'inspector',
    'telemetry',
    'journal',
    'kubernetes',
  ].map((name) => ({
    folder: `edges/${name}/`,
    imports: [...edge, `edges/${name}/`],
    tests: ['edges/forge/testing/'],
  })),
  ...roomsOf(
    'edges/git/',
    edge,
    ['edges/git/', 'edges/forge/testing/'],
    [
      { room: 'store', on: [] },
      { room: 'rules', on: ['store'] },
      { room: 'wire', on: ['store', 'rules'] },
    ],
  ),
  // Its rooms stand on floors: what the server says, then pods and resources, then what looks at both.
  {
    folder: 'edges/kubernetes/testing/',
    imports: [...edge, 'edges/kubernetes/', 'edges/pods/testing/'],
    tests: ['edges/forge/testing/'],
  },
  ...roomsOf(
    'edges/kubernetes/',
    edge,
    ['edges/kubernetes/testing/', 'edges/forge/testing/'],
    [
      { room: 'api', on: [] },
      { room: 'pods', on: ['api'], tests: ['doctor'] },
      { room: 'memory-stack', on: ['api', 'pods'], tests: ['doctor'] },
      { room: 'reconcile', on: ['api'], tests: ['pods'] },
      { room: 'mirror', on: ['api', 'reconcile'] },
      { room: 'doctor', on: ['api', 'pods'] },
    ],
  ),
  // Only the generators run it: the layout engine stays out of the product. Page and inspector share the chart's types.
  { folder: 'edges/inspector/charts/', imports: ['machines/', 'runtime/json-rows.ts'], development: true },
  // The tools' server runs in the pod, so it gets the schemas of the agents' API and the wrapper's port, no store and no actor.
  {
    folder: 'edges/agents/mcp/',
    imports: [
      'edges/agents/',
      'machines/task/events.ts',
      'machines/turn/contract-version.ts',
      'machines/turn/tools.ts',
      'runtime/clock.ts',
      'runtime/simulated-clock.ts',
      'wrapper/tools/port.ts',
      'wrapper/issue-report.ts',
      kit,
    ],
    tests: ['wrapper/broker/allowed-calls.ts'],
  },
  { folder: 'memory/', imports: ['memory/secrets/', 'runtime/', 'machines/', kit], tests: ['memory/client/'] },
  // Two programs beside the service. Its client knows it by HTTP alone; the extractor knows files alone.
  {
    folder: 'memory/client/',
    imports: ['memory/extract/', 'memory/secrets/', 'memory/testing/', 'runtime/clock.ts', kit],
  },
  { folder: 'memory/extract/', imports: ['runtime/clock.ts'] },
  // Service and client ask it what a text holds.
  { folder: 'memory/secrets/', imports: [], packages: ['@secretlint/secretlint-rule-preset-recommend'] },
  // How an outage is waited out is one rule; of the durable runtime there is nothing in a pod.
  {
    folder: 'wrapper/',
    imports: [
      'machines/turn/schema.ts',
      'machines/turn/transcript.ts',
      'machines/turn/contract-version.ts',
      'machines/turn/pod-environment.ts',
      'machines/turn/tools.ts',
      'machines/task/events.ts',
      'runtime/backoff.ts',
      'runtime/checkout-size.ts',
      'runtime/outage.ts',
      'runtime/process-group.ts',
      'runtime/redact.ts',
      'runtime/secrets-in-text.ts',
      kit,
    ],
  },
  // It reads its environment as the wrapper does; what it starts in a pod it knows by its environment alone.
  { folder: 'orchestrator/', imports: [...orchestrated, 'orchestrator/'], tests: ['wrapper/', 'cli/program.ts'] },
  ...roomsOf(
    'orchestrator/',
    orchestrated,
    ['orchestrator/testing/', 'wrapper/'],
    [
      { room: 'memory', on: ['settings'] },
      { room: 'resources', on: ['memory'] },
      { room: 'settings', on: [] },
      { room: 'pods', on: ['memory', 'settings'], tests: ['places'] },
      { room: 'operators', on: [] },
      { room: 'places', on: ['memory', 'resources', 'settings'] },
    ],
  ),
  // Who is who on the forge of one machine, and its resources: data, which starts nothing.
  { folder: 'cli/', imports: [...platform, 'orchestrator/', door, 'standins/people.ts', 'standins/manifests.ts'] },
  { folder: door, imports: ['standins/'] },
]

const laboratory: readonly Zone[] = [
  // Seeded draws are pure, and of one kind everywhere.
  { folder: 'standins/', imports: ['runtime/random.ts', kit], development: true },
  // It speaks to a real API server, so it needs a client of one, and what that counts time and retries by; and its containers
  // are made of what the pods of one machine are made of.
  {
    folder: 'standins/kubelet/',
    imports: [
      'edges/kubernetes/api/answers.ts',
      'edges/kubernetes/api/api.ts',
      'edges/kubernetes/api/cache.ts',
      'edges/kubernetes/api/client.ts',
      'edges/local/isolation.ts',
      'edges/local/processes.ts',
      'runtime/backoff.ts',
      'runtime/clock.ts',
      'runtime/random.ts',
      kit,
    ],
    development: true,
  },
  // So does what stands for an operator, whose pods that kubelet runs.
  {
    folder: 'standins/cnpg/',
    imports: [
      'edges/kubernetes/api/answers.ts',
      'edges/kubernetes/api/api.ts',
      'edges/kubernetes/api/cache.ts',
      'edges/kubernetes/api/objects.ts',
      'edges/kubernetes/api/workqueue.ts',
      'runtime/clock.ts',
      'runtime/random.ts',
      'standins/kubelet/',
      kit,
    ],
    development: true,
  },
  {
    folder: 'property-tests/',
    imports: platform,
    development: true,
  },
  // The orchestrator as it is composed, and the forge before it: one place outside `cli/` that runs both.
  { folder: 'property-tests/simulation/', imports: 'anything', development: true },
  // The same with real sockets and git, its pods scripted.
  { folder: 'property-tests/injection/', imports: 'anything', development: true },
  // The tools' server before other people's clients, in the orchestrator as it is composed.
  { folder: 'property-tests/tools/', imports: 'anything', development: true },
  {
    folder: 'bench/',
    imports: [
      'testing/free-port.ts',
      'runtime/',
      'machines/',
      'memory/',
      'wrapper/',
      'edges/agents/bundle/',
      // Only the composition root puts the tools' server into the wrapper's process.
      'edges/agents/mcp/',
      'edges/inspector/',
      'property-tests/',
      kit,
    ],
    development: true,
    fixtures: true,
  },
  // The chart's tests: what it renders must be what the programs read and may do.
  {
    folder: 'deploy/',
    imports: [
      'cli/memory/settings.ts',
      'crd/',
      'runtime/clock.ts',
      'edges/kubernetes/',
      'orchestrator/settings/settings.ts',
      'orchestrator/settings/settings-schema.ts',
      kit,
    ],
    development: true,
  },
  { folder: 'testing/', imports: ['runtime/random.ts'], development: true },
  { folder: 'bin/', imports: [], development: true },
]

export const zones: readonly Zone[] = [...product, ...laboratory]

export function zoneOf(path: string): Zone | undefined {
  return zones.filter((zone) => path.startsWith(zone.folder)).toSorted((a, b) => b.folder.length - a.folder.length)[0]
}

/** Tests and what only tests start: contract suites, and what builds a fixture for tests. */
export function isTest(path: string): boolean {
  return /\.test\.ts$|(^|\/)(testing|contract)\//.test(path) || path.startsWith('property-tests/')
}

/** What ships: no test, no test support, nothing of the laboratory. */
export function isProduct(path: string): boolean {
  return product.some(({ folder }) => path.startsWith(folder)) && !isTest(path)
}

/** What tests may import on top of what their folder may. */
export const testImports: readonly string[] = ['standins/', 'property-tests/', 'testing/']

/** Files at the root that belong to no zone. */
export const rootFiles: readonly string[] = ['architecture.test.ts', 'vitest.config.ts']

export const forbiddenFolders: readonly string[] = ['utils', 'util', 'common', 'helpers', 'helper', 'misc', 'shared']

/**
 * Who may start git, each with the test that plants a canary in its repositories (law B1). Whoever reads a repository
 * that somebody else wrote goes through one of these.
 */
export const startsGit: Readonly<Record<string, string>> = {
  'wrapper/workspace/git.ts': 'wrapper/workspace/hostile-clone.system.test.ts',
  // In the command space: the other end of the wire.
  'wrapper/workspace/outside/wire.ts': 'wrapper/workspace/hostile-clone.system.test.ts',
  'edges/git/store/run-git.ts': 'edges/git/rules/hostile-tree.test.ts',
  'memory/extract/source-files.ts': 'memory/client/hostile-repository.test.ts',
  'cli/local/git-seed.ts': 'cli/local/git-seed.test.ts',
  'standins/forge/git/run.ts': 'standins/forge/git/hostile-tree.test.ts',
  'standins/forge/git/http-backend.ts': 'standins/forge/git/hostile-tree.test.ts',
}
