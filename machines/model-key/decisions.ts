/** What a key decides: when it is tried again, by whom, and what its queues are told. */
import { decideBy, inTime, type EventOf } from '../decide.ts'
import { tellQueue, type Decision, type EffectAction } from '../emit.ts'
import type { Hold, ModelKeyContext } from './context.ts'
import type { ModelKeyEvent } from './events.ts'

type Does = Decision<ModelKeyContext>

const { on, always } = decideBy<ModelKeyContext, ModelKeyEvent>(inTime)

const minute = 60_000
const firstPause = 15 * minute
const longestPause = 120 * minute
/** Whoever tried came to no answer, by no fault of the key. */
const retryPause = minute

/** 15 minutes, 30, 60, then 2 hours. */
function pauseAfter(refusals: number): number {
  return Math.min(longestPause, firstPause * 2 ** Math.min(refusals, 8))
}

/**
 * The reset of a window is exact, and nothing is answered before it. A spend limit says when it ends too, but people may
 * raise it sooner. A reset that is over says nothing.
 */
function untilOf(at: number, refusals: number, { cause, resetsAt }: EventOf<ModelKeyEvent, 'key.withheld'>): number {
  const pause = at + pauseAfter(refusals)
  if (resetsAt === undefined || resetsAt <= at) return pause
  return cause === 'usage_limit' ? resetsAt : Math.min(resetsAt, pause)
}

function withheldFrom(project: string, id: string, hold: Hold): EffectAction {
  return tellQueue(project, { type: 'queue.withheld', key: id, ...hold })
}

/** A queue joins at each start of the orchestrator and at each apply, also while its Task tries. */
function withheldAgain(project: string, id: string, hold: Hold): EffectAction {
  return tellQueue(project, { type: 'queue.withheld', key: id, ...hold, again: true })
}

function servedTo(project: string, id: string): EffectAction {
  return tellQueue(project, { type: 'queue.served', key: id })
}

function join(context: ModelKeyContext, { project }: EventOf<ModelKeyEvent, 'key.joined'>): Does {
  const { id, hold } = context
  return {
    context: {
      projects: [...new Set([...context.projects, project])].toSorted(),
      knownSince: context.knownSince ?? context.at,
    },
    effects: [hold === null ? servedTo(project, id) : withheldAgain(project, id, hold)],
  }
}

function leave(context: ModelKeyContext, { project }: EventOf<ModelKeyEvent, 'key.left'>): Does {
  return {
    context: {
      projects: context.projects.filter((one) => one !== project),
      toAsk: context.toAsk.filter((one) => one !== project),
    },
  }
}

/** `refusals`: in a row, without the one that this event tells of. */
function hold(context: ModelKeyContext, event: EventOf<ModelKeyEvent, 'key.withheld'>, refusals: number): Does {
  const { cause, message } = event
  const until = untilOf(context.at, refusals, event)
  const held = { cause, message, since: context.hold?.since ?? context.at, until }
  return {
    context: { hold: held, refusals, probe: '', toAsk: [] },
    effects: context.projects.map((project) => withheldFrom(project, context.id, held)),
  }
}

function ask({ id, toAsk: [next] }: ModelKeyContext): Does {
  return { effects: next === undefined ? [] : [tellQueue(next, { type: 'queue.probe', key: id })] }
}

/** A window that is reset later than we knew. Turns that were on their way make no pause longer. */
export function isLater({ hold: held }: ModelKeyContext, event: ModelKeyEvent): boolean {
  return event.type === 'key.withheld' && event.cause === 'usage_limit' && (event.resetsAt ?? 0) > (held?.until ?? 0)
}

export const modelKeyActions = {
  join: on('key.joined', join),
  leave: on('key.left', leave),
  hold: on('key.withheld', (context, event) => hold(context, event, context.refusals)),
  holdLonger: on('key.withheld', (context, event) => hold(context, event, context.refusals + 1)),
  holdBriefly: always((context) => ({
    context: {
      hold: { ...context.hold!, until: context.at + retryPause },
      probe: '',
      toAsk: [],
    },
  })),
  beginRound: always(({ projects }) => ({ context: { toAsk: projects } })),
  askOne: on('key.wanted', (_context, { project }) => ({ context: { toAsk: [project] } })),
  askLater: on('key.wanted', ({ toAsk }, { project }) => ({
    context: { toAsk: toAsk.includes(project) ? toAsk : [...toAsk, project] },
  })),
  ask: always(ask),
  passOver: always(({ toAsk }) => ({ context: { toAsk: toAsk.slice(1) } })),
  /** By an ask of an earlier membership of the queue: it heard that one late, after it had left and joined again. */
  takeBack: on('key.probing', ({ id, hold: held }, { project }) => ({ effects: [withheldFrom(project, id, held!)] })),
  keepProbe: on('key.probing', (_context, { task }) => ({ context: { probe: task, toAsk: [] } })),
  serve: on('key.served', ({ id, projects }) => ({
    context: { hold: null, refusals: 0, probe: '', toAsk: [] },
    effects: projects.map((project) => servedTo(project, id)),
  })),
}
