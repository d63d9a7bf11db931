import type { Feed } from '../feed/feed.ts'

/** A feed whose engine takes every memory at once. */
export const takingFeed: Feed = {
  put: async (ids) => ids.map(() => ({ status: 'stored' })),
  wake: () => undefined,
  start: () => undefined,
  stop: async () => undefined,
  overdue: async () => [],
  waiting: async () => ({ memories: 0, removals: 0 }),
}
