/**
 * Makes the objects of a probe, waits until each of its pods has reported or cannot, and removes all of it.
 * 1. Whatever happens, `removeProbe` deletes every object by its name: also one whose creation was never answered.
 * 2. A wait is bounded by its limit and by its signal.
 */
import { sleep, type Clock } from '../../../runtime/clock.ts'
import { answered, KubeError } from '../api/answers.ts'
import { pathOf, type KubeClient, type KubeObject, type KubeResource } from '../api/api.ts'
import {
  clientPod,
  ownedObjects,
  partLabel,
  probeJob,
  probeNames,
  probeSelector,
  type ProbeObject,
  type ProbeOptions,
  type ProbePart,
} from './doctor-objects.ts'
import { isDeleting } from '../api/marks.ts'
import { claimsResource, podsResource } from '../pods/pod-requests.ts'
import { podState } from '../pods/pod-state.ts'

type Client = Pick<KubeClient, 'ask'>

export interface ProbeDeps {
  readonly client: Client
  readonly clock: Clock
  /** Ends the wait. */
  readonly signal: AbortSignal
  readonly limitMs: number
  /** What is waited for, whenever that changes. */
  readonly onProgress: (text: string) => void
}

export interface ProbeSeen {
  readonly pods: Readonly<Partial<Record<ProbePart, KubeObject>>>
  readonly claim?: KubeObject
  /** By name of an object that was not made: the server's words. */
  readonly refused: Readonly<Record<string, string>>
  /** By uid, of the objects that are not well: the words of the newest warning. */
  readonly warnings: Readonly<Record<string, string>>
  readonly jobUid?: string
  /** False: the server has refused the Job, or nobody asked for it. */
  readonly mayBeMade: boolean
  readonly waitedMs: number
  readonly isInterrupted: boolean
}

const pollMs = 500
/** What somebody may mend within a moment, such as a registry that is away, is waited for so long. */
const troubleMs = 10_000
const strict = { fieldValidation: 'Strict' }

export async function runProbe(options: ProbeOptions, deps: ProbeDeps): Promise<ProbeSeen> {
  return new Probe(options, deps).run()
}

class Probe {
  readonly #options: ProbeOptions
  readonly #deps: ProbeDeps
  readonly #refused: Record<string, string> = {}
  readonly #troubledAt = new Map<string, number>()
  readonly #began: number
  #pods: Partial<Record<ProbePart, KubeObject>> = {}
  #claim: KubeObject | undefined
  #jobUid: string | undefined
  #hasClient = false
  #mayBeMade = false

  constructor(options: ProbeOptions, deps: ProbeDeps) {
    this.#options = options
    this.#deps = deps
    this.#began = deps.clock.elapsed()
  }

