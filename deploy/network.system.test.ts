/** Who reaches whom under the policies that Helm renders, by Cyclonus: `npm run test:chart`. No network enforces them here. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { ciScript } from '../testing/ci-script.ts'
import { describeRequiring } from '../testing/requires.ts'
import {
  ofStacks,
  stackValues,
  usual,
  values,
  whoReachesStacks,
  whoReachesWhom,
  type Asked,
  type Peer,
  type Table,
} from './reach.ts'
import { needed, rendered, shortLived, type Manifest } from './testing/chart.ts'

const call = promisify(execFile)
const table = { ...needed, ...values }

type Selectors = Readonly<Record<string, object>>

interface Rule {
  readonly ports?: readonly object[]
  readonly from?: readonly object[]
  readonly to?: readonly object[]
}

interface PodSelector {
  readonly matchLabels?: Readonly<Record<string, string>>
  /** Of `Exists`. */
  readonly matchExpressions?: readonly { readonly key: string }[]
}

interface Policy extends Manifest {
  readonly spec: {
    readonly podSelector: PodSelector
    readonly ingress?: readonly Rule[]
    readonly egress?: readonly Rule[]
  }
}

describeRequiring('chart', 'the network policies of the chart', () => {
  let cyclonus: string
  // The first build takes minutes; later ones find it.
  beforeAll(async () => {
    cyclonus = join(await ciScript('cyclonus.sh', ['build']), 'cyclonus')
  }, 1_200_000)

  test('let through what the contract names, for three Projects (CALLBACK-5, POD-NETWORK-5, POD-NETWORK-6, POD-NETWORK-8)', async () => {
    expect(await reach(cyclonus, await policies(table))).toEqual(whoReachesWhom())
  })

  test('leave port 8080 of the orchestrator open where no peer of it is named, and nothing else', async () => {
    const { metricsFrom } = values.networkPolicy
    const found = await reach(cyclonus, await policies({ ...table, networkPolicy: { metricsFrom } }))
    expect(found).toEqual(whoReachesWhom(true))
  })

  test('let through the same where all namespaces count and those of Projects are named', async () => {
    const { namespaces, ...others } = table
    const all = { ...others, allNamespaces: true, agentNamespaces: namespaces }
    expect(await reach(cyclonus, await policies(all))).toEqual(whoReachesWhom())
  })

  test('each change who reaches whom when a rule of theirs is left out or wider', async () => {
    const broken = breaks(await policies(table))
    expect(await silent(cyclonus, broken, usual, whoReachesWhom())).toEqual(doubled)
    expect(broken.length).toBeGreaterThan(20)
  })

  test('let agents reach the service of a memory stack, each part what it needs, and nothing else (POD-NETWORK-6)', async () => {
    const all = await policies({ ...table, ...stackValues })
    expect(await reach(cyclonus, all, ofStacks)).toEqual(whoReachesStacks)
    expect(await reach(cyclonus, all)).toEqual(whoReachesWhom())
  })

  test('of memory stacks each change who reaches whom when a rule of theirs is left out or wider', async () => {
    const all = await policies({ ...table, ...stackValues })
    const specs = (namespace: string): readonly object[] =>
      all.flatMap(({ metadata, spec }) => (isOfStacks(metadata) && metadata.namespace === namespace ? [spec] : []))
    expect(specs('team-b')).toEqual(specs('team-a'))
    const broken = breaks(all).filter(([, , { metadata }]) => isOfStacks(metadata) && metadata.namespace === 'team-a')
    expect(await silent(cyclonus, broken, ofStacks, whoReachesStacks)).toEqual(doubledOfStacks)
    expect(broken.length).toBeGreaterThan(40)
  })

  test('open port 443 and DNS for a brainstorm by a policy of its own (POD-NETWORK-8)', async () => {
    const all = await policies(table)
    const some = all.filter(({ metadata }) => `${metadata.namespace}/${metadata.name}` !== 'team-a/sw-agents')
    const found = await reach(cyclonus, some)
    expect(found['brainstorm with the internet']).toBe('- - - x - - - x - x x x - - - - -')
  })
})

