import type { Logger } from '../../../http/operational/logging.ts'
import { backoffMs } from '../../../runtime/backoff.ts'
import { sleep, type Clock, type Timer } from '../../../runtime/clock.ts'
import { unwatched, watchLoop } from '../../../runtime/loop.ts'
import type { Random } from '../../../runtime/random.ts'
import { errorOf, KubeError } from './answers.ts'
import { nameOf, type KubeClient, type KubeObject, type Question, type WatchEvent } from './api.ts'

interface ReflectorOptions {
  readonly client: KubeClient
  /** Of a collection, as `pathOf` builds it. */
  readonly path: string
  readonly labelSelector?: string | undefined
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** The whole collection at a version: what it lacks is gone. */
  replaced(objects: readonly KubeObject[], version: string): void
  changed(object: KubeObject): void
  gone(object: KubeObject): void
  /** Every change up to this version was given. */
  reached(version: string): void
}

export interface Reflector {
  /** Resolves after the first whole list, or once stopped. */
  start(): Promise<void>
  /** Final: resolves once nothing is under way, and nothing is given any more. */
  stop(): Promise<void>
}

/** Bookmarks come each minute, so a watch without a word for so long has a dead socket. */
const silenceMs = 150_000
/**
 * A watch without a word for longer than bookmarks take is followed by a list: after its store was restored from a backup
 * a server has nothing to give from a version that it has not reached again, and answers by silence.
 */
const bookmarkMs = 75_000
/** A connection that lived so long ended in the ordinary way, so the next one is due soon. */
const healthyMs = 10_000
const retryBounds = { firstMs: 200, longestMs: 10_000 }
/** Between two tries of what the server refuses: somebody has to give the right, or the definition. */
const refusedMs = 30_000
const pageLimit = 500

interface ListAnswer {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string }
  readonly apiVersion: string
  readonly kind: string
  readonly items?: readonly KubeObject[] | null
}

/**
 * Gives a collection and every change of it, through restarts of the server.
 * 1. It follows from the version it has reached; where the server no longer has that (410), it lists again.
 * 2. A list comes as a stream where the server can do so (`sendInitialEvents`), else in pages.
 * 3. After `stop` it gives nothing, whatever was under way.
 */
export function createReflector(options: ReflectorOptions): Reflector {
  return new ListWatch(options)
}

class ListWatch implements Reflector {
  readonly #options: ReflectorOptions
  readonly #stopping = new AbortController()
  readonly #listed = Promise.withResolvers<void>()
  /** Undefined: it lists first. */
  #version: string | undefined
  #canStream = true
  #failures = 0
  #heardAt: number
  #running: Promise<void> | undefined
  #watch = unwatched

  constructor(options: ReflectorOptions) {
    this.#options = options
    this.#heardAt = options.clock.elapsed()
  }

