/** What the engine said of one memory, as its row tells it afterwards. */
export type FeedOutcome =
  | { readonly status: 'stored' | 'duplicated' | 'partial_success' }
  /** Its row is gone. */
  | { readonly status: 'absent' }
  | { readonly status: 'failed'; readonly message: string; readonly retryable: boolean }

/** Brings committed rows to the engine: new memories in, deleted ones out, each tried again until the engine takes it. */
export interface Feed {
  /** Feeds one memory now; calls for one id while it is under way share one answer. */
  put(id: string, signal?: AbortSignal): Promise<FeedOutcome>
  /** Rows that were deleted and stand in `memory_removal`: tells the engine now, and again later when it can't yet. */
  take(ids: readonly string[]): Promise<void>
  /** Works off what an earlier process left, and what is due. */
  start(): void
  stop(): Promise<void>
}