/** Faults that another policy makes good: the one at the other end, the address that means any, the DNS of all agents. */
const doubled = [
  'platform/sw-orchestrator ingress 1: any port',
  'team-a/sw-agents egress 1: any port',
  'team-a/sw-internet egress 0: any peer',
  'team-a/sw-internet egress 1: left out',
  'team-a/sw-internet egress 1: without port 0',
  'team-a/sw-internet egress 1: without port 1',
]

/** The other end has ports of its own. */
const doubledOfStacks = [
  'team-a/sw-stack-service egress 0: any port',
  'team-a/sw-stack-service egress 1: any port',
  'team-a/sw-stack-service egress 2: any port',
  'team-a/sw-stack-neo4j ingress 0: any port',
  'team-a/sw-stack-postgres ingress 0: any port',
  'team-a/sw-stack-cluster egress 0: any port',
  'team-a/sw-stack-lightrag ingress 0: any port',
  'team-a/sw-stack-lightrag egress 0: any port',
  'team-a/sw-stack-lightrag egress 1: any port',
]

const isOfStacks = ({ name }: Manifest['metadata']): boolean => name.startsWith('sw-stack-')

async function policies(of: object): Promise<readonly Policy[]> {
  return (await rendered(of)).filter(({ kind }) => kind === 'NetworkPolicy') as readonly Policy[]
}

interface Cell {
  readonly source: Peer
  /** Index of its target. */
  readonly at: number
}

const everyCell = ({ sources, targets }: Asked): readonly Cell[] =>
  sources.flatMap((source) => targets.map((_, at) => ({ source, at })))

/** What a fault of this policy can change: a policy is about the pods that it selects. */
function cellsOf({ metadata: { namespace }, spec: { podSelector } }: Policy, asked: Asked): readonly Cell[] {
  const { matchLabels = {}, matchExpressions = [] } = podSelector
  const isSelected = ({ labels, namespace: its }: Peer): boolean =>
    its === namespace &&
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key }) => key in labels)
  return everyCell(asked).filter(({ source, at }) => isSelected(source) || isSelected(asked.targets[at]!.peer))
}

async function reach(cyclonus: string, items: readonly Policy[], asked = usual): Promise<Table> {
  const cells = everyCell(asked)
  const found = await answers(cyclonus, items, cells, asked)
  return Object.fromEntries(
    asked.sources.map((source) => [source.name, found.filter((_, at) => cells[at]!.source === source).join(' ')]),
  )
}

/** @returns the names of the faults that change no cell. */
async function silent(
  cyclonus: string,
  broken: ReturnType<typeof breaks>,
  asked: Asked,
  expected: Table,
): Promise<readonly string[]> {
  const isSilent = await Promise.all(
    broken.map(async ([, some, policy]) => {
      const cells = cellsOf(policy, asked)
      const found = await answers(cyclonus, some, cells, asked)
      return cells.every(({ source, at }, index) => found[index] === expected[source.name]!.split(' ')[at])
    }),
  )
  return broken.filter((_, at) => isSilent[at]).map(([name]) => name)
}

