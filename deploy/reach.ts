/**
 * Who reaches whom under the chart's network policies. `network.system.test.ts` compares it with what Helm renders, and
 * the chart's README shows it. The contract is in docs/contract/orchestrator.md.
 */

import { partLabel, stackNames } from '../edges/kubernetes/memory-stack/names.ts'

/** Labels of pods, as the program and the chart set them. */
const agent = { 'platform.dev/managed-by': 'platform-operator' }
const memory = { 'app.kubernetes.io/component': 'memory' }

export interface Peer {
  readonly name: string
  /** Absent: no pod, such as an address on the internet. */
  readonly namespace?: string
  readonly labels: Readonly<Record<string, string>>
  readonly ip: string
}

interface Target {
  readonly name: string
  readonly peer: Peer
  readonly port: number
  readonly protocols: readonly ('TCP' | 'UDP')[]
}

const pod = (name: string, namespace: string, ip: string, labels: Readonly<Record<string, string>>): Peer => ({
  name,
  namespace,
  labels,
  ip,
})

const ofOrchestrator = {
  'app.kubernetes.io/name': 'statewright',
  'app.kubernetes.io/instance': 'sw',
  'app.kubernetes.io/component': 'orchestrator',
}
const orchestrator = pod('orchestrator', 'platform', '10.1.0.1', ofOrchestrator)
const memoryOfRed = pod('memory', 'team-a', '10.1.1.8', memory)
const ofChart = { ...memory, 'statewright.dev/memory': 'sw-memory-red' }
const gateway = pod('gateway', 'models', '10.1.6.1', { app: 'gateway' })
const internet: Peer = { name: 'address on the internet', labels: {}, ip: '203.0.113.7' }
/** Behind its Service is no pod but an address of a node. */
const apiServer: Peer = { name: 'API server', labels: {}, ip: '192.0.2.1' }

/** The Projects `red` and `blue` share a namespace, `green` has another. */
export const sources: readonly Peer[] = [
  orchestrator,
  pod('agent of Project red', 'team-a', '10.1.1.1', { ...agent, 'platform.dev/project': 'red' }),
  pod('agent of Project blue', 'team-a', '10.1.1.2', { ...agent, 'platform.dev/project': 'blue' }),
  pod('agent of Project green', 'team-b', '10.1.2.1', { ...agent, 'platform.dev/project': 'green' }),
  pod('brainstorm with the internet', 'team-a', '10.1.1.3', {
    ...agent,
    'platform.dev/project': 'red',
    'platform.io/egress': 'internet',
  }),
  pod('brainstorm of Project green', 'team-b', '10.1.2.3', {
    ...agent,
    'platform.dev/project': 'green',
    'platform.io/egress': 'internet',
  }),
  pod('memory service', 'team-a', '10.1.1.4', memory),
  pod('memory service of the chart', 'platform', '10.1.0.9', ofChart),
  pod('ingress controller', 'ingress', '10.1.3.1', { app: 'ingress' }),
  pod('Prometheus', 'monitoring', '10.1.4.1', { app: 'prometheus' }),
  pod('other pod beside the orchestrator', 'platform', '10.1.0.2', { app: 'other' }),
  pod('other pod beside agents', 'team-a', '10.1.1.5', { app: 'other' }),
  pod('other pod elsewhere', 'elsewhere', '10.1.5.1', { app: 'other' }),
  pod('pod elsewhere with the labels of agents', 'elsewhere', '10.1.5.2', { ...agent, 'platform.dev/project': 'red' }),
  pod('pod elsewhere with the labels of the orchestrator', 'elsewhere', '10.1.5.3', ofOrchestrator),
  internet,
]

const tcp = ['TCP'] as const
const target = (name: string, port: number, peer: Peer): Target => ({
  name: `${name} ${port}`,
  ...{ peer, port, protocols: tcp },
})

