import type { IngestJobContext } from '../../../../machines/ingest-job/context.ts'
import type { FileGroup } from '../../../../machines/ingest-job/events.ts'
import type { TimelessEvent } from '../walk.ts'

const only = { file: 'old.md', purges: true, items: 0 }
const own = { file: 'a.md', purges: true, items: 2 }
const plain = { file: null, purges: false, items: 2 }
const every = { file: '*', purges: true, items: 0 }

function created(groups: readonly FileGroup[], more: object = {}): TimelessEvent {
  return { type: 'job.created', repo: 'lib', groups, ...more }
}

export const ingestJobBirths: readonly TimelessEvent[] = [
  created([plain, own, only]),
  created([own, plain], { itemTimeoutMs: 5000 }),
  created([every, plain]),
  created([plain, { file: 'e.md', purges: false, items: 0 }, own]),
  created([{ file: 'b.md', purges: false, items: 120 }, own]),
  created([{ file: null, purges: true, items: 1 }]),
  created([]),
]

export function ingestJobWords(context: object): readonly TimelessEvent[] {
  const { index, attempt, groups, group } = context as IngestJobContext
  const file = groups[group]?.file ?? 'none.md'
  const stored = (outcome: string, more: object = {}): TimelessEvent => ({
    type: 'item.stored',
    index,
    outcome,
    ...more,
  })
  return [
    ...ingestJobBirths.slice(0, 1),
    { type: 'job.admitted' },
    { type: 'job.cancelled' },
    { type: 'file.purged', file, memories: 3 },
    { type: 'file.purged', file: 'other.md', memories: 3 },
    ...['stored', 'duplicated', 'partial_success', 'skipped'].map((outcome) => stored(outcome)),
    stored('stored', { purged: 2 }),
    stored('skipped', { purged: 2 }),
    stored('stored', { index: index + 1 }),
    stored('stored', { index: index - 1 }),
    ...[attempt, attempt - 1].map((one) => ({ type: 'item.failed', index, attempt: one, message: 'no' })),
    { type: 'item.failed', index: index + 1, attempt, message: 'no' },
    ...['purgeFile', 'storeItem', 'awaitLane'].map((effect) => ({
      type: 'effect.failed',
      effect,
      reason: 'no',
      key: 'k',
    })),
  ]
}
