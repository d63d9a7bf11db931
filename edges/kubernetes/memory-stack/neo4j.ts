/** Neo4j of a stack, of the full profile: one pod of the community edition, whose graph the service can fill anew. */
import type { StackWanted } from '../../../machines/memory-stack/events.ts'
import { ensureClaim } from './claims.ts'
import type { StackNames } from './names.ts'
import { secretText, type StackObjects } from './objects.ts'
import type { PartInput } from './parts.ts'
import { madeOnce } from './secrets.ts'
import type { StackSettings } from './settings.ts'
import { applyService, applySet, claimVolume, emptyVolume, podTemplate, workloadWords } from './workload.ts'

const port = 7687
/** Of the image. */
const user = 7474
/** Both, and what the program needs besides, must fit the limit of memory. */
const [heap, pageCache] = ['512m', '256m']

export const graphClaim = ({ neo4j }: StackNames): string => `${neo4j}-data`

export interface Graph {
  readonly troubles: readonly string[]
  /** Without a routing table: the server would send its pod’s name. */
  readonly url: string
  readonly password: string
}

export async function neo4jOf({ objects, settings, wanted, newPassword }: PartInput): Promise<Graph> {
  const { names } = objects
  const fields = () => {
    const password = newPassword()
    return { data: { password, auth: `neo4j/${password}` } }
  }
  // Neo4j reads it at the first start of an empty claim alone.
  const secret = await madeOnce(objects, names.neo4j, { claim: graphClaim(names), fields })
  const size = await claimWords(objects, settings, wanted)
  await applyService(objects, names.neo4j, 'neo4j', port)
  const set = await applySet(objects, names.neo4j, 'neo4j', template(objects, settings))
  const troubles = [await workloadWords(objects, set, 'neo4j'), size].filter((words) => words !== '')
  const password = secretText(secret, 'password') ?? ''
  return { troubles, url: `bolt://${names.neo4j}.${names.namespace}.svc:${port}`, password }
}

function claimWords(objects: StackObjects, { storageClass }: StackSettings, wanted: StackWanted): Promise<string> {
  return ensureClaim(objects, { name: graphClaim(objects.names), size: wanted.neo4jStorage, storageClass })
}

function template(objects: StackObjects, settings: StackSettings): object {
  const { neo4j } = objects.names
  const ask = { tcpSocket: { port: 'main' }, timeoutSeconds: 5 }
  return podTemplate(objects, settings, {
    // It writes its memory down at the end.
    ...{ part: 'neo4j', user, graceSeconds: 300 },
    container: {
      ...{ image: settings.neo4jImage, port, writesIntoImage: true },
      env: {
        NEO4J_AUTH: { secret: neo4j, key: 'auth' },
        NEO4J_server_memory_heap_initial__size: heap,
        NEO4J_server_memory_heap_max__size: heap,
        NEO4J_server_memory_pagecache_size: pageCache,
        // The log of transactions lies in the same claim.
        NEO4J_db_tx__log_rotation_retention__policy: '1 days',
      },
      probes: {
        startupProbe: { ...ask, periodSeconds: 5, failureThreshold: 120 },
        readinessProbe: { ...ask, periodSeconds: 5 },
        livenessProbe: { ...ask, periodSeconds: 10, failureThreshold: 20 },
      },
      mounts: { data: '/data', logs: '/logs', tmp: '/tmp' },
    },
    volumes: [claimVolume('data', graphClaim(objects.names)), emptyVolume('logs'), emptyVolume('tmp')],
  })
}
