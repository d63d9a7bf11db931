/**
 * Every address and port that a pod of a cluster is given, with every feature on. It is built as an orchestrator builds it: from its
 * settings, a Project and a Task to the pod and its Secret. What is not in the table below reaches no pod, but for what each
 * kubelet adds by itself: the API server in KUBERNETES_SERVICE_HOST, without a token for it, and the DNS server.
 */
import { hostname, networkInterfaces } from 'node:os'
import { describe, expect, test } from 'vitest'
import type { PodTokens } from '../../edges/agents/pod-tokens.ts'
import { createProjectDirectory } from '../../edges/forge/project-directory.ts'
import { aPodSpec, fullProject, type BuiltPod } from '../../edges/kubernetes/testing/pod-fixture.ts'
import { FakeCache } from '../../edges/kubernetes/testing/fake-cache.ts'
import { podScene } from '../../edges/kubernetes/testing/pod-scene.ts'
import type { Resource } from '../../edges/ports/resources.ts'
import { PodVariables, type PodVariableSchema } from '../../machines/turn/pod-environment.ts'
import { captureLog } from '../../http/testing/fixture.ts'
import { clusterPods } from '../places/cluster-pods.ts'
import { podInputs, podUrls } from './pod-environment.ts'
import { settingSchemas } from '../settings/settings-schema.ts'
import { readSettings } from '../settings/settings.ts'
import { addressesIn } from '../testing/addresses.ts'
import { memoriesOf } from '../testing/memories.ts'

/** Where the orchestrator itself listens: no pod may know it. */
const listeners = { HTTP_ADDR: '10.9.8.7:8080', INTERNAL_ADDR: '10.9.8.7:8082' }
const settings: Readonly<Record<string, string>> = {
  ...listeners,
  PLACE: 'kubernetes',
  DATABASE_URL: 'postgres://store.invalid:5432/statewright',
  OPERATOR_URL: 'http://operator.platform.svc:8080',
  INTERNAL_URL: 'http://callbacks.platform.svc:8082',
  PUBLIC_URL: 'https://public.invalid',
  OIDC_ISSUER: 'https://identity.invalid/realm',
  OIDC_AUDIENCE: 'urn:operator',
  WRAPPER_AUDIENCE: 'urn:wrapper',
  OIDC_CLIENT_ID: 'orchestrator',
  OIDC_CLIENT_SECRET: 'orchestrator-secret',
  MEMORY_URLS: '{"demo":"http://memory.platform.svc:8080","other":"http://others.platform.svc:8080"}',
  MEMORY_PUBLIC_URLS: '{"demo":"https://memory.invalid/api/v1/memory"}',
  MEMORY_AUDIENCE: 'urn:memory',
  MEMORY_CLIENT_ID: 'pods',
  MEMORY_CLIENT_SECRET: 'pods-secret',
  MODEL_BASE_URL: 'https://models.invalid/v1',
  MODEL_PROVIDER_API_KEY: 'model-key',
  AGENT_RUNTIME_OAUTH_TOKEN: 'oauth-token',
  SKILLS_REPO_URL: 'https://skills.invalid/acme.git',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.platform.svc:4318',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=headers.invalid',
  AGENT_IMAGE: 'images.invalid/wrapper:v1',
  AGENT_RESOURCES: '{"limits":{"memory":"4Gi"}}',
  AGENT_SERVICE_ACCOUNT: 'agents',
  WORKSPACES: 'on',
}

/** The forge's addresses are here as well: a pod reaches it through the git gateway alone. */
const project = {
  scmSecretRef: 'scm',
  ...fullProject,
  scm: { ...fullProject.scm, apiURL: 'https://api.forge.invalid', webURL: 'https://forge.invalid' },
  alerting: { enabled: true, url: 'https://alerts.invalid' },
  agent: {
    ...fullProject.agent,
    image: '',
    skillsRef: 'v1',
    hooks: { preClone: 'true' },
    mcpServers: [
      { name: 'wiki', url: 'https://wiki.invalid/mcp', type: 'http' },
      { name: 'tickets', url: 'http://tickets.acme.svc:9000', type: 'sse' },
    ],
    extraEnvs: [
      { name: 'GOPROXY', value: 'https://modules.invalid' },
      { name: 'PLATFORM_OPERATOR_URL', value: 'http://shadow.invalid' },
    ],
    extraSidecarContainers: [{ name: 'database', image: 'extras.invalid/db:18', ports: [{ containerPort: 5432 }] }],
    extraInitContainers: [{ name: 'seed', image: 'extras.invalid/seed:1', args: ['--from', 'seeds.invalid:6000'] }],
  },
}

/** POD-NETWORK-6: pods that an agent's pod may reach, by port. Of a port of a service, the policy sees the port of its pods. */
const contractEgress = { operator: [8080, 8082], memory: [8080], anybody: [443] } as const
type Peer = keyof typeof contractEgress
/** `pod`: itself. `node`: its kubelet, which no policy of pods is about. */
type Reached = Peer | 'pod' | 'node'

