/**
 * PostgreSQL by CloudNativePG: a Cluster and its Databases. Nothing owns the Cluster, since its claims go with it.
 * 1. Growth is written into the Cluster and into each smaller claim: the operator of a full volume does not look at claims.
 * 2. Sizes never shrink. The size that is there stays, and is told.
 * 3. `Ready` is about a moment: whole is a Cluster whose instances are all ready, as many as wanted, with volumes as wanted.
 */
import type { StackWanted } from '../../../machines/memory-stack/events.ts'
import type { KubeObject } from '../api/api.ts'
import { growClaim, isSmaller, shrinkWords } from './claims.ts'
import { secretText, type StackObjects } from './objects.ts'
import type { PartInput, Postgres } from './parts.ts'
import { resourcesOf, type StackSettings } from './settings.ts'

export const clusterLabel = 'cnpg.io/cluster'
export const hibernation = 'cnpg.io/hibernation'
export const roleLabel = 'cnpg.io/pvcRole'
const apiGroup = 'postgresql.cnpg.io'
/** Database and owner. */
const memory = 'memory'
/** Database, owner and role. */
const lightrag = 'lightrag'
/** A lone instance blocks every drain of its node by its budget. */
const leastForBudget = 2
/** With two, a lost standby would stop every write. */
const leastForSynchronous = 3

/** By which the service tells how full the volume of the log is. Read at the first start alone, as all of `bootstrap`. */
const postInitApplicationSQL: readonly string[] = [`grant execute on function pg_ls_waldir() to ${memory}`]

interface Sizes {
  readonly storage: string
  readonly walStorage: string
}

export async function postgresCluster(input: PartInput): Promise<Postgres> {
  const { objects, wanted } = input
  const { names } = objects
  const known = await objects.own('Cluster', names.cluster)
  const { sizes, shrinks } = keptSizes(objects, wanted, known)
  const grown = await growClaims(objects, sizes)
  const applied = await objects.apply('Cluster', names.cluster, {
    annotations: { [hibernation]: 'off' },
    spec: clusterSpec(input, sizes),
  })
  const wantedDatabases = wanted.profile === 'full' ? [memory, lightrag] : [memory]
  const databases = new Map<string, string>()
  for (const name of wantedDatabases) databases.set(name, await databaseWords(objects, name))
  const app = await objects.find('Secret', `${names.cluster}-app`)
  const uri = secretText(app, 'uri')
  const identity = { ca: { name: `${names.cluster}-ca`, key: 'ca.crt' } }
  const host = `${names.cluster}-rw.${names.namespace}`
  const words = [clusterWords(objects, applied.object, applied.isNew), ...databases.values(), ...grown, ...shrinks]
  return {
    troubles: words.filter((each) => each !== ''),
    ...(uri !== undefined && databases.get(memory) === '' ? { memory: { url: uri, ...identity } } : {}),
    ...(databases.get(lightrag) === '' ? { lightrag: { host, before: [], ...identity } } : {}),
  }
}

interface ClusterSpec {
  readonly instances?: number
  readonly storage?: { readonly size?: string }
  readonly walStorage?: { readonly size?: string }
}

function keptSizes(
  objects: StackObjects,
  wanted: StackWanted,
  known?: KubeObject,
): { sizes: Sizes; shrinks: string[] } {
  const { storage, walStorage }: ClusterSpec = known?.spec ?? {}
  const has = { storage: storage?.size ?? wanted.pgStorage, walStorage: walStorage?.size ?? wanted.pgWalStorage }
  const title = objects.title('Cluster', objects.names.cluster)
  const kept = (what: string, from: string, to: string): readonly [string, string] =>
    isSmaller(to, from) ? [from, shrinkWords(`${what} of ${title}`, from, to)] : [to, '']
  const [data, wal] = [
    kept('pgStorage', has.storage, wanted.pgStorage),
    kept('pgWalStorage', has.walStorage, wanted.pgWalStorage),
  ]
  return { sizes: { storage: data[0], walStorage: wal[0] }, shrinks: [data[1], wal[1]] }
}

async function growClaims(objects: StackObjects, { storage, walStorage }: Sizes): Promise<readonly string[]> {
  const claims = await objects.list('PersistentVolumeClaim', { [clusterLabel]: objects.names.cluster })
  const words: string[] = []
  for (const claim of claims) {
    const role = claim.metadata.labels?.[roleLabel]
    if (role === 'PG_DATA') words.push(await growClaim(objects, claim, storage))
    if (role === 'PG_WAL') words.push(await growClaim(objects, claim, walStorage))
  }
  return words
}

