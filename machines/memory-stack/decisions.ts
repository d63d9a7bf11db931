/** When the stack is looked at next, and what is known of it. A look sees everything, so that what is lost is seen by the next. */
import { decideBy, inTime } from '../decide.ts'
import { effect, notifyMemory, type Decision } from '../emit.ts'
import { lookOf, newMemoryStack, type MemoryStackContext } from './context.ts'
import type { MemoryStackEvent, StackPart, StackSight, StackWanted } from './events.ts'

type Does = Decision<MemoryStackContext>

const { on, always } = decideBy<MemoryStackContext, MemoryStackEvent>(inTime)

const second = 1000
const minute = 60 * second

/** Whoever looks gives up earlier: the next look begins though the last one never answered. */
const answersWithin = 5 * minute
/** While a part is waited for. */
const soon = 5 * second
/** While all is well, and of what is late. */
const look = minute
/** After looks in a row that saw nothing: 5, 10, 20 seconds and so on. */
const longestBackoff = 5 * minute

/** A part that is waited for longer is late: the first start of a database may fetch its image first. */
const bounds: Readonly<Record<StackPart, number>> = {
  cluster: 10 * minute,
  postgres: 10 * minute,
  neo4j: 5 * minute,
  lightrag: 5 * minute,
  service: 5 * minute,
}

function ask(context: MemoryStackContext): Does {
  const now = { ...context, looks: context.looks + 1 }
  const { id: project, wanted } = context
  return {
    context: { looks: now.looks, nextAt: context.at + answersWithin },
    effects: [effect('reconcileMemoryStack', { project, run: lookOf(now), wanted })],
  }
}

function want(context: MemoryStackContext, wanted: StackWanted | null): Does {
  const asked = ask({ ...context, wanted })
  // Nobody is led any more to what ends.
  const nowhere = wanted === null ? { endpoint: '', externalEndpoint: '' } : {}
  return { ...asked, context: { wanted, ...nowhere, ...asked.context } }
}

/** A stack that begins anew knows nothing of the one before. */
function begin({ id, at, looks }: MemoryStackContext, wanted: StackWanted | null): Does {
  const fresh = { ...newMemoryStack(id), at, looks, since: at }
  const asked = want(fresh, wanted)
  return { ...asked, context: { ...fresh, ...asked.context } }
}

function keep(context: MemoryStackContext, { phase, part, words, endpoint, externalEndpoint }: StackSight): Does {
  const { at } = context
  const isWell = phase === 'running'
  const isSame = part === context.part && isWell === (context.phase === 'running')
  const since = isSame ? context.since : at
  const isLate = !isWell && at - since >= bounds[part]
  return {
    context: {
      ...{ phase, part, words, since, isLate, failures: 0, trouble: '' },
      // It stays while the service restarts: pods that begin meanwhile wait for it.
      ...(context.wanted === null ? {} : { endpoint: endpoint || context.endpoint, externalEndpoint }),
      nextAt: at + (isWell || isLate ? look : soon),
    },
  }
}

/** Its memory can be filled from now on. */
function open(context: MemoryStackContext, sight: StackSight): Does {
  const fills = context.wanted?.fills === true
  return {
    ...keep(context, sight),
    effects: fills ? [notifyMemory(context.id, { type: 'memory.configured', fills })] : [],
  }
}

export const memoryStackActions = {
  ask: always(ask),
  begin: on('stack.configured', (context, { wanted }) => begin(context, wanted)),
  want: on('stack.configured', (context, { wanted }) => want(context, wanted)),
  open: on('stack.seen', open),
  keep: on('stack.seen', keep),
  /** What was seen before stays known. */
  fail: on('effect.failed', ({ at, failures }, { reason }) => ({
    context: {
      trouble: reason,
      failures: failures + 1,
      nextAt: at + Math.min(longestBackoff, soon * 2 ** failures),
    },
  })),
  /** Only what stays is known of it. */
  forget: on('stack.seen', ({ id, at, looks }, { phase, words }) => ({
    context: { ...newMemoryStack(id), at, looks, phase, words, since: at },
  })),
}
