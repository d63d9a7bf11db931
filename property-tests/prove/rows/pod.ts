/** The rows of a pod, event by event (POD, docs/rules.md; STOP-SEQUENCE, docs/contract/orchestrator.md). */
import { contractVersion } from '../../../machines/turn/contract-version.ts'
import { newPod, type PodContext } from '../../../machines/pod/context.ts'
import type { PodEvent } from '../../../machines/pod/events.ts'
import type { Snapshot } from '../../machines/world/trace.ts'
import { Asking, leavesOf, type Mutable, type Rows } from './draft.ts'

type EventOf<T extends PodEvent['type']> = Extract<PodEvent, { type: T }>

const finals: Readonly<Record<string, string>> = {
  gone: 'gone',
  lost: 'lost',
  unbound: 'unbound',
  mismatched: 'mismatched',
}

class PodDraft extends Asking {
  c: Mutable<PodContext>
  state: string
  readonly at: number | undefined

  constructor(before: Snapshot | undefined, id: string, at: number | undefined) {
    super()
    this.c = { ...(before ? (before.context as PodContext) : newPod(id)) }
    this.state = before ? leavesOf(before.value)[0]!.replace('alive.', '') : 'new'
    this.at = at
  }

  is(...states: readonly string[]): boolean {
    return states.some((state) => this.state === state || this.state.startsWith(`${state}.`))
  }

  get isAlive(): boolean {
    return !this.is('new', 'volumes') && !(this.state in finals)
  }

  get address(): { task: string; ordinal: number } {
    return { task: this.c.task, ordinal: this.c.ordinal }
  }

  get turn(): string {
    return `turn:${this.c.id}/${this.c.turns - 1}`
  }

  get words(): { detail?: string } {
    return this.c.detail === '' ? {} : { detail: this.c.detail }
  }

  /** Words are of the reason that they came with. */
  because(reason: string, detail = ''): void {
    Object.assign(this.c, { reason, detail })
  }

  tellTask(type: string, fields: object = {}): void {
    this.tell(`task:${this.c.task}`, type, { pod: this.c.ordinal, ...fields })
  }

  abandon(type: 'turn.abandon' | 'turn.podFinal'): void {
    if (this.c.turnOpen) this.tell(this.turn, type)
  }

  askForNote(): void {
    this.tellTask('pod.noteMissing', { reason: this.c.reason, ...this.words })
    this.c.noteAsked = true
  }

  forceDelete(): void {
    this.ask('forceDeletePod', this.address)
  }

  startTurn(purpose: 'work' | 'handoff'): void {
    const { c } = this
    const eventsUpTo = purpose === 'work' ? (c.asked ?? c.carried) : c.carried
    const { turnTimeoutSeconds, stallProbeGraceSeconds, stallProbeMaxAttempts, ledger } = c
    this.tell(`turn:${c.id}/${c.turns}`, 'turn.start', {
      ...{ pod: c.id, podOrdinal: c.ordinal, task: c.task, ordinal: c.turns, url: c.url, purpose, eventsUpTo },
      ...{ turnTimeoutSeconds, stallProbeGraceSeconds, stallProbeMaxAttempts },
      ...(ledger === undefined ? {} : { ledger }),
    })
    Object.assign(c, { turns: c.turns + 1, turnOpen: true, turnPurpose: purpose, asked: null, carried: eventsUpTo })
  }

  /** What is on its way is taken back with the state that asked for it. */
  go(to: string): void {
    if (this.is('volumes')) this.withdraw('bindVolumes')
    if (this.is('launching.creating')) this.withdraw('createPod')
    this.state = to
    const entry = entries[to]
    entry?.(this)
  }

  end(cause: string): void {
    const { c } = this
    const residencyMs = c.startedAt === null || this.at === undefined ? 0 : Math.max(0, this.at - c.startedAt)
    this.abandon('turn.podFinal')
    c.turnOpen = false
    this.tell(`queue:${c.queue}`, 'queue.release', { entry: c.entry })
    this.tellTask('pod.final', { cause, ...(c.reason === '' ? {} : { reason: c.reason }), ...this.words, residencyMs })
  }
}

const entries: Readonly<Record<string, (p: PodDraft) => void>> = {
  volumes: (p) => p.ask('bindVolumes', p.address),
  'launching.creating': (p) => {
    const { project, agentKind, model, effort, permissionMode, turnTimeoutSeconds, agentPodTTLSeconds, repositories } =
      p.c
    const spec = { project, agentKind, model, effort, permissionMode, turnTimeoutSeconds, agentPodTTLSeconds }
    p.ask('createPod', { ...p.address, ...spec, repositories })
  },
  'launching.contract': (p) => p.ask('readSession', { ...p.address, url: p.c.url }),
  failing: (p) => p.forceDelete(),
  mismatching: (p) => p.forceDelete(),
  'stopping.graceful': (p) => p.ask('stopPod', { ...p.address, ...(p.c.url === '' ? {} : { url: p.c.url }) }),
  'stopping.forced': (p) => p.forceDelete(),
  busy: (p) => p.startTurn('work'),
  handingOff: (p) => p.startTurn('handoff'),
  synthesizing: (p) => (p.c.noteAsked ? undefined : p.askForNote()),
  losing: (p) => (p.c.noteAsked || p.c.noted ? undefined : p.askForNote()),
  gone: (p) => p.end('gone'),
  lost: (p) => p.end('lost'),
  unbound: (p) => p.end('unbound'),
  mismatched: (p) => p.end('mismatched'),
}