export const targets: readonly Target[] = [
  { name: 'orchestrator 8080', peer: orchestrator, port: 8080, protocols: tcp },
  { name: 'orchestrator 8082', peer: orchestrator, port: 8082, protocols: tcp },
  { name: 'agent 8080', peer: pod('agent', 'team-a', '10.1.1.9', agent), port: 8080, protocols: tcp },
  { name: 'agent 443', peer: pod('agent', 'team-a', '10.1.1.9', agent), port: 443, protocols: tcp },
  { name: 'memory of red 8080', peer: memoryOfRed, port: 8080, protocols: tcp },
  { name: 'memory of green 8080', peer: pod('memory', 'team-b', '10.1.2.8', memory), port: 8080, protocols: tcp },
  {
    name: 'memory of red by the chart 8080',
    peer: pod('memory', 'platform', '10.1.0.8', ofChart),
    port: 8080,
    protocols: tcp,
  },
  { name: 'any pod 443', peer: gateway, port: 443, protocols: tcp },
  { name: 'any pod 8080', peer: gateway, port: 8080, protocols: tcp },
  {
    name: 'DNS 53',
    peer: pod('dns', 'kube-system', '10.1.7.1', { 'k8s-app': 'kube-dns' }),
    port: 53,
    protocols: ['UDP', 'TCP'],
  },
  { name: 'internet 443', peer: internet, port: 443, protocols: tcp },
  { name: 'API server 443', peer: apiServer, port: 443, protocols: tcp },
  {
    name: 'PostgreSQL 5432',
    peer: pod('postgres', 'data', '10.1.8.1', { app: 'postgres' }),
    port: 5432,
    protocols: tcp,
  },
  { name: 'memory of red 5432', peer: memoryOfRed, port: 5432, protocols: tcp },
  {
    name: 'memory of red by the chart 5432',
    peer: pod('memory', 'platform', '10.1.0.8', ofChart),
    port: 5432,
    protocols: tcp,
  },
  {
    name: 'pod beside the orchestrator 8080',
    peer: pod('other', 'platform', '10.1.0.3', { app: 'other' }),
    port: 8080,
    protocols: tcp,
  },
  {
    name: 'pod elsewhere with the labels of the orchestrator 8080',
    peer: pod('copy', 'elsewhere', '10.1.5.4', ofOrchestrator),
    port: 8080,
    protocols: tcp,
  },
]

/**
 * A column for each target: `x` reaches it, `-` does not, `.` is the same program. The listeners' peers are named in
 * `networkPolicy.operatorIngressFrom` and `metricsFrom`, as `values` has them.
 */
const closed: Readonly<Record<string, string>> = {
  orchestrator: '. . x - x x x x x x x x x x - x x',
  'agent of Project red': 'x x - - x x x x - x - - - - - - -',
  'agent of Project blue': 'x x - - x x - x - x - - - - - - -',
  'agent of Project green': 'x x - - x x - x - x - - - - - - -',
  'brainstorm with the internet': 'x x - - x x x x - x x x - - - - -',
  'brainstorm of Project green': 'x x - - x x - x - x x x - - - - -',
  'memory service': '- - - - x x - x x x x x x x - x x',
  'memory service of the chart': '- - - - - - - x - x x x x x - - -',
  'ingress controller': 'x - - - x x x x x x x x x x - x x',
  Prometheus: '- x - - x x x x x x x x x x - x x',
  'other pod beside the orchestrator': '- - - - x x - x x x x x x x - x x',
  'other pod beside agents': '- - - - x x - x x x x x x x - x x',
  'other pod elsewhere': '- - - - x x - x x x x x x x - x x',
  'pod elsewhere with the labels of agents': '- - - - x x - x x x x x x x - x x',
  'pod elsewhere with the labels of the orchestrator': '- - - - x x - x x x x x x x - x x',
  'address on the internet': '- - - - x x - x x x . x x x - x x',
}

export type Table = Readonly<Record<string, string>>

export interface Asked {
  readonly sources: readonly Peer[]
  readonly targets: readonly Target[]
}