  start(): Promise<void> {
    if (this.#running === undefined) {
      const { clock, path } = this.#options
      this.#watch = watchLoop(clock, { name: `watch-${path.slice(path.lastIndexOf('/') + 1)}`, everyMs: bookmarkMs })
      this.#running = this.#run()
    }
    return this.#listed.promise
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#watch.close()
    this.#listed.resolve()
    await this.#running
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { clock } = this.#options
    while (!this.#isStopped) {
      const begunAt = clock.elapsed()
      let failure: unknown
      try {
        if (this.#version === undefined && !this.#canStream) await this.#listInPages()
        if (!this.#isStopped) await this.#follow()
      } catch (error) {
        failure = error
      }
      if (this.#isStopped) return
      const livedMs = clock.elapsed() - begunAt
      this.#failures = livedMs >= healthyMs ? 1 : this.#failures + 1
      if (livedMs >= bookmarkMs && this.#heardAt <= begunAt) this.#version = undefined
      await sleep(clock, this.#pauseAfter(failure), this.#stopping.signal)
    }
  }

  /** One watch, until it ends, fails or is silent for too long. */
  async #follow(): Promise<void> {
    const { client, path } = this.#options
    const ending = new AbortController()
    const signal = AbortSignal.any([this.#stopping.signal, ending.signal])
    const initial = this.#version === undefined ? new Map<string, KubeObject>() : undefined
    const endGuard = this.#guardSilence(ending)
    try {
      for await (const event of client.watch(path, { query: this.#watchQuery(), signal })) {
        if (this.#isStopped) return
        this.#hear()
        if (event.type === 'ERROR') throw errorOf(event.object.code ?? 500, event.object)
        if (initial !== undefined && this.#version === undefined) this.#collect(initial, event)
        else this.#give(event)
      }
    } catch (error) {
      if (this.#version === undefined && cannotStream(error)) this.#canStream = false
      throw error
    } finally {
      endGuard()
    }
    // A server that knows no streamed list ends it like any other watch.
    if (this.#version === undefined) this.#canStream = false
  }

  #watchQuery(): Record<string, string | boolean> {
    const selected = this.#selectQuery()
    if (this.#version !== undefined) return { ...selected, allowWatchBookmarks: true, resourceVersion: this.#version }
    return { ...selected, allowWatchBookmarks: true, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }
  }

  #selectQuery(): Record<string, string> {
    const { labelSelector } = this.#options
    return labelSelector === undefined ? {} : { labelSelector }
  }

  #collect(initial: Map<string, KubeObject>, { type, object }: WatchEvent): void {
    if (type === 'BOOKMARK') {
      if (object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true')
        this.#replace([...initial.values()], object.metadata.resourceVersion)
    } else if (type === 'DELETED') initial.delete(nameOf(object))
    else initial.set(nameOf(object), slim(object))
  }

  #give({ type, object }: WatchEvent): void {
    this.#version = object.metadata.resourceVersion
    if (type === 'DELETED') this.#options.gone(slim(object))
    else if (type !== 'BOOKMARK') this.#options.changed(slim(object))
    this.#options.reached(this.#version)
  }

  #replace(objects: readonly KubeObject[], version: string): void {
    this.#version = version
    this.#options.replaced(objects, version)
    this.#listed.resolve()
  }

  async #listInPages(): Promise<void> {
    const { client, path } = this.#options
    const objects: KubeObject[] = []
    const { signal } = this.#stopping
    let at: string | undefined = ''
    while (at !== undefined) {
      const query: Question['query'] = {
        ...this.#selectQuery(),
        limit: pageLimit,
        ...(at === '' ? {} : { continue: at }),
      }
      const page: ListAnswer = await client.ask<ListAnswer>('GET', path, { query, signal })
      const { metadata, apiVersion, kind, items } = page
      if (this.#isStopped) return
      this.#hear()
      // Items of a list of the server's own kinds name neither.
      const itemKind = kind.replace(/List$/, '')
      objects.push(...(items ?? []).map((item) => slim({ ...item, apiVersion, kind: itemKind })))
      at = metadata.continue === '' ? undefined : metadata.continue
      if (at === undefined) this.#replace(objects, metadata.resourceVersion)
    }
  }

  #hear(): void {
    this.#heardAt = this.#options.clock.elapsed()
    this.#watch.turned()
  }

  #guardSilence(ending: AbortController): () => void {
    const { clock, logger, path } = this.#options
    let timer: Timer
    const begunAt = clock.elapsed()
    const check = (): void => {
      const rest = Math.max(this.#heardAt, begunAt) + silenceMs - clock.elapsed()
      if (rest > 0) timer = clock.setTimer(rest, check)
      else {
        logger.warn({ path, silenceMs }, 'a watch was silent for too long and is begun again')
        ending.abort()
      }
    }
    check()
    return () => timer.cancel()
  }

  #pauseAfter(error: unknown): number {
    const { random, logger, path } = this.#options
    const pause = backoffMs(this.#failures, random, retryBounds)
    if (error === undefined) return pause
    const { retryAfterMs = 0, isRetryable = true } = error instanceof KubeError ? error : {}
    const hasExpired = error instanceof KubeError && error.code === 410
    if (hasExpired) this.#version = undefined
    const retryInMs = Math.max(isRetryable || hasExpired ? pause : refusedMs, retryAfterMs)
    const words = hasExpired ? 'a collection is listed again' : 'a collection cannot be followed'
    logger[hasExpired ? 'info' : 'warn']({ err: error, path, failures: this.#failures, retryInMs }, words)
    return retryInMs
  }
}

/** Refused (422 before Kubernetes 1.32), or begun and given up: etcd before 3.5 cannot do it. */
function cannotStream(error: unknown): boolean {
  if (!(error instanceof KubeError)) return false
  return error.code === 400 || error.code === 422 || error.code === 500
}

/** Without the list of who wrote which field: a third of an object, and nobody reads it. */
function slim(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata as KubeObject['metadata'] & {
    readonly managedFields?: unknown
  }
  return { ...object, metadata }
}
