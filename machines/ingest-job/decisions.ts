/** What an ingest job does on events, as decisions; the table of `machine.ts` names them. */
import { alone, decideBy } from '../decide.ts'
import type { Decision } from '../emit.ts'
import { newIngestJob, type IngestJobContext } from './context.ts'
import { jobEffect, type JobEffect } from './effects.ts'
import type { FileGroup, IngestJobEvent } from './events.ts'

const keptErrors = 100

const { on, always } = decideBy<IngestJobContext, IngestJobEvent, Decision<IngestJobContext, JobEffect>, JobEffect>(
  alone,
)

export function groupOf(context: IngestJobContext): FileGroup | undefined {
  return context.groups[context.group]
}

/** Everything of the group has a result: the next one begins. */
function nextGroup({ group }: IngestJobContext): Partial<IngestJobContext> {
  return { group: group + 1, item: 0, isPurged: false, attempt: 0 }
}

function nextItem(context: IngestJobContext): Partial<IngestJobContext> {
  return { item: context.item + 1, index: context.index + 1, attempt: 0 }
}

function failItem(context: IngestJobContext, message: string): Partial<IngestJobContext> {
  const fault = { index: context.index, message, attempts: context.attempt }
  return {
    ...nextItem(context),
    failed: context.failed + 1,
    errors: [...context.errors, fault].slice(0, keptErrors),
  }
}

/** A file whose earlier memories stay gets no new ones beside them: readers would see both (INGEST-RULE-1). */
function failGroup(context: IngestJobContext, message: string): Partial<IngestJobContext> {
  const items = groupOf(context)?.items ?? 0
  const faults = Array.from({ length: items }, (_, item) => ({ index: context.index + item, message, attempts: 0 }))
  return {
    ...nextGroup(context),
    index: context.index + items,
    failed: context.failed + Math.max(1, items),
    errors: [...context.errors, ...(items > 0 ? faults : [{ index: -1, message, attempts: 0 }])].slice(0, keptErrors),
  }
}

function withdraw(...types: readonly string[]) {
  return always(() => ({ effects: [jobEffect('withdrawEffects', { types: [...types] })] }))
}

export const jobActions = {
  create: on('job.created', ({ id }, { repo, groups, itemTimeoutMs, at }) => ({
    context: {
      ...newIngestJob(id),
      repo,
      groups: [...groups.filter(isOnlyPurge), ...groups.filter((group) => !isOnlyPurge(group))],
      total: groups.reduce((sum, { items }) => sum + items, 0),
      ...(itemTimeoutMs === undefined ? {} : { itemTimeoutMs }),
      createdAt: at,
    },
  })),
  askLane: always(({ id, repo }) => ({ effects: [jobEffect('awaitLane', { job: id, repo })] })),
  start: on('job.admitted', (_context, { at }) => ({ context: { startedAt: at } })),
  leaveLane: withdraw('awaitLane'),

  askPurge: always((context) => {
    const file = groupOf(context)?.file
    return file ? { effects: [jobEffect('purgeFile', { job: context.id, repo: context.repo, file })] } : {}
  }),
  leavePurge: withdraw('purgeFile'),
  keepPurged: on('file.purged', ({ purged }, { memories }) => ({
    context: { isPurged: true, purged: purged + memories },
  })),
  failGroup: on('effect.failed', (context, { reason }) => ({ context: failGroup(context, reason) })),

  askStore: always((context) => {
    const attempt = context.attempt + 1
    const { id: job, repo, index } = context
    return { context: { attempt }, effects: [jobEffect('storeItem', { job, repo, index, attempt })] }
  }),
  leaveStore: withdraw('storeItem'),
  keepStored: on('item.stored', (context, { outcome, purged = 0 }) => ({
    context: {
      ...nextItem(context),
      ...(purged > 0 ? { purged: context.purged + purged } : {}),
      ...(outcome === 'skipped' ? { skipped: context.skipped + 1 } : { stored: context.stored + 1 }),
    },
  })),
  failItem: on('item.failed', (context, { message }) => ({ context: failItem(context, message) })),
  failRefused: on('effect.failed', (context, { reason }) => ({ context: failItem(context, reason) })),
  failLate: always((context) => ({ context: failItem(context, 'timed out') })),
  nextGroup: always((context) => ({ context: nextGroup(context) })),

  cancel: on('job.cancelled', (_context, { at }) => ({ context: { reason: 'cancelled', finishedAt: at } })),
  /** Times are those of the cause; a timer's event has its own (the runtime fills it in). */
  finish: always((context, { at }) => ({
    context: {
      finishedAt: context.finishedAt ?? at ?? null,
      reason: context.reason || (context.failed > 0 ? 'items-failed' : ''),
    },
  })),
}

function isOnlyPurge({ purges, items }: FileGroup): boolean {
  return purges && items === 0
}