/** One process for all cells. @returns what stands in each. */
async function answers(
  cyclonus: string,
  items: readonly Policy[],
  cells: readonly Cell[],
  { targets }: Asked,
): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'network-'))
  try {
    const [policyPath, trafficPath] = [join(folder, 'policies.json'), join(folder, 'traffic.json')]
    const asked = cells.flatMap((asking) => {
      const { peer: destination, port, protocols } = targets[asking.at]!
      if (destination.ip === asking.source.ip) return []
      return protocols.map((protocol) => ({ asking, traffic: traffic(asking.source, destination, port, protocol) }))
    })
    await writeFile(
      policyPath,
      JSON.stringify({ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicyList', items }),
    )
    await writeFile(trafficPath, JSON.stringify(asked.map((one) => one.traffic)))
    const paths = ['--policy-path', policyPath, '--traffic-path', trafficPath]
    const parameters = ['analyze', '--mode', 'query-traffic', ...paths]
    const { stdout } = await call(cyclonus, parameters, { env: shortLived, maxBuffer: 64 * 1024 * 1024 })
    const allowed = [...stdout.matchAll(/IS ALLOWED\?\s*\|\s*(TRUE|FALSE)/g)].map(([, answer]) => answer === 'TRUE')
    expect(allowed.length).toBe(asked.length)
    return cells.map((one) => cell(allowed.filter((_, at) => asked[at]!.asking === one)))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Protocols of one target that differ are `?`, which no expectation has. */
function cell(answers: readonly boolean[]): string {
  if (answers.length === 0) return '.'
  if (new Set(answers).size > 1) return '?'
  return answers[0] ? 'x' : '-'
}

function traffic(source: Peer, destination: Peer, port: number, protocol: string): object {
  return {
    Source: peer(source),
    Destination: peer(destination),
    ResolvedPort: port,
    ResolvedPortName: '',
    Protocol: protocol,
  }
}

function peer({ namespace, labels, ip }: Peer): object {
  if (namespace === undefined) return { IP: ip }
  const NamespaceLabels = { 'kubernetes.io/metadata.name': namespace }
  return { IP: ip, Internal: { Namespace: namespace, NamespaceLabels, PodLabels: labels } }
}

/** The policies with one fault each: a policy or a rule left out, its ports or peers forgotten, half of a peer's selectors. */
function breaks(all: readonly Policy[]): readonly (readonly [string, readonly Policy[], Policy])[] {
  return all.flatMap((policy, at) => {
    const name = `${policy.metadata.namespace}/${policy.metadata.name}`
    const broken: (readonly [string, Policy | undefined])[] = [[`${name} left out`, undefined]]
    // Its rules are those of the other namespace.
    if (policy.metadata.namespace === 'team-b') return [[`${name} left out`, all.toSpliced(at, 1), policy] as const]
    for (const way of ['ingress', 'egress'] as const)
      for (const [index, rule] of (policy.spec[way] ?? []).entries())
        for (const [what, other] of brokenRules(rule)) {
          const rules = policy.spec[way]!.flatMap((one, other_) => (other_ === index ? other : [one]))
          broken.push([`${name} ${way} ${index}: ${what}`, { ...policy, spec: { ...policy.spec, [way]: rules } }])
        }
    return broken.map(
      ([what, other]) => [what, all.flatMap((one, place) => (place === at ? (other ?? []) : [one])), policy] as const,
    )
  })
}

/** One alone left out is the rule left out. */
const several = <T>(all: readonly T[] = []): readonly T[] => (all.length > 1 ? all : [])

function brokenRules(rule: Rule): readonly (readonly [string, readonly Rule[]])[] {
  const { ports, ...peers } = rule
  const side = rule.from === undefined ? 'to' : 'from'
  const named = (rule[side] ?? []) as readonly Selectors[]
  return [
    ['left out', []],
    ['any port', [peers]],
    ...(named.length === 0 ? [] : ([['any peer', [ports === undefined ? {} : { ports }]]] as const)),
    ...several(ports).map((_, at) => [`without port ${at}`, [{ ...rule, ports: ports!.toSpliced(at, 1) }]] as const),
    ...several(named).map((_, at) => [`without peer ${at}`, [{ ...rule, [side]: named.toSpliced(at, 1) }]] as const),
    ...named.flatMap((one, at) =>
      Object.keys(one)
        .filter((key) => Object.keys(one).length > 1 && JSON.stringify(one[key]) !== '{}')
        .map((key) => [`peer ${at} without ${key}`, [{ ...rule, [side]: named.with(at, without(one, key)) }]] as const),
    ),
  ]
}

/** A peer of pods without their namespace is one of the policy's own namespace, so `{}` stands for any. */
function without(one: Selectors, key: string): Selectors {
  return key === 'namespaceSelector'
    ? { ...one, [key]: {} }
    : Object.fromEntries(Object.entries(one).filter(([name]) => name !== key))
}
