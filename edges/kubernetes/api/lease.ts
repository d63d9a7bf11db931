import type { Logger } from '../../../http/operational/logging.ts'
import { isWithin, momentOf, sleep, type Clock, type Moment, type Timer } from '../../../runtime/clock.ts'
import { unwatched, watchLoop } from '../../../runtime/loop.ts'
import type { Random } from '../../../runtime/random.ts'
import { answered, KubeError } from './answers.ts'
import { pathOf, type KubeClient, type KubeObject, type Method } from './api.ts'

interface ElectionOptions {
  readonly client: KubeClient
  /** Where the Lease is: the orchestrator's own namespace. */
  readonly namespace: string
  /** Readable, and of this process alone: a pod's name with something that no earlier process of it had. */
  readonly identity: string
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** It leads from now on. */
  onLeading(): void
  /** It leads no more. A stop awaits it before it releases the Lease. */
  onLost(): void | Promise<void>
}

interface Election {
  start(): void
  /** Steps down, then releases the Lease. Final. */
  stop(): Promise<void>
  isLeading(): boolean
  /** Whose name the Lease had when it was seen last; undefined: nobody's. */
  holder(): string | undefined
}

export const leaseName = 'statewright-orchestrator'
const leaseMs = 15_000
const renewMs = 5_000
/** Who could not renew for so long leads no more; another may take the Lease 5 s later at the earliest. */
const deadlineMs = 10_000
/** A request is given up, and asked again, so early that another try fits before the deadline. */
const askMs = 3_000
const retryMs = 1_000

interface LeaseSpec {
  readonly holderIdentity?: string | null
  readonly leaseDurationSeconds?: number | null
  readonly leaseTransitions?: number | null
  readonly acquireTime?: string | null
  readonly renewTime?: string | null
}

interface Observed {
  readonly lease: KubeObject
  /** By `elapsed`: nobody has changed it since. */
  readonly since: number
}

/**
 * 1. A Lease of another is taken when it has not changed for its duration by this process's own clock: no two clocks are
 *    compared, and a jump of the time of day takes nothing away.
 * 2. Every write is fenced by the version that was read, so of several who try one wins.
 * 3. A renewal counts from before it was asked for. Without one for 10 s this process leads no more, though a request is
 *    still under way.
 */
export function createElection(options: ElectionOptions): Election {
  return new LeaseElection(options)
}

class LeaseElection implements Election {
  readonly #options: ElectionOptions
  readonly #collection: string
  readonly #path: string
  readonly #stopping = new AbortController()
  #observed: Observed | undefined
  #renewedAt: Moment | undefined
  #deadline: Timer | undefined
  /** `onLeading` was called, and `onLost` not since. */
  #leads = false
  #lost: Promise<void> = Promise.resolve()
  #running: Promise<void> | undefined
  #watch = unwatched

  constructor(options: ElectionOptions) {
    this.#options = options
    const resource = { apiVersion: 'coordination.k8s.io/v1', plural: 'leases' }
    this.#collection = pathOf(resource, { namespace: options.namespace })
    this.#path = pathOf(resource, { namespace: options.namespace, name: leaseName })
  }

