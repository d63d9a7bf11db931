/** The processes of a schedule: the real runtime, started, killed, paused and stopped as planned, and started again. */
import { shardOf } from '../../../runtime/address.ts'
import { toyDefinitions } from '../../../runtime/contract/toy-machine.ts'
import type { RuntimeOptions } from '../../../runtime/options.ts'
import { silentLogger } from '../../../runtime/logger.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { dice } from './dice.ts'
import type { Evidence } from './evidence.ts'
import { faultText } from './plan.ts'
import { handlersOf } from './handlers.ts'
import { lifeline, processClock } from './lifeline.ts'
import type { DiesAt, Lifeline, ProcessClock } from './lifeline.ts'
import type { CrashFault, Fault, Plan, StoreFault } from './plan.ts'
import { Ownership } from './ownership.ts'
import { commitVerb, storePort } from './store-port.ts'
import type { Network } from './store-port.ts'
import type { World } from './world.ts'

/** Anything but `opened` for an actor that is not there is refused: clients race with the opening. */
export const definitions = toyDefinitions(['opened'])

export type CreateRuntime = (options: RuntimeOptions) => Runtime

export interface Process {
  readonly runtime: Runtime
  readonly line: Lifeline
  readonly clock: ProcessClock
  isOpen: boolean
}

export interface ProcessesOptions {
  readonly world: World
  readonly plan: Plan
  readonly evidence: Evidence
  readonly createRuntime: CreateRuntime
  /** Told of every point that a process passes, and of those where it died. */
  readonly passed: (point: string, died: boolean) => void
}

/** So long a supervisor waits before it starts again what could not start. */
const restartMs = 400
/** Longer than a stop may take: grace for effects under way, and a store that does not answer. */
const stopPatienceMs = 15_000

export class Processes {
  readonly #options: ProcessesOptions
  readonly #living = new Map<number, Process>()
  readonly #skews = new Map<number, number>()
  readonly #statements = new Map<string, number>()
  readonly #crashesLeft: CrashFault[]
  readonly #away = new Map<number | undefined, number>()
  readonly #network: Network
  readonly #ownership: Ownership
  #lives = 0
  #isCalm = false

