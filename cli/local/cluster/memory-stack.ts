/** The memory stack of a demo's Project: pods of the demo's kubelet with this machine's PostgreSQL and the service of the sources. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Type } from 'typebox'
import { pathOf, type KubeObject } from '../../../edges/kubernetes/api/api.ts'
import { partLabel, selectorOf, stackNames } from '../../../edges/kubernetes/memory-stack/names.ts'
import { servicePort } from '../../../edges/kubernetes/memory-stack/service.ts'
import { podsResource } from '../../../edges/kubernetes/pods/pod-requests.ts'
import { programDir } from '../../program.ts'
import type { OrchestratorClient } from '../../server/client.ts'
import { project } from '../stack-names.ts'
import type { ClusterParts } from './cluster-parts.ts'
import { programOnOwnAddress } from './images.ts'
import { runScript } from './servers.ts'

/** In the Project’s manifest. */
export const lightStack = { profile: 'light', pgStorage: '1Gi', pgWalStorage: '1Gi' } as const

export interface ServingStack {
  readonly profile: string
  readonly phase: string
  /** Of the Project’s status: what pods call. */
  readonly endpoint: string
  /** Of the service’s pod: this machine knows no names of Services. */
  readonly url: string
}

const images = { memory: 'statewright.invalid/memory:demo', postgres: 'statewright.invalid/postgres:demo' } as const

/** What the kubelet runs them as. */
export function stackImages(): Readonly<Record<string, readonly string[]>> {
  return {
    [images.memory]: programOnOwnAddress(join(programDir, 'bin', 'statewright.mjs')),
    [images.postgres]: ['bash', join(programDir, 'standins', 'cnpg', 'postgres-image.sh')],
  }
}

/** Of the orchestrator, which is no pod here and so cannot fill what it cannot call. */
export function stackSettings(): Readonly<Record<string, string>> {
  const stacks = { image: images.memory, postgresImage: images.postgres, usesCloudNativePg: false }
  return { MEMORY_STACKS: JSON.stringify(stacks), MEMORY_FILL: 'off' }
}

/** @throws where this machine has no server, or none with pgvector. */
export async function requirePostgres(): Promise<void> {
  const programs = await runScript('postgres.sh', ['find']).catch((cause: unknown) => {
    const { stderr } = Object(cause)
    if (stderr === undefined) throw cause
    throw new Error(
      '--memory light runs the PostgreSQL of this machine in a pod: install its server (Debian: apt-get install postgresql)',
      { cause },
    )
  })
  if (hasVector(programs)) return
  throw new Error(
    `--memory light needs pgvector for the PostgreSQL in ${programs} (Debian: apt-get install postgresql-VERSION-pgvector)`,
  )
}

/** Where nobody knows where its extensions are, the pod says what it lacks. */
function hasVector(programs: string): boolean {
  const asked = spawnSync(join(programs, 'pg_config'), ['--sharedir'], { encoding: 'utf8' })
  return asked.status !== 0 || existsSync(join(asked.stdout.trim(), 'extension', 'vector.control'))
}

const Seen = Type.Object({
  spec: Type.Object({ memory: Type.Object({ profile: Type.String() }) }),
  status: Type.Object({
    memory: Type.Optional(Type.Object({ phase: Type.Optional(Type.String()), endpoint: Type.Optional(Type.String()) })),
    conditions: Type.Optional(
      Type.Array(Type.Object({ type: Type.String(), reason: Type.String(), message: Type.String() })),
    ),
  }),
})

/** A hundred times what an idle machine takes. */
const serveLimitMs = 300_000
const lookMs = 250

/** Once its condition is Running; each reason to wait is written. @throws with the last one. */
export async function stackServes(
  client: OrchestratorClient,
  cluster: Pick<ClusterParts, 'client' | 'namespace'>,
  write: (text: string) => void,
): Promise<ServingStack> {
  const id = `${cluster.namespace}/${project}`
  let last = ''
  for (let waited = 0; waited < serveLimitMs; waited += lookMs) {
    const { spec, status } = await client.ask(Seen, 'GET', `/resources/projects/${id}`)
    const { reason, message = '' } = status.conditions?.find(({ type }) => type === 'MemoryStack') ?? {}
    const { phase = '', endpoint = '' } = status.memory ?? {}
    if (reason === 'Running') {
      write(`memory stack: it serves at ${endpoint}`)
      return { profile: spec.memory.profile, phase, endpoint, url: await serviceUrl(cluster, id) }
    }
    if (message !== last) write(`memory stack: ${message}`)
    last = message
    await pause(lookMs)
  }
  throw new Error(`the memory stack did not serve within ${serveLimitMs / 1000} s: ${last}`)
}

async function serviceUrl(
  { client, namespace }: Pick<ClusterParts, 'client' | 'namespace'>,
  id: string,
): Promise<string> {
  const labelSelector = selectorOf({ ...stackNames(id).labels, [partLabel]: 'service' })
  const { items } = await client.ask<{ readonly items: readonly KubeObject[] }>(
    'GET',
    pathOf(podsResource, { namespace }),
    { query: { labelSelector } },
  )
  return `http://${String(items[0]?.status?.['podIP'])}:${servicePort}`
}