  start(): void {
    if (this.#running !== undefined) return
    this.#watch = watchLoop(this.#options.clock, { name: 'leader-lease', everyMs: renewMs })
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#watch.close()
    await this.#running
    const hadIt = this.#leads
    this.#stepDown('it stops')
    await this.#lost
    if (hadIt) await this.#release()
  }

  isLeading(): boolean {
    return this.#leads && isWithin(this.#options.clock, this.#renewedAt!, deadlineMs)
  }

  holder(): string | undefined {
    const name = specOf(this.#observed?.lease).holderIdentity ?? ''
    return name === '' ? undefined : name
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { clock, random, logger } = this.#options
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const failure = await this.#watch
        .turn(() => this.#campaign())
        .then(
          () => undefined,
          (error: unknown) => ({ error }),
        )
      if (signal.aborted) return
      const isRace = answered(failure?.error, 409)
      if (failure !== undefined && !isRace)
        logger.warn({ err: failure.error, lease: leaseName }, 'the Lease could not be read or written')
      // Several that wait for one Lease ask apart.
      const apart = 0.5 + random() / 2
      await sleep(
        clock,
        failure === undefined ? (this.isLeading() ? renewMs : renewMs * apart) : retryMs * apart,
        signal,
      )
    }
  }

  /** Renews the Lease, takes it, or sees that another has it. */
  async #campaign(): Promise<void> {
    const { clock, identity } = this.#options
    const askedAt = momentOf(clock)
    const signal = this.#stopping.signal
    // Whoever leads wrote the newest version itself.
    const lease = this.isLeading() ? this.#observed?.lease : await this.#read(signal)
    if (this.#leads && this.holder() !== identity) this.#stepDown('another has it')
    if (lease !== undefined && !this.#mayTake()) return
    try {
      const written = await this.#write(lease, this.#specBy(lease), signal)
      this.#observe(written)
      this.#renewed(askedAt)
    } catch (error) {
      // An answer that was lost may have been a success: the Lease is read before it is given up.
      if (this.#leads && error instanceof KubeError && [404, 409].includes(error.code)) await this.#confirm(signal)
      throw error
    }
  }

  async #confirm(signal: AbortSignal): Promise<void> {
    await this.#read(signal)
    if (this.holder() !== this.#options.identity) this.#stepDown('another has it')
  }

  #mayTake(): boolean {
    const { clock, identity } = this.#options
    const holder = this.holder()
    if (holder === undefined || holder === identity) return true
    const { leaseDurationSeconds } = specOf(this.#observed?.lease)
    return clock.elapsed() - this.#observed!.since >= (leaseDurationSeconds ?? leaseMs / 1_000) * 1_000
  }

  async #read(signal: AbortSignal): Promise<KubeObject | undefined> {
    try {
      const lease = await this.#ask('GET', this.#path, undefined, signal)
      this.#observe(lease)
      return lease
    } catch (error) {
      if (!answered(error, 404)) throw error
      this.#observed = undefined
      return undefined
    }
  }

  #observe(lease: KubeObject): void {
    const { resourceVersion } = lease.metadata
    if (this.#observed?.lease.metadata.resourceVersion === resourceVersion) return
    this.#observed = { lease, since: this.#options.clock.elapsed() }
  }

  #specBy(lease: KubeObject | undefined): LeaseSpec {
    const { clock, identity } = this.#options
    const before = specOf(lease)
    const now = microTime(clock.now())
    const isSame = before.holderIdentity === identity
    return {
      holderIdentity: identity,
      leaseDurationSeconds: leaseMs / 1_000,
      acquireTime: isSame ? (before.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: (before.leaseTransitions ?? 0) + (isSame || lease === undefined ? 0 : 1),
    }
  }

  #write(lease: KubeObject | undefined, spec: LeaseSpec, signal: AbortSignal): Promise<KubeObject> {
    const { apiVersion, kind } = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' }
    if (lease === undefined)
      return this.#ask('POST', this.#collection, { apiVersion, kind, metadata: { name: leaseName }, spec }, signal)
    return this.#ask('PUT', this.#path, { apiVersion, kind, metadata: lease.metadata, spec }, signal)
  }

  async #ask(method: Method, path: string, body: unknown, signal: AbortSignal): Promise<KubeObject> {
    const { client, clock } = this.#options
    const late = new AbortController()
    const timer = clock.setTimer(askMs, () => late.abort())
    try {
      return await client.ask(method, path, {
        ...(body === undefined ? {} : { body }),
        signal: AbortSignal.any([signal, late.signal]),
      })
    } finally {
      timer.cancel()
    }
  }

  #renewed(askedAt: Moment): void {
    const { clock, logger, identity } = this.#options
    this.#renewedAt = askedAt
    if (!isWithin(clock, askedAt, deadlineMs)) return
    this.#deadline?.cancel()
    const rest = deadlineMs - (clock.elapsed() - askedAt.elapsed)
    this.#deadline = clock.setTimer(rest, () => this.#stepDown('it could not be renewed'))
    if (this.#leads) return
    this.#leads = true
    logger.info({ lease: leaseName, identity }, 'this orchestrator leads')
    this.#call(() => this.#options.onLeading())
  }

  #stepDown(reason: string): void {
    this.#deadline?.cancel()
    if (!this.#leads) return
    this.#leads = false
    this.#options.logger.warn({ lease: leaseName, reason }, 'this orchestrator leads no more')
    this.#lost = this.#call(() => this.#options.onLost())
  }

  /** Begins at once. Never rejects. */
  async #call(hook: () => void | Promise<void>): Promise<void> {
    try {
      await hook()
    } catch (error) {
      this.#options.logger.error({ err: error, lease: leaseName }, 'a change of who leads was not taken')
    }
  }

  /** So that another need not wait until it expires. A renewal that the stop cut off may have changed its version. */
  async #release(): Promise<void> {
    const { identity, logger } = this.#options
    const { signal } = new AbortController()
    try {
      const lease = await this.#read(signal)
      if (lease === undefined || this.holder() !== identity) return
      this.#observe(await this.#write(lease, { ...specOf(lease), holderIdentity: '', leaseDurationSeconds: 1 }, signal))
    } catch (error) {
      logger.warn({ err: error, lease: leaseName }, 'the Lease was not released: it expires')
    }
  }
}

function specOf(lease: KubeObject | undefined): LeaseSpec {
  return lease?.spec ?? {}
}

/** With six fraction digits: the server refuses three. */
function microTime(now: number): string {
  return new Date(now).toISOString().replace('Z', '000Z')
}
