/**
 * Writes of statuses, each fenced by the version of the object that was known before its status was read.
 * 1. What the object has already is not written.
 * 2. A status is applied (field manager `statewright-status`, force), so a field that it no longer has goes.
 * 3. A field of somebody else, which an apply leaves, goes by a merge patch afterwards.
 * 4. A server with an older definition refuses the apply. It takes all but the fields that it named by a merge patch.
 */
import type { Logger } from '../../../runtime/logger.ts'
import { contentHash } from '../../forge/hash.ts'
import { answered, fieldNotDeclared, KubeError } from '../api/answers.ts'
import { applyPatch, mergePatch, nameOf, type KubeClient, type KubeObject, type ObjectCache } from '../api/api.ts'
import { pathOfObject } from '../api/objects.ts'
import { preparedStatus, statusDifference, type Plain } from './status-difference.ts'

/** By kind. */
export type Caches = Readonly<Record<string, ObjectCache>>

/** `partly`: somebody else's fields are left, for the next write. `conflict`: the object is another; read both again. */
export type Written = 'unchanged' | 'written' | 'partly' | 'conflict' | 'gone'

export interface StatusPatches {
  /** `known`: as it was before `shown` was read. @throws KubeError, where the server refuses it or does not answer. */
  write(known: KubeObject, shown: object): Promise<Written>
  /** The next write tries again what the server did not take as it was asked. */
  retry(): void
  degraded(): readonly string[]
}

interface StatusPatchesDeps {
  readonly client: Pick<KubeClient, 'ask'>
  readonly caches: Caches
  readonly logger: Pick<Logger, 'warn'>
}

const manager = 'statewright-status'

/** What the server has kept of a status, where that is not all of it and nothing more. */
interface Kept {
  readonly wanted: string
  readonly status: string
  readonly by: 'apply' | 'merge'
}

export function createStatusPatches(deps: StatusPatchesDeps): StatusPatches {
  return new Patches(deps)
}

class Patches implements StatusPatches {
  readonly #deps: StatusPatchesDeps
  readonly #kept = new Map<string, Kept>()
  /** Objects whose status an older definition cut, by kind. */
  readonly #older = new Map<string, Set<string>>()

  constructor(deps: StatusPatchesDeps) {
    this.#deps = deps
  }

  async write(known: KubeObject, shown: object): Promise<Written> {
    const status = preparedStatus(known, shown)
    const difference = statusDifference(known, status)
    if (difference === undefined) return 'unchanged'
    const kept = this.#kept.get(keyOf(known))
    const isAsKept = kept?.wanted === contentHash(status) && kept.status === contentHash(known.status ?? {})
    if (isAsKept && kept.by === 'merge') return 'unchanged'
    try {
      return isAsKept ? await this.#merge(known, status, difference) : await this.#apply(known, status)
    } catch (error) {
      if (answered(error, 404)) return this.#gone(known)
      if (answered(error, 409)) return this.#reread(known)
      throw error
    }
  }

  retry(): void {
    this.#kept.clear()
  }

  degraded(): readonly string[] {
    const kinds = [...this.#older.keys()].toSorted()
    return kinds.map(
      (kind) => `the server's definition of ${kind} is older than this program: fields of its status are left out`,
    )
  }

  async #apply(known: KubeObject, status: Plain): Promise<Written> {
    const { apiVersion, kind, metadata } = known
    const { name, namespace, resourceVersion } = metadata
    const body = { apiVersion, kind, metadata: { name, namespace, resourceVersion }, status }
    const query = { fieldManager: manager, force: true }
    try {
      const answer = await this.#ask(known, { query, body, type: applyPatch })
      this.#isDeclared(known)
      return this.#take(answer, status, 'apply')
    } catch (error) {
      if (!(error instanceof KubeError) || error.reason !== fieldNotDeclared) throw error
      this.#isOlder(known, error)
      const left = statusDifference(known, withoutNamed(status, error.message)) ?? {}
      return this.#merge(known, status, left)
    }
  }

  async #merge(known: KubeObject, wanted: Plain, difference: Plain): Promise<Written> {
    const { resourceVersion } = known.metadata
    const body = { metadata: { resourceVersion }, status: difference }
    const answer = await this.#ask(known, { query: { fieldManager: manager }, body, type: mergePatch })
    return this.#take(answer, wanted, 'merge')
  }

  #ask(known: KubeObject, question: Parameters<KubeClient['ask']>[2]): Promise<KubeObject> {
    return this.#deps.client.ask('PATCH', pathOfObject(known, 'status'), question)
  }

  #take(answer: KubeObject, wanted: Plain, by: Kept['by']): Written {
    this.#deps.caches[answer.kind]?.put(answer)
    if (statusDifference(answer, wanted) === undefined) {
      this.#kept.delete(keyOf(answer))
      return 'written'
    }
    this.#kept.set(keyOf(answer), { wanted: contentHash(wanted), status: contentHash(answer.status ?? {}), by })
    return by === 'apply' ? 'partly' : 'written'
  }

  async #reread(known: KubeObject): Promise<Written> {
    try {
      const object = await this.#deps.client.ask('GET', pathOfObject(known))
      this.#deps.caches[known.kind]?.put(object)
      return 'conflict'
    } catch (error) {
      if (answered(error, 404)) return this.#gone(known)
      throw error
    }
  }

  #gone(known: KubeObject): Written {
    this.#kept.delete(keyOf(known))
    this.#isDeclared(known)
    return 'gone'
  }

  #isOlder(known: KubeObject, error: KubeError): void {
    const { kind } = known
    const objects = this.#older.get(kind) ?? new Set()
    if (objects.size === 0)
      this.#deps.logger.warn({ kind, reason: error.message }, 'the definition on the server is older than this program')
    this.#older.set(kind, objects.add(nameOf(known)))
  }

  #isDeclared(known: KubeObject): void {
    const objects = this.#older.get(known.kind)
    objects?.delete(nameOf(known))
    if (objects?.size === 0) this.#older.delete(known.kind)
  }
}

/** Fields that the definition lacks, or has as something else: `.status.why: expected string, got ...`. */
function withoutNamed(status: Plain, message: string): Plain {
  const named = new Set([...message.matchAll(/\.status\.(\w+)/g)].map(([, name]) => name))
  return Object.fromEntries(Object.entries(status).filter(([name]) => !named.has(name)))
}

function keyOf(object: KubeObject): string {
  return `${object.kind}/${nameOf(object)}`
}