interface Row {
  readonly where: string
  readonly address: string
  readonly reached: Reached
  /** The setting, or the field of the Project, that gives it; absent: the pod's own. */
  readonly from?: string
}

const env = 'spec/containers/wrapper/env'
const variable = (name: string, address: string, reached: Reached, from?: string): Row => ({
  ...{ where: `${env}/${name}/value`, address, reached },
  ...(from === undefined ? {} : { from }),
})
const ofWrapper = 'spec/containers/wrapper'
const table: readonly Row[] = [
  // First what the pod is of itself.
  variable('HTTP_ADDR', '$(POD_IP):8080', 'pod'),
  variable('INTERNAL_ADDR', '127.0.0.1:0', 'pod'),
  { where: `${ofWrapper}/ports/http/containerPort`, address: ':8080', reached: 'pod' },
  { where: `${ofWrapper}/readinessProbe/httpGet/port`, address: ':8080', reached: 'pod' },
  // The orchestrator: tools and git, then callbacks.
  variable('PLATFORM_OPERATOR_URL', 'http://operator.platform.svc:8080', 'operator', 'OPERATOR_URL'),
  variable('REPOS', 'http://operator.platform.svc:8080', 'operator', 'OPERATOR_URL'),
  variable('REPOS', 'http://operator.platform.svc:8080', 'operator', 'OPERATOR_URL'),
  variable('CALLBACK_URL', 'http://callbacks.platform.svc:8082', 'operator', 'INTERNAL_URL'),
  variable('PLATFORM_MEMORY_URL', 'http://memory.platform.svc:8080', 'memory', 'MEMORY_URLS'),
  variable('OIDC_ISSUER', 'https://identity.invalid', 'anybody', 'OIDC_ISSUER'),
  variable('MODEL_BASE_URL', 'https://models.invalid', 'anybody', 'MODEL_BASE_URL'),
  variable('SKILLS_REPO_URL', 'https://skills.invalid', 'anybody', 'SKILLS_REPO_URL'),
  variable(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'http://collector.platform.svc:4318',
    'anybody',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
  ),
  // What people wrote into the Project.
  variable('PLATFORM_EXTRA_MCP_SERVERS', 'https://wiki.invalid', 'anybody', 'agent.mcpServers'),
  variable('PLATFORM_EXTRA_MCP_SERVERS', 'http://tickets.acme.svc:9000', 'anybody', 'agent.mcpServers'),
  variable('GOPROXY', 'https://modules.invalid', 'anybody', 'agent.extraEnvs'),
  {
    ...{ where: 'spec/initContainers/seed/args/1', address: 'seeds.invalid:6000' },
    ...{ reached: 'anybody', from: 'agent.extraInitContainers' },
  },
  {
    ...{ where: 'spec/containers/database/ports/0/containerPort', address: ':5432' },
    ...{ reached: 'pod', from: 'agent.extraSidecarContainers' },
  },
  // Registries.
  { where: `${ofWrapper}/image`, address: 'images.invalid', reached: 'node', from: 'AGENT_IMAGE' },
  { where: 'spec/initContainers/take-secrets/image', address: 'images.invalid', reached: 'node', from: 'AGENT_IMAGE' },
  {
    ...{ where: 'spec/initContainers/seed/image', address: 'extras.invalid' },
    ...{ reached: 'node', from: 'agent.extraInitContainers' },
  },
  {
    ...{ where: 'spec/containers/database/image', address: 'extras.invalid' },
    ...{ reached: 'node', from: 'agent.extraSidecarContainers' },
  },
]

interface Built {
  readonly pod: BuiltPod
  /** Contents by key. */
  readonly secret: Readonly<Record<string, string>>
}

