/** What a part of a stack gets, and what PostgreSQL gives the others. */
import type { StackWanted } from '../../../machines/memory-stack/events.ts'
import type { StackObjects } from './objects.ts'
import type { NewPassword } from './secrets.ts'
import type { SecretKey, StackSettings } from './settings.ts'

export interface PartInput {
  readonly objects: StackObjects
  readonly settings: StackSettings
  readonly wanted: StackWanted
  readonly newPassword: NewPassword
}

export interface Postgres {
  /** What is not as it is wanted. */
  readonly troubles: readonly string[]
  /** What somebody may want to know though nothing is wrong. */
  readonly note?: string
  /** Of the service; absent: nothing can start on it yet. */
  readonly memory?: { readonly url: string } & ServerIdentity
  /** LightRAG’s own database, where it is wanted. `before`: containers that make it. */
  readonly lightrag?: { readonly host: string; readonly before: readonly object[] } & ServerIdentity
}

interface ServerIdentity {
  /** By which the server’s certificate is checked; absent: it has none. */
  readonly ca?: SecretKey
}