  constructor(options: ProcessesOptions) {
    this.#options = options
    this.#crashesLeft = options.plan.faults.filter((fault) => fault.kind === 'crash')
    this.#ownership = new Ownership(options.world)
    this.#network = {
      ownership: this.#ownership,
      latencyMs: options.plan.settings.latencyMs,
      nextFault: (slot, verb) => this.#nextFault(slot, verb),
      isAway: (slot) => this.#isAway(slot) || this.#isAway(undefined),
    }
  }

  /** Brings all processes up and lays out what will befall them. */
  begin(): void {
    const { world, plan } = this.#options
    for (const { slot, startsAtMs } of plan.processes) world.after(startsAtMs, () => this.#start(slot))
    for (const fault of plan.faults) if ('atMs' in fault) world.after(fault.atMs, () => this.#befall(fault))
  }

  /** Those that take events now. */
  open(): readonly Process[] {
    return [...this.#living.values()].filter((process) => process.isOpen && !process.line.isCut)
  }

  at(slot: number): Process | undefined {
    return this.#living.get(slot)
  }

  /** From now on nothing goes wrong any more, and every slot lives. */
  becalm(): void {
    this.#isCalm = true
    this.#away.clear()
    for (const { line } of this.#living.values()) line.resume()
  }

  /** The end of all processes, as planned; resolves in a world that goes on. */
  async end(): Promise<void> {
    const last = [...this.#living.values()]
    this.#living.clear()
    if (this.#options.plan.ending === 'crashed') return last.forEach(({ line }) => line.cut('the end'))
    await Promise.all(last.map((process) => process.runtime.stop()))
    last.forEach(({ line }) => line.cut('stopped'))
  }

  #start(slot: number): void {
    const { world, plan, evidence, createRuntime, passed } = this.#options
    if (this.#living.has(slot)) return
    const name = `p${slot}.${++this.#lives}`
    const line = lifeline(world, slot, name, this.#diesAt(slot, passed))
    const clock = processClock(line, this.#skews.get(slot) ?? 0)
    // Some are known by their place and find their shards again, others are new to the rest at every start.
    const owner = plan.seed % 2 === 0 ? `p${slot}` : name
    this.#ownership.lives(owner, name)
    const { latencyMs: _, ...settings } = plan.settings
    const runtime = createRuntime({
      ...settings,
      sql: storePort(line, this.#network),
      definitions,
      clock,
      random: dice(plan.seed, name).fraction,
      logger: silentLogger,
      owner,
      stopGraceMs: 1000,
      hint: (owner) => this.#hint(line, owner),
    })
    const process: Process = { runtime, line, clock, isOpen: false }
    this.#living.set(slot, process)
    evidence.begins(name, slot)
    runtime.subscribe((row) => evidence.heard(line, row, shardOf(row.address, settings.shards)))
    void line.died.then(() => this.#ended(process, this.#restartOf(line)))
    void runtime.start(handlersOf({ line, clock, evidence, runtime })).then(
      () => void (process.isOpen = true),
      () => line.cut('it could not start'),
    )
  }

  #ended(process: Process, afterMs: number): void {
    const { slot } = process.line
    if (this.#living.get(slot) !== process) return
    this.#living.delete(slot)
    this.#options.world.after(this.#isCalm ? restartMs : afterMs, () => this.#start(slot))
  }

  readonly #restarts = new Map<string, number>()

  #restartOf(line: Lifeline): number {
    return this.#restarts.get(line.name) ?? restartMs
  }

  #diesAt(slot: number, passed: ProcessesOptions['passed']): DiesAt {
    const name = `p${slot}.${this.#lives}`
    const counts = new Map<string | undefined, number>()
    return (point) => {
      for (const counted of [point, undefined]) counts.set(counted, (counts.get(counted) ?? 0) + 1)
      const crash = this.#isCalm
        ? undefined
        : this.#crashesLeft.find((fault) => (fault.slot ?? slot) === slot && reached(fault, point, counts))
      passed(point, crash !== undefined)
      if (!crash) return false
      this.#crashesLeft.splice(this.#crashesLeft.indexOf(crash), 1)
      this.#restarts.set(name, crash.restartMs)
      return true
    }
  }

  #nextFault(slot: number, verb: string): StoreFault | undefined {
    const nth = (counted: StoreFault['of']): number => this.#statements.get(`${slot} ${counted}`) ?? 0
    const kinds: readonly StoreFault['of'][] = verb === commitVerb ? ['statements', 'commits'] : ['statements']
    for (const kind of kinds) this.#statements.set(`${slot} ${kind}`, nth(kind) + 1)
    if (this.#isCalm) return undefined
    const isIt = (fault: Fault): fault is StoreFault =>
      fault.kind === 'store' && fault.slot === slot && kinds.includes(fault.of) && fault.nth === nth(fault.of)
    return this.#options.plan.faults.find(isIt)
  }

  #isAway(slot: number | undefined): boolean {
    return (this.#away.get(slot) ?? 0) > 0
  }

  #befall(fault: Exclude<Fault, CrashFault | StoreFault>): void {
    const { world } = this.#options
    if (this.#isCalm) return
    world.tell(faultText(fault), true)
    const process = fault.slot === undefined ? undefined : this.#living.get(fault.slot)
    if (fault.kind === 'outage') this.#outage(fault.slot, fault.forMs)
    else if (fault.kind === 'jump') this.#jump(fault.slot, fault.byMs)
    else if (process && fault.kind === 'pause') {
      process.line.pause()
      world.after(fault.forMs, () => process.line.resume())
    } else if (process && fault.kind === 'stop') this.#stop(process, fault.restartMs)
  }

  #outage(slot: number | undefined, forMs: number): void {
    const change = (by: number): void => void this.#away.set(slot, (this.#away.get(slot) ?? 0) + by)
    change(1)
    this.#options.world.after(forMs, () => this.#isAway(slot) && change(-1))
  }

  #jump(slot: number, byMs: number): void {
    this.#skews.set(slot, (this.#skews.get(slot) ?? 0) + byMs)
    this.#living.get(slot)?.clock.jump(byMs)
    this.#options.evidence.clockSet(slot, byMs)
  }

  #stop(process: Process, afterMs: number): void {
    const { world } = this.#options
    const { line, runtime } = process
    if (!process.isOpen) return
    process.isOpen = false
    this.#restarts.set(line.name, afterMs)
    void runtime.stop().then(
      () => line.cut('stopped as told'),
      () => line.cut('it could not stop well'),
    )
    world.after(stopPatienceMs, () => line.cut('it would not stop'))
  }

  #hint(line: Lifeline, owner: string | undefined): void {
    if (line.passes('hint: about to be sent')) return
    const { world, plan } = this.#options
    world.after(world.latency.fraction() * plan.settings.latencyMs, () => {
      for (const other of this.open()) {
        const isMeant = owner === undefined || other.line.name === owner || `p${other.line.slot}` === owner
        if (isMeant && other.line !== line) other.line.hear(() => other.runtime.wake())
      }
    })
  }
}

function reached(fault: CrashFault, point: string, counts: ReadonlyMap<string | undefined, number>): boolean {
  const isHere = fault.point === undefined || fault.point === point
  return isHere && counts.get(fault.point) === fault.nth
}