function clusterSpec({ objects, settings, wanted }: PartInput, sizes: Sizes): object {
  const { labels, lightrag: secret } = objects.names
  const { pgInstances: instances, profile } = wanted
  const { storageClass } = settings
  const volume = (size: string): object => ({ size, ...(storageClass === undefined ? {} : { storageClass }) })
  const { image, extensions } = imageOf(settings)
  const role = { name: lightrag, ensure: 'present', login: true, passwordSecret: { name: secret } }
  return {
    ...{ instances, enablePDB: instances >= leastForBudget, ...image },
    bootstrap: { initdb: { database: memory, owner: memory, dataChecksums: true, postInitApplicationSQL } },
    ...{ storage: volume(sizes.storage), walStorage: volume(sizes.walStorage) },
    postgresql: {
      ...extensions,
      parameters: { wal_level: 'replica' },
      ...(instances >= leastForSynchronous ? { synchronous: { method: 'any', number: 1 } } : {}),
    },
    resources: resourcesOf(settings, 'postgres'),
    inheritedMetadata: { labels },
    ...(profile === 'full' ? { managed: { roles: [role] } } : {}),
  }
}

const usualCatalog: NonNullable<StackSettings['cloudNativePg']> = {
  kind: 'ClusterImageCatalog',
  name: 'postgresql-minimal-trixie',
  major: 18,
}

/** The catalog calls the extension `pgvector`, SQL calls it `vector`. */
function imageOf({ cloudNativePg = usualCatalog }: StackSettings): { image: object; extensions: object } {
  if ('image' in cloudNativePg) return { image: { imageName: cloudNativePg.image }, extensions: {} }
  return {
    image: { imageCatalogRef: { apiGroup, ...cloudNativePg } },
    extensions: { extensions: [{ name: 'pgvector' }] },
  }
}

interface ClusterStatus {
  readonly phase?: string
  readonly phaseReason?: string
  readonly currentPrimary?: string
  readonly readyInstances?: number
  readonly conditions?: readonly { readonly type: string; readonly status: string }[]
}

/** Empty: it is whole. Its phase is prose: whatever it says is shown. */
function clusterWords(objects: StackObjects, { metadata, spec, status }: KubeObject, isNew: boolean): string {
  const {
    phase = '',
    phaseReason = '',
    currentPrimary = '',
    readyInstances = 0,
    conditions = [],
  }: ClusterStatus = status ?? {}
  const { instances = 1 }: ClusterSpec = spec ?? {}
  const isTrue = (wanted: string): boolean =>
    conditions.some(({ type, status: is }) => type === wanted && is === 'True')
  const isWhole = isTrue('Ready') && currentPrimary !== '' && readyInstances === instances && !isTrue(hibernation)
  // `Ready` of before a change is True for a moment: nothing in the status says which spec it is about.
  if (isWhole && !isNew) return ''
  const title = objects.title('Cluster', metadata.name)
  if (phase === '') return `${title}: CloudNativePG has not taken it up yet`
  const reason = phaseReason === '' ? '' : `: ${phaseReason}`
  return `${title}: ${phase}${reason}; ${readyInstances} of ${instances} instances are ready`
}

interface DatabaseStatus {
  readonly applied?: boolean
  readonly message?: string
  readonly observedGeneration?: number
  readonly extensions?: readonly { readonly name: string; readonly applied?: boolean; readonly message?: string }[]
}

/** Only the operator may make the extension. Empty: it did. */
async function databaseWords(objects: StackObjects, name: string): Promise<string> {
  const { cluster } = objects.names
  const spec = { cluster: { name: cluster }, name, owner: name, extensions: [{ name: 'vector' }] }
  const { object } = await objects.apply('Database', `${cluster}-${name}`, { spec })
  const { applied = false, message = '', observedGeneration, extensions = [] }: DatabaseStatus = object.status ?? {}
  const failed = extensions.find((extension) => extension.applied === false)
  const isApplied = applied && observedGeneration === object.metadata.generation && failed === undefined
  if (isApplied) return ''
  const words = failed?.message ?? message
  return `${objects.title('Database', `${cluster}-${name}`)} is not applied yet${words === '' ? '' : `: ${words}`}`
}