export const usual: Asked = { sources, targets }

const [ofRed, ofGreen] = [stackNames('team-a/red'), stackNames('team-b/green')]
const part = (name: string, { labels } = ofRed): Readonly<Record<string, string>> => ({
  ...labels,
  [partLabel]: name,
  ...(name === 'service' ? memory : {}),
})
/** CloudNativePG sets these itself; to an instance it adds the labels of the stack. */
const ofOperator = { 'app.kubernetes.io/managed-by': 'cloudnative-pg', 'cnpg.io/cluster': ofRed.cluster }
const instance = { ...ofRed.labels, ...ofOperator }
const database = pod('PostgreSQL', 'data', '10.1.8.1', { app: 'postgres' })

/** Who reaches memory stacks, and whom their parts reach. The stack of Project `red` has each part, in a pod and in another. */
export const ofStacks: Asked = {
  sources: [
    ...sources.filter(({ name }) => /orchestrator$|^agent of|^brainstorm with|^Prometheus$/.test(name)),
    pod('service', 'team-a', '10.1.1.20', part('service')),
    pod('PostgreSQL', 'team-a', '10.1.1.21', part('postgres')),
    pod('instance of CloudNativePG', 'team-a', '10.1.1.22', instance),
    pod('Job that copies an instance', 'team-a', '10.1.1.23', { ...ofOperator, 'cnpg.io/jobRole': 'join' }),
    pod('Neo4j', 'team-a', '10.1.1.24', part('neo4j')),
    pod('LightRAG', 'team-a', '10.1.1.25', part('lightrag')),
    pod('service of Project green', 'team-b', '10.1.2.20', part('service', ofGreen)),
    pod('operator CloudNativePG', 'cnpg-system', '10.1.9.1', { 'app.kubernetes.io/name': 'cloudnative-pg' }),
    pod('other pod beside the stack', 'team-a', '10.1.1.5', { app: 'other' }),
    pod('other instance of CloudNativePG', 'team-a', '10.1.1.6', { ...ofOperator, 'cnpg.io/cluster': 'theirs' }),
    pod('pod elsewhere with the labels of the service', 'elsewhere', '10.1.5.5', part('service')),
    internet,
  ],
  targets: [
    ...[8080, 443].map((port) => target('service', port, pod('service', 'team-a', '10.1.1.30', part('service')))),
    target('PostgreSQL', 5432, pod('PostgreSQL', 'team-a', '10.1.1.31', part('postgres'))),
    ...[5432, 8000, 9187, 443].map((port) =>
      target('instance of CloudNativePG', port, pod('instance', 'team-a', '10.1.1.32', instance)),
    ),
    target('Neo4j', 7687, pod('Neo4j', 'team-a', '10.1.1.34', part('neo4j'))),
    target('LightRAG', 9621, pod('LightRAG', 'team-a', '10.1.1.35', part('lightrag'))),
    target('service of Project green', 8080, pod('service', 'team-b', '10.1.2.30', part('service', ofGreen))),
    target('PostgreSQL of Project green', 5432, pod('PostgreSQL', 'team-b', '10.1.2.31', part('postgres', ofGreen))),
    ...[5432, 7687, 8000, 9621].map((port) => target('pod elsewhere', port, database)),
    target('embeddings', 8081, gateway),
    target('model', 11434, gateway),
    target('agent', 8080, pod('agent', 'team-a', '10.1.1.9', agent)),
    target('orchestrator', 8080, orchestrator),
    ...targets.filter(({ name }) => /^(DNS 53|internet 443|API server 443)$/.test(name)),
    target('API server', 6443, apiServer),
  ],
}

