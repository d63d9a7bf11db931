/** The rows of a turn, event by event (TURN, docs/rules.md; STALL, docs/contract/orchestrator.md). */
import { tokensOf } from '../../../machines/rules/spending.ts'
import { newTurn, type TurnContext } from '../../../machines/turn/context.ts'
import type { TurnEvent } from '../../../machines/turn/events.ts'
import type { Snapshot } from '../../machines/world/trace.ts'
import { Asking, leavesOf, type Mutable, type Rows } from './draft.ts'

type EventOf<T extends TurnEvent['type']> = Extract<TurnEvent, { type: T }>

/** `watch`: of a turn that runs, what its clock does. */
class TurnDraft extends Asking {
  c: Mutable<TurnContext>
  state: string

  constructor(before: Snapshot | undefined, id: string) {
    super()
    this.c = { ...(before ? (before.context as TurnContext) : newTurn(id)) }
    const leaves = before ? leavesOf(before.value) : ['new']
    this.state = (leaves.find((leaf) => leaf.includes('watch')) ?? leaves[0]!).replace(/^open\.(running\.watch\.)?/, '')
  }

  is(...states: readonly string[]): boolean {
    return states.some((state) => this.state === state || this.state.startsWith(`${state}.`))
  }

  get isRunning(): boolean {
    return this.is('inFlight', 'probing', 'interrupting')
  }

  get isOpen(): boolean {
    return this.isRunning || this.is('submitting', 'waiting')
  }

  get leaves(): readonly string[] {
    if (this.isRunning) return ['open.running.poll.beat', `open.running.watch.${this.state}`]
    return [this.isOpen ? `open.${this.state}` : this.state]
  }

  go(to: string): void {
    if (this.is('submitting')) this.withdraw('submitTurn')
    const from = this.state
    this.state = to
    const { task, podOrdinal, url, purpose, eventsUpTo } = this.c
    if (to === 'submitting') this.ask('submitTurn', { task, podOrdinal, url, purpose, eventsUpTo })
    if (to === 'waiting') this.poll(this.c.liveTurnId)
    if (to.endsWith('.lastLook')) this.poll(this.c.turnId)
    if (to === 'probing.asked') this.#probe()
    if (to === 'interrupting.asked' && !from.startsWith('interrupting')) this.ask('interruptTurn', { url })
  }

  #probe(): void {
    this.c.probes += 1
    this.c.attempts += 1
    this.ask('probeTurn', { url: this.c.url, probe: this.c.probes })
  }

  poll(turnId: string): void {
    if (turnId !== '') this.ask('pollTurn', { url: this.c.url, turnId })
  }

  settle(tokens: number | null): void {
    if (this.c.ledger !== undefined)
      this.tell(`ledger:${this.c.ledger}`, 'reservation.settled', { turn: this.c.id, tokens })
  }

  sayAccepted(): void {
    const { pod, ordinal: turn, eventsUpTo, accepted } = this.c
    if (!accepted) this.tell(`pod:${pod}`, 'turn.accepted', { turn, eventsUpTo })
  }

  /** `tokens` null: it may have run. Undefined: nothing was reserved. */
  fail(stopReason: string, tokens: number | null | undefined, error?: string): void {
    const nothing = { finalText: '', usage: {}, pushed: [], failed: [] }
    const why = error === undefined ? {} : { error }
    this.tell(`pod:${this.c.pod}`, 'turn.failed', { turn: this.c.ordinal, stopReason, ...why, ...nothing })
    if (tokens !== undefined) this.settle(tokens)
    this.go('failed')
  }
}

/** A callback may overtake the 202; what was read at the pod is believed (TURN-5, TURN-4). */
function result(t: TurnDraft, event: EventOf<'turn.result'>): void {
  const { c } = t
  if (!t.isOpen) return
  const isOurs = event.turnId !== c.liveTurnId && (c.turnId === '' || event.turnId === c.turnId)
  if (!isOurs) return t.is('waiting') && event.turnId === c.liveTurnId ? t.go('submitting') : undefined
  const { finalText, usage, pushed, failed, stopReason, error, resetsAt } = event
  t.sayAccepted()
  Object.assign(c, { accepted: true, turnId: event.turnId })
  const isWell = event.state === 'completed' && stopReason === 'end_turn'
  const why = { stopReason, ...(error === undefined ? {} : { error }), ...(resetsAt === undefined ? {} : { resetsAt }) }
  t.tell(`pod:${c.pod}`, isWell ? 'turn.ended' : 'turn.failed', {
    ...{ turn: c.ordinal, finalText, usage, pushed, failed },
    ...(isWell ? {} : why),
  })
  t.settle(tokensOf(usage))
  t.go(event.state === 'completed' ? 'completed' : 'failed')
}