/** As the orchestrator does, but for the server, which is in memory, and the token, which is a text. */
async function buildPod(): Promise<Built> {
  const read = readSettings(settings, '/program/claude')
  const { server, clock } = podScene({}, project)
  const common = {
    kind: 'Project',
    namespace: 'default',
    uid: 'uid-of-demo',
    generation: 1,
    createdAt: 0,
    updatedAt: 0,
  }
  const repository = (name: string): Resource => ({
    ...{ ...common, kind: 'Repository', uid: `uid-of-${name}`, name },
    spec: { projectRef: 'demo', url: `https://forge.invalid/acme/${name}.git` },
  })
  const applied: readonly Resource[] = [{ ...common, name: 'demo', spec: project }, ...['a', 'b'].map(repository)]
  const directory = createProjectDirectory({
    resources: {
      list: async (kind) => applied.filter((one) => one.kind === kind),
      get: async () => undefined,
    },
    secrets: { read: async () => ({ token: 't', webhookSecret: 's' }) },
    defaultBranch: async () => 'main',
  })
  const own = { operator: `http://${listeners.HTTP_ADDR}`, internal: `http://${listeners.INTERNAL_ADDR}` }
  const inputs = podInputs({
    settings: read,
    memories: memoriesOf(read.memory),
    directory,
    tokens: { mint: async () => 'pod-token' } as unknown as PodTokens,
    callbackMaster: 'master',
    urls: () => podUrls(read, own),
    traceparent: () => '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  })
  const place = clusterPods({
    ...{ client: server, namespaces: [], tasks: new FakeCache(server, 'Pod'), settings: read.kubernetes.pods },
    ...{ clock, random: () => 0.5, logger: captureLog().logger },
  })
  const repositories = ['a', 'b'].map((name) => ({ name, base: 'main', branch: 'platform/implement-a-1' }))
  await place.create({ directory, inputs }).create(aPodSpec({ repositories }))
  await place.stop()
  const posted = (plural: string): unknown =>
    server.calls.find(({ method, path }) => method === 'POST' && path.endsWith(`/${plural}`))?.body
  const { data = {} } = posted('secrets') as { readonly data?: Readonly<Record<string, string>> }
  const decoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()])
  return { pod: posted('pods') as BuiltPod, secret: Object.fromEntries(decoded) as Built['secret'] }
}

const hostOf = (address: string): string =>
  address
    .replace(/^[^/]+\/\//, '')
    .replace(/(?<=^[^:]*|\]):\d+$/, '')
    .replaceAll(/[[\]]/g, '')
const isLoopback = (host: string): boolean => /^(localhost|127\..*|::1?|0\.0\.0\.0)$/.test(host)
const line = ({ where, address }: Pick<Row, 'where' | 'address'>): string => `${where} = ${address}`

/** Whether POD-NETWORK-6 lets a pod reach it. */
function isOpened({ reached, address }: Row): boolean {
  if (reached === 'pod' || reached === 'node') return true
  const { port, protocol } = new URL(address.includes('://') ? address : `tcp://${address}`)
  const number = port === '' ? { 'https:': 443, 'http:': 80 }[protocol] : Number(port)
  return [...contractEgress[reached], ...contractEgress.anybody].some((open) => open === number)
}

describe('what a pod of a cluster is given', () => {
  test('has these addresses and ports, each from where the table has it, and no others', async () => {
    const { pod, secret } = await buildPod()
    expect(addressesIn(pod).map(line).toSorted()).toEqual(table.map(line).toSorted())
    expect(Object.keys(secret).toSorted()).toEqual([
      ...['callback-secret', 'memory-client', 'model-key', 'oauth-token', 'pod-token'],
    ])
    expect(addressesIn(secret)).toEqual([])
    for (const { address, from } of table.filter((row) => row.from !== undefined)) {
      const [block, field = ''] = from!.split('.')
      const given = block === 'agent' ? (project.agent as Readonly<Record<string, unknown>>)[field] : settings[from!]
      expect(JSON.stringify(given), from).toContain(address.replace(/^:/, ''))
    }
  })

  test('names no listener and no interface of the orchestrator’s machine, and loopback for itself alone', async () => {
    const { pod, secret } = await buildPod()
    const found = addressesIn({ pod, secret })
    const interfaces = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address))
    const own = ['10.9.8.7', hostname(), ...interfaces.filter((address) => !isLoopback(address))]
    expect(found.filter(({ address }) => own.some((one) => hostOf(address) === one)).map(line)).toEqual([])
    expect(found.filter(({ address }) => isLoopback(hostOf(address))).map(line)).toEqual([`pod/${line(table[1]!)}`])
  })

  test('is all that settings and variables have of addresses: a new one needs a row above', async () => {
    const { pod } = await buildPod()
    const given = settingSchemas.filter(
      ([name, { reads }]) => ['url', 'issuer', 'address'].includes(reads ?? '') || /_(URLS?|ADDR|ENDPOINT)$/.test(name),
    )
    expect(given.map(([name]) => name).filter((name) => settings[name] === undefined)).toEqual([])
    const variables = Object.entries(PodVariables.properties) as unknown as [string, PodVariableSchema][]
    const urls = variables.filter(([, { reads }]) => reads === 'url' || reads === 'issuer').map(([name]) => name)
    const values = new Map(pod.spec.containers[0]!.env!.map(({ name, value }) => [name, value]))
    expect(urls.filter((name) => (values.get(name) ?? '') === '')).toEqual([])
  })

  test('is reachable by the contract’s policy, but for these, which need one of their own', () => {
    expect(table.filter((row) => !isOpened(row)).map(({ address, from }) => `${from} ${address}`)).toEqual([
      'OTEL_EXPORTER_OTLP_ENDPOINT http://collector.platform.svc:4318',
      'agent.mcpServers http://tickets.acme.svc:9000',
      'agent.extraInitContainers seeds.invalid:6000',
    ])
  })
})
