/** What an adapter of a forge brings beside its port: all that its API says in a way of its own, as data. */
import type { Fetch } from '../../../http/ports.ts'
import type { ForgePort } from '../port.ts'
import type { WebhookDialect } from '../webhooks/dialect.ts'

export interface LimitHeaders {
  /** Statuses that can mean a limit. */
  readonly statuses: readonly number[]
  /** Requests that are left. */
  readonly remaining: string
  /** When there are all of them again, in epoch seconds. */
  readonly reset: string
  /** The words of an answer without a time, where its status alone could mean a missing right. */
  readonly words?: RegExp
}

/** Paths of the API by which a renamed repository is found again; `base`, `id` and `tail` are the groups. */
export interface RepositoryPaths {
  readonly named: RegExp
  readonly byId: RegExp
  /** In the place of a named repository, in a metric's label. */
  readonly template: string
}

export interface ForgeWire {
  readonly limits: LimitHeaders
  readonly repositories: RepositoryPaths
  /** How fast we ask at most, before the forge says anything. */
  readonly rate: { readonly burst: number; readonly perSecond: number }
}

export interface AdapterOptions {
  readonly token: string
  /** Absent: the public forge's. */
  readonly apiURL?: string
  /** Absent: what the forge shows to members alone is as if it were not there (PROJECT-SCM-22). */
  readonly includeConfidential?: boolean
  /** As a `Transport` gives it, which is kept per Project so that answers and budget outlive a token. */
  readonly fetch: Fetch
}

export interface ForgeAdapter {
  readonly wire: ForgeWire
  readonly webhooks: WebhookDialect
  open(options: AdapterOptions): ForgePort
}