function activity(t: TurnDraft, { at, lastActivityAt, probeAnswered }: EventOf<'turn.activity'>): void {
  if (!t.is('inFlight', 'probing')) return
  if (lastActivityAt > t.c.lastActivityAt) {
    Object.assign(t.c, { lastActivityAt, seenAt: at, quietWindows: 0, attempts: 0 })
    t.go('inFlight')
  } else if (t.is('probing') && probeAnswered === t.c.probes) {
    Object.assign(t.c, { attempts: 0, seenAt: at })
    t.go('inFlight')
  }
}

function conflict(t: TurnDraft, { liveTurnId = '' }: EventOf<'submit.conflict'>): void {
  if (!t.is('submitting')) return
  if (t.c.purpose === 'handoff') return t.fail('conflict', 0)
  t.c.liveTurnId = liveTurnId
  t.go('waiting')
}

function failed(t: TurnDraft, { effect, reason }: EventOf<'effect.failed'>): void {
  if (t.is('submitting') && effect === 'submitTurn') t.fail('api_error', null, reason)
  if (t.is('interrupting') && effect === 'interruptTurn') t.fail('interrupt_unconfirmed', null)
}

function ended(stopReason: string): (t: TurnDraft) => void {
  return (t) => (t.is('reserving') ? t.fail(stopReason, 0) : t.isOpen ? t.fail(stopReason, null) : undefined)
}

function begin(t: TurnDraft, { type: _type, at, ...given }: EventOf<'turn.start'>): void {
  if (!t.is('new')) return
  t.c = { ...newTurn(t.c.id), ...given, seenAt: at }
  if (given.ledger === undefined) return t.go('submitting')
  t.go('reserving')
  t.tell(`ledger:${given.ledger}`, 'reservation.asked', { turn: t.c.id, task: t.c.task })
}

type Handler = (t: TurnDraft, event: never) => void
const handlers: Readonly<Record<string, Handler>> = {
  'turn.start': begin,
  'reservation.granted': (t: TurnDraft) => (t.is('reserving') ? t.go('submitting') : undefined),
  'reservation.refused': (t: TurnDraft, { reason }: EventOf<'reservation.refused'>) =>
    t.is('reserving') ? t.fail('budget', undefined, reason) : undefined,
  'submit.accepted': (t: TurnDraft, { turnId, at }: EventOf<'submit.accepted'>) => {
    if (!t.is('submitting')) return
    t.sayAccepted()
    Object.assign(t.c, { turnId, accepted: true, lastActivityAt: at, seenAt: at })
    t.go('inFlight')
  },
  'submit.conflict': conflict,
  'submit.expired': (t: TurnDraft) => (t.is('submitting') ? t.fail('expired', 0) : undefined),
  'turn.callback': (t: TurnDraft, { turnId }: EventOf<'turn.callback'>) => (t.isOpen ? t.poll(turnId) : undefined),
  'turn.activity': activity,
  'turn.result': result,
  'turn.interruptRefused': (t: TurnDraft) => (t.is('interrupting') ? t.fail('interrupt_unconfirmed', null) : undefined),
  'turn.podFinal': ended('agent_exited'),
  'turn.abandon': ended('abandoned'),
  'effect.failed': failed,
}

/** Four quiet windows in all, or probes that nobody answers, end in an interruption. */
function fire(t: TurnDraft, timer: string): void {
  if (timer === 'poll') return t.poll(t.c.turnId)
  if (timer === 'retry') return t.go('submitting')
  if (timer === 'grace') return t.go('probing.lastLook')
  if (timer === 'interruption') return t.go('interrupting.lastLook')
  if (timer === 'quiet') {
    t.c.quietWindows += 1
    return t.go(t.c.quietWindows >= 4 ? 'interrupting.asked' : 'probing.asked')
  }
  if (t.is('interrupting')) return t.fail('interrupt_unconfirmed', null)
  t.go(t.c.attempts < t.c.stallProbeMaxAttempts ? 'probing.asked' : 'interrupting.asked')
}

const timers: Readonly<Record<string, string>> = {
  waiting: 'retry',
  inFlight: 'quiet',
  'probing.asked': 'grace',
  'probing.lastLook': 'lastLook',
  'interrupting.asked': 'interruption',
  'interrupting.lastLook': 'lastLook',
}

export const turnRows: Rows = (before, event, id) => {
  const t = new TurnDraft(before, id)
  const [, timer] = /^xstate\.after\.([^.]+)\./.exec(event.type) ?? []
  if (timer !== undefined) fire(t, timer)
  else handlers[event.type]?.(t, event as never)
  const own = timers[t.state]
  return {
    leaves: t.leaves,
    context: t.c,
    effects: t.effects,
    timers: [...(t.isRunning ? ['poll'] : []), ...(own === undefined ? [] : [own])],
  }
}