/** With a note of its own it stops; else one is written for it [LAW-6, NOTE-1]. */
function retire(p: PodDraft): void {
  p.go('retiring')
}

function settle(p: PodDraft): void {
  if (p.is('retiring')) p.go(p.c.noted ? 'stopping.graceful' : 'synthesizing')
  if (p.is('losing') && p.c.noted) p.go('lost')
  if (p.is('idle') && p.c.asked !== null && !p.c.stopAsked) p.go('busy')
}

function keepAsked(p: PodDraft, eventsUpTo: number): void {
  p.c.asked = Math.max(p.c.asked ?? 0, eventsUpTo)
}

function stop(p: PodDraft, { reason }: EventOf<'pod.stop'>): void {
  const keep = (): void => {
    p.c.stopAsked = true
    p.because(reason)
  }
  if (!p.is('volumes', 'launching', 'idle', 'busy', 'draining')) return
  keep()
  if (p.is('volumes')) p.go('gone')
  else if (p.is('launching')) p.go('stopping.graceful')
  else if (p.is('idle')) retire(p)
  else if (p.is('busy')) p.go('draining')
}

function vanished(p: PodDraft, { reason, detail }: EventOf<'pod.vanished'>): void {
  if (p.is('failing')) return p.go('lost')
  if (p.is('mismatching')) return p.go('mismatched')
  if (p.is('stopping')) return p.go(p.c.agentLost && !p.c.stopAsked ? 'lost' : 'gone')
  if (p.is('losing') || !p.isAlive) return
  p.because(reason, detail)
  if (p.is('launching') || p.c.turns === 0) return p.go('lost')
  p.abandon('turn.podFinal')
  p.go('losing')
}

function turnOver(p: PodDraft, event: EventOf<'turn.ended' | 'turn.failed'>): void {
  if (!p.isAlive || !p.c.turnOpen || event.turn !== p.c.turns - 1) return
  const { at: _at, type, ...rest } = event
  p.c.turnOpen = false
  const reason = event.type === 'turn.failed' ? event.stopReason : ''
  const isAgentGone = reason === 'agent_exited' || reason === 'shutdown'
  if (p.is('busy') && isAgentGone) {
    p.c.agentLost = true
    p.because('agent_exited')
  }
  p.tellTask(type, { ...rest, purpose: p.c.turnPurpose })
  if (p.is('handingOff')) return event.type === 'turn.ended' ? retire(p) : p.go('synthesizing')
  if (!p.is('busy', 'draining')) return
  if (reason === 'interrupt_unconfirmed') return p.go('synthesizing')
  if (isAgentGone) return retire(p)
  if (p.is('draining')) return p.c.stopAsked ? retire(p) : p.go('handingOff')
  if (reason === 'expired' || reason === 'interrupted') return p.go('handingOff')
  p.go('idle')
}

function noted(p: PodDraft, { kind, source }: EventOf<'pod.noted'>): void {
  if (!p.isAlive || (kind !== 'handoff' && source !== 'operator')) return
  p.c.noted = true
  if (p.is('synthesizing')) p.go('stopping.graceful')
  else if (p.is('losing')) p.go('lost')
}

function requested(p: PodDraft, { eventsUpTo }: EventOf<'turn.requested'>): void {
  if (p.is('volumes', 'launching', 'idle')) keepAsked(p, eventsUpTo)
  if (p.is('busy') && eventsUpTo > p.c.carried) keepAsked(p, eventsUpTo)
}

function failed(p: PodDraft, { effect, reason }: EventOf<'effect.failed'>): void {
  const keep = (): void => p.because(`${effect}-failed`, reason)
  if (p.is('volumes') && effect === 'bindVolumes') return (keep(), p.go('unbound'))
  if (p.is('launching') && (effect === 'createPod' || effect === 'readSession')) return (keep(), p.go('failing'))
  if (p.is('stopping') && effect === 'stopPod') p.go('stopping.forced')
}

function ready(p: PodDraft, { url }: EventOf<'pod.ready'>): void {
  if (!p.is('launching')) return
  p.c.url = url
  p.go('launching.contract')
}

function created(p: PodDraft, { name }: EventOf<'pod.created'>): void {
  if (!p.is('launching.creating', 'stopping')) return
  p.c.name = name
  p.go(p.is('stopping') ? 'stopping.forced' : 'launching.booting')
}

function session(p: PodDraft, event: EventOf<'pod.session'>): void {
  if (!p.is('launching.contract')) return
  if (event.contractVersion === contractVersion) return (p.tellTask('pod.working'), p.go('idle'))
  p.because('agent-contract-mismatch')
  p.go('mismatching')
}