  async run(): Promise<ProbeSeen> {
    const { signal } = this.#deps
    if (!signal.aborted) this.#jobUid = (await this.#make(probeJob(this.#options)))?.metadata.uid
    if (this.#jobUid !== undefined)
      for (const object of ownedObjects(this.#options, this.#jobUid)) if (!signal.aborted) await this.#make(object)
    let last = ''
    while (this.#jobUid !== undefined && !signal.aborted && this.#waitedMs() < this.#deps.limitMs) {
      await this.#look()
      const open = this.#open()
      if (open.length === 0) break
      const text = open.join(', ')
      if (text !== last) this.#deps.onProgress(text)
      last = text
      await sleep(this.#deps.clock, pollMs, signal)
    }
    const claim = this.#claim
    return {
      ...{ pods: this.#pods, refused: this.#refused, waitedMs: this.#waitedMs(), isInterrupted: signal.aborted },
      mayBeMade: this.#mayBeMade,
      ...(claim === undefined ? {} : { claim }),
      ...(this.#jobUid === undefined ? {} : { jobUid: this.#jobUid }),
      warnings: signal.aborted ? {} : await this.#warnings(),
    }
  }

  #waitedMs(): number {
    return this.#deps.clock.elapsed() - this.#began
  }

  /** Undefined: it was refused. */
  async #make({ resource, name, body }: ProbeObject): Promise<KubeObject | undefined> {
    const path = pathOf(resource, { namespace: this.#options.namespace })
    try {
      const made = await this.#deps.client.ask('POST', path, { body, query: strict })
      this.#mayBeMade = true
      return made
    } catch (error) {
      const isAnswered = error instanceof KubeError && error.code >= 400 && error.code < 500
      this.#mayBeMade ||= !isAnswered
      if (!(error instanceof KubeError)) throw error
      this.#refused[`${resource.plural}/${name}`] = error.message
      return undefined
    }
  }

  /** A server that does not answer for a moment is asked again. */
  async #look(): Promise<void> {
    const { client } = this.#deps
    const { namespace, name } = this.#options
    try {
      const labelSelector = probeSelector(name)
      const list = await client.ask<List>('GET', pathOf(podsResource, { namespace }), { query: { labelSelector } })
      this.#pods = Object.fromEntries(list.items.map((pod) => [pod.metadata.labels?.[partLabel] ?? '', pod]))
      this.#claim = await find(client, claimsResource, { namespace, name: probeNames(name).claim })
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
    }
    await this.#startClient()
  }

  async #startClient(): Promise<void> {
    const { server } = this.#pods
    const state = server === undefined ? undefined : podState(server)
    if (this.#hasClient || state?.is !== 'ready' || this.#jobUid === undefined) return
    this.#hasClient = true
    const { podIP = '' } = (server?.status ?? {}) as { readonly podIP?: string }
    await this.#make(clientPod(this.#options, this.#jobUid, podIP))
  }

  /** What has not come to an end, for people. */
  #open(): readonly string[] {
    const names = probeNames(this.#options.name)
    const network: ProbePart = this.#hasClient ? 'client' : 'server'
    const parts: readonly ProbePart[] = ['walls', 'workspace', network]
    return parts.flatMap((part) => {
      const pod = this.#pods[part]
      if (part !== 'walls' && this.#refused[`pods/${names[part]}`] !== undefined) return []
      if (part === 'walls' && pod === undefined && this.#waitedMs() > troubleMs) return []
      return pod === undefined ? [`${part}: no pod yet`] : this.#openOf(part, pod)
    })
  }

  #openOf(part: ProbePart, pod: KubeObject): readonly string[] {
    const state = podState(pod)
    if (state.is === 'ended' || (part === 'server' && state.is === 'ready')) return []
    if (state.is !== 'waiting') return [`${part}: ${phaseOf(pod)}`]
    const elapsed = this.#deps.clock.elapsed()
    const since = this.#troubledAt.get(part) ?? elapsed
    this.#troubledAt.set(part, since)
    return elapsed - since < Math.min(troubleMs, state.patienceMs) ? [`${part}: ${state.reason}`] : []
  }

  async #warnings(): Promise<Readonly<Record<string, string>>> {
    const objects = [...Object.values(this.#pods), ...(this.#claim === undefined ? [] : [this.#claim])]
    const uids = [...objects.map(({ metadata }) => metadata.uid), ...(this.#jobUid === undefined ? [] : [this.#jobUid])]
    const words = await Promise.all(uids.map((uid) => newestWarning(this.#deps.client, this.#options.namespace, uid)))
    return Object.fromEntries(uids.map((uid, index) => [uid, words[index] ?? '']).filter(([, text]) => text !== ''))
  }
}

interface List {
  readonly items: readonly KubeObject[]
}

interface HappenedEvent {
  readonly type?: string
  readonly reason?: string
  readonly message?: string
  readonly lastTimestamp?: string | null
  readonly metadata: { readonly creationTimestamp: string }
}

/** Words for people: where they cannot be read, there are none. */
async function newestWarning(client: Client, namespace: string, uid: string): Promise<string> {
  const query = { fieldSelector: `involvedObject.uid=${uid}` }
  const events = { apiVersion: 'v1', plural: 'events' }
  const timeOf = ({ lastTimestamp, metadata }: HappenedEvent): number =>
    Date.parse(lastTimestamp ?? metadata.creationTimestamp)
  try {
    const path = pathOf(events, { namespace })
    const { items } = await client.ask<{ readonly items: readonly HappenedEvent[] }>('GET', path, { query })
    // A class that waits for its first consumer says so by a normal one.
    const loud = items.filter(({ type, reason }) => type === 'Warning' || reason === 'WaitForFirstConsumer')
    const [newest] = loud.toSorted((one, other) => timeOf(other) - timeOf(one))
    return newest === undefined ? '' : `${newest.reason}: ${newest.message}`
  } catch (error) {
    if (error instanceof KubeError) return ''
    throw error
  }
}

function phaseOf({ status }: KubeObject): string {
  const { phase = 'Pending', containerStatuses = [] } = (status ?? {}) as {
    readonly phase?: string
    readonly containerStatuses?: readonly { readonly state?: { readonly waiting?: { readonly reason?: string } } }[]
  }
  return containerStatuses[0]?.state?.waiting?.reason ?? phase
}

async function find(
  client: Client,
  resource: KubeResource,
  where: { readonly namespace: string; readonly name: string },
): Promise<KubeObject | undefined> {
  return client.ask<KubeObject>('GET', pathOf(resource, where)).catch((error: unknown) => {
    if (answered(error, 404)) return undefined
    throw error
  })
}

const deletion = {
  kind: 'DeleteOptions',
  apiVersion: 'v1',
  propagationPolicy: 'Background',
  gracePeriodSeconds: 1,
} as const

/** Resolves with what is still there after the limit, as `pods/NAME`; empty: nothing is. */
export async function removeProbe(
  options: ProbeOptions,
  { client, clock, limitMs }: Pick<ProbeDeps, 'client' | 'clock' | 'limitMs'>,
): Promise<readonly string[]> {
  const { namespace } = options
  const known = [probeJob(options), ...ownedObjects(options, ''), clientPod(options, '', '')]
  const began = clock.elapsed()
  const failed = new Map<string, string>()
  for (;;) {
    const left = await leftOf(client, options, known).catch((error: unknown) => {
      if (!(error instanceof KubeError)) throw error
      return known.map(({ resource, name }) => ({ resource, name, isDeleting: false, why: error.message }))
    })
    const gone = clock.elapsed() - began >= limitMs
    if (left.length === 0 || gone)
      return left.map(({ resource, name }) => {
        const why = failed.get(`${resource.plural}/${name}`)
        return `${resource.plural}/${name}${why === undefined ? '' : ` (${why})`}`
      })
    for (const { resource, name, isDeleting: is } of left) {
      if (is) continue
      await client.ask('DELETE', pathOf(resource, { namespace, name }), { body: deletion }).catch((error: unknown) => {
        if (!(error instanceof KubeError)) throw error
        if (error.code !== 404) failed.set(`${resource.plural}/${name}`, error.message)
      })
    }
    await sleep(clock, pollMs)
  }
}

interface Left {
  readonly resource: KubeResource
  readonly name: string
  readonly isDeleting: boolean
}

/** The Job's own pod has a name of the server's. What may not be read was not made either. */
async function leftOf(
  client: Client,
  { namespace, name }: ProbeOptions,
  known: readonly ProbeObject[],
): Promise<Left[]> {
  const labelSelector = probeSelector(name)
  const { items } = await client.ask<List>('GET', pathOf(podsResource, { namespace }), { query: { labelSelector } })
  const pods = items.map((pod) => leftAt(podsResource, pod))
  const others = known.filter(({ resource }) => resource.plural !== podsResource.plural)
  const found = await Promise.all(
    others.map(async ({ resource, name: own }) => {
      const object = await find(client, resource, { namespace, name: own }).catch((error: unknown) => {
        if (answered(error, 403)) return undefined
        throw error
      })
      return object === undefined ? [] : [leftAt(resource, object)]
    }),
  )
  return [...found.flat(), ...pods]
}

function leftAt(resource: KubeResource, object: KubeObject): Left {
  return { resource, name: object.metadata.name, isDeleting: isDeleting(object) }
}