/** As `whoReachesWhom`, with `stackValues`. */
export const whoReachesStacks: Table = {
  orchestrator: 'x - - - - - - - - x - x x x x x x x . x x x x',
  'agent of Project red': 'x - - - - - - - - - - - - - - - - - x x - - -',
  'agent of Project blue': 'x - - - - - - - - - - - - - - - - - x x - - -',
  'agent of Project green': '- - - - - - - - - x - - - - - - - - x x - - -',
  'brainstorm with the internet': 'x - - - - - - - - - - - - - - - - - x x x x -',
  Prometheus: 'x - - - - x - - - x - x x x x x x - - x x x x',
  'other pod beside the orchestrator': '- - - - - - - - - - - x x x x x x - - x x x x',
  'pod elsewhere with the labels of the orchestrator': '- - - - - - - - - - - x x x x x x - - x x x x',
  service: '- - x x - - - x x - - - - - - x - - - x x x -',
  PostgreSQL: '- - - - - - - - - - - - - - - - - - - x - - -',
  'instance of CloudNativePG': '- - - x x - - - - - - - - - - - - - - x x x x',
  'Job that copies an instance': '- - - x - - - - - - - x x x x x x - - x x x x',
  Neo4j: '- - - - - - - - - - - - - - - - - - - x - - -',
  LightRAG: '- - x x - - - x - - - - - - - - x - - x - - -',
  'service of Project green': '- - - - - - - - - - x - - - - x - - - x x x -',
  'operator CloudNativePG': '- - - x x - - - - - - x x x x x x - - x x x x',
  'other pod beside the stack': '- - - - - - - - - - - x x x x x x - - x x x x',
  'other instance of CloudNativePG': '- - - - - - - - - - - x x x x x x - - x x x x',
  'pod elsewhere with the labels of the service': '- - - - - - - - - - - x x x x x x - - x x x x',
  'address on the internet': '- - - - - - - - - - - x x x x x x - - x . x x',
}

/**
 * By the names of sources.
 * @param isOpen with no peer named for port 8080. Every one may reach it then, also at memory services that the ingress routes.
 */
export function whoReachesWhom(isOpen = false): Table {
  if (!isOpen) return closed
  const opened = targets.flatMap(({ name }, at) => (/^orchestrator 8080|by the chart 8080/.test(name) ? [at] : []))
  const open = (cell: string, at: number): string => (cell === '-' && opened.includes(at) ? 'x' : cell)
  return Object.fromEntries(
    Object.entries(closed).map(([name, cells]) => [
      name,
      // Its own policy lets it reach neither.
      name === 'memory service of the chart' ? cells : cells.split(' ').map(open).join(' '),
    ]),
  )
}

const inNamespace = (name: string): object => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
})

/** Of the chart, for the table. */
export const values = {
  namespaces: ['team-a', 'team-b'],
  memory: { audience: 'memory', clientId: 'pods', secretName: 'memory' },
  memoryServices: { red: { project: 'team-a/red', database: { secretName: 'memory-red' } } },
  ingress: { enabled: true, host: 'sw.example' },
  networkPolicy: { operatorIngressFrom: [inNamespace('ingress')], metricsFrom: [inNamespace('monitoring')] },
}

/** The same with memory stacks, and a model and embeddings at ports of their own. */
export const stackValues = {
  ...values,
  memoryStacks: {
    enabled: true,
    embeddings: { url: 'http://gateway.models.svc:8081/v1', model: 'small' },
    lightrag: { variables: { LLM_BINDING_HOST: 'http://gateway.models.svc:11434', LLM_MODEL: 'large' } },
  },
}

/** In Markdown. */
export function reachTable(about: Asked = usual, table: Table = closed): string {
  const cell: Readonly<Record<string, string>> = { x: 'yes', '-': '', '.': '' }
  return [
    `| from | ${about.targets.map(({ name }) => name).join(' | ')} |`,
    `| --- ${'| --- '.repeat(about.targets.length)}|`,
    ...Object.entries(table).map(
      ([name, cells]) =>
        `| ${name} | ${cells
          .split(' ')
          .map((one) => cell[one])
          .join(' | ')} |`,
    ),
  ].join('\n')
}
