/** What crosses between the process and the thread that holds PGlite. */
import type { StoreExtension } from './pglite-session.ts'

export interface WorkerStart {
  readonly dataDir: string
  readonly extensions: readonly StoreExtension[]
}

export type WorkerCall =
  | { readonly id: number; readonly what: 'query'; readonly text: string; readonly params: readonly unknown[] }
  | { readonly id: number; readonly what: 'exec'; readonly text: string }
  | { readonly id: number; readonly what: 'close' }

export interface WorkerAnswer {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly message: string; readonly code: string; readonly constraint: string | undefined }
}

export type WorkerReady = { readonly ready: true } | { readonly ready: false; readonly message: string }

/** A call without its number; `Omit` would fold the union into one shape. */
export type WorkerRequest = WorkerCall extends infer Call ? (Call extends WorkerCall ? Omit<Call, 'id'> : never) : never