/** TTL, hard cap and residency are absolute from the start of the pod [POD-14]. */
function ttl(p: PodDraft): void {
  if (!p.is('launching', 'idle', 'busy')) return
  p.because('ttl')
  p.go(p.is('launching') ? 'stopping.graceful' : p.is('idle') ? 'handingOff' : 'draining')
}

function hardCap(p: PodDraft): void {
  if (p.is('stopping')) return p.go('stopping.forced')
  if (!p.is('launching', 'idle', 'busy', 'draining', 'handingOff')) return
  p.because('hard-cap')
  if (p.is('busy', 'draining', 'handingOff')) p.abandon('turn.abandon')
  p.go(p.is('launching') ? 'stopping.graceful' : 'synthesizing')
}

function residency(p: PodDraft): void {
  if (!p.is('launching', 'idle', 'busy', 'draining')) return
  p.c.stopAsked = true
  p.because('residency')
  if (p.is('launching')) p.go('stopping.graceful')
  else if (p.is('idle')) retire(p)
  else if (p.is('busy')) p.go('draining')
}

function turnTimeout(p: PodDraft): void {
  p.abandon('turn.abandon')
  if (p.is('handingOff')) p.go('synthesizing')
  else if (p.c.stopAsked) retire(p)
  else p.go('handingOff')
}

function note(p: PodDraft): void {
  p.askForNote()
  p.go(p.state)
}

/** A second grace that passes without an end is one too many for the Task [POD-21]. */
function grace(p: PodDraft): void {
  if (!p.is('stopping.graceful')) p.tellTask('pod.notEnding', { name: p.c.name })
  p.go(p.is('stopping') ? 'stopping.forced' : p.state)
}

function fire(p: PodDraft, timer: string): void {
  if (timer === 'volumes') return (p.because('volumes-unbound', 'words'), p.go('unbound'))
  if (timer === 'boot') return (p.because('boot-budget', 'words'), p.go('failing'))
  if (timer === 'grace') return grace(p)
  const rows: Readonly<Record<string, (p: PodDraft) => void>> = { ttl, hardCap, residency, turnTimeout, note }
  rows[timer]?.(p)
}

function begin(p: PodDraft, { type: _type, at: _at, ...given }: EventOf<'pod.start'>): void {
  if (!p.is('new')) return
  p.c = { ...newPod(p.c.id), ...given }
  p.go('volumes')
}

type Handler = (p: PodDraft, event: never) => void
const handlers: Readonly<Record<string, Handler>> = {
  'pod.start': begin,
  'pod.stop': stop,
  'pod.volumesBound': (p: PodDraft, { at }: EventOf<'pod.volumesBound'>) => {
    if (!p.is('volumes')) return
    p.c.startedAt = at
    p.go('launching.creating')
  },
  'pod.volumesUnbound': (p: PodDraft, { reason, detail }: EventOf<'pod.volumesUnbound'>) => {
    if (!p.is('volumes')) return
    p.because(reason, detail)
    p.go('unbound')
  },
  'pod.created': created,
  'pod.ready': ready,
  'pod.session': session,
  'pod.vanished': vanished,
  'pod.noted': noted,
  'turn.requested': requested,
  'turn.accepted': (p: PodDraft, { turn, eventsUpTo }: EventOf<'turn.accepted'>) => {
    if (p.isAlive && p.c.turnOpen && turn === p.c.turns - 1) p.tellTask('turn.accepted', { turn, eventsUpTo })
  },
  'turn.ended': turnOver,
  'turn.failed': turnOver,
  'effect.failed': failed,
}

/** Those that belong to their states. */
function timersOf(p: PodDraft): readonly string[] {
  if (p.is('volumes')) return ['volumes']
  if (!p.isAlive) return []
  const own: Readonly<Record<string, string>> = {
    failing: 'grace',
    mismatching: 'grace',
    'stopping.graceful': 'grace',
    'stopping.forced': 'grace',
    draining: 'turnTimeout',
    handingOff: 'turnTimeout',
    synthesizing: 'note',
    losing: 'note',
  }
  const launching = p.is('launching') ? ['boot'] : []
  return [...launching, ...(own[p.state] === undefined ? [] : [own[p.state]!])]
}

const absolute = ['ttl', 'hardCap', 'residency']
const timed = /^xstate\.after\.([^.]+)\./

export const podRows: Rows = (before, event, id) => {
  const p = new PodDraft(before, id, event.at)
  const [, timer] = timed.exec(event.type) ?? []
  if (timer !== undefined) fire(p, timer)
  else handlers[event.type]?.(p, event as never)
  for (let round = 0; round < 3; round++) settle(p)
  const { state } = p
  const leaf = p.isAlive ? `alive.${state}` : state
  const begins = before?.value === 'volumes' && p.isAlive
  return {
    leaves: [leaf],
    context: p.c,
    effects: p.effects,
    timers: [...timersOf(p), ...(begins ? absolute : [])],
    ...(p.isAlive && !begins ? { perhaps: absolute } : {}),
  }
}
