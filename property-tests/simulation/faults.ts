/** Which of the things that happen are to go wrong: counted over the whole run, whichever life it befalls. */
import type {
  CrashFault,
  Fault,
  ForgeFault,
  MemoryFault,
  Plan,
  PodFault,
  StackFault,
  StoreFault,
  WebhookFault,
  WrapperFault,
} from './plan.ts'

export class Faults {
  readonly #left: Fault[]
  readonly #counts = new Map<string, number>()
  readonly #passed: (point: string, died: boolean) => void
  #isCalm = false
  readonly struck: Fault[] = []

  constructor(plan: Plan, passed: (point: string, died: boolean) => void) {
    this.#left = [...plan.faults]
    this.#passed = passed
  }

  get isCalm(): boolean {
    return this.#isCalm
  }

  /** No faults any more, but for who has not died yet where it was to: that may come at any time. */
  becalm(): void {
    this.#isCalm = true
  }

  /** A process comes to the point: the crash that is due there. */
  crashAt(point: string): CrashFault | undefined {
    const here = this.#count(`at ${point}`)
    const crash = this.#take(
      (fault): fault is CrashFault =>
        fault.kind === 'crash' &&
        fault.point === point &&
        (fault.before === undefined ? fault.nth === here : fault.nth <= this.#passages(fault.before)),
    )
    this.#passed(point, crash !== undefined)
    return crash
  }

  nextStatement(): 'unsent' | 'unanswered' | undefined {
    const nth = this.#count('statement')
    const fault = this.#take((one): one is StoreFault => one.kind === 'store' && one.nth === nth)
    return fault && (fault.what === 'unsent' ? 'unsent' : 'unanswered')
  }

  /** To the forge. */
  nextRequest(on: ForgeFault['on'], path: string): ForgeFault['what'] | undefined {
    const end = /([^/]*?)(?:\?.*)?$/.exec(path)?.[1] ?? ''
    const [nth, nthOfEnd] = [this.#count(on), this.#count(`${on} ${end}`)]
    const isIt = (one: Fault): one is ForgeFault =>
      one.kind === 'forge' &&
      one.on === on &&
      (one.end === undefined ? one.nth === nth : one.end === end && one.nth === nthOfEnd)
    return this.#take(isIt)?.what
  }

  nextWrapper(call: string): WrapperFault['what'] | undefined {
    const [nth, nthOfCall] = [this.#count('wrapper'), this.#count(`wrapper ${call}`)]
    const isIt = (one: Fault): one is WrapperFault =>
      one.kind === 'wrapper' && (one.call === undefined ? one.nth === nth : one.call === call && one.nth === nthOfCall)
    return this.#take(isIt)?.what
  }

  nextWebhook(event: string): WebhookFault | undefined {
    const [nth, nthOfEvent] = [this.#count('webhook'), this.#count(`webhook ${event}`)]
    const isIt = (one: Fault): one is WebhookFault =>
      one.kind === 'webhook' &&
      (one.event === undefined ? one.nth === nth : one.event === event && one.nth === nthOfEvent)
    return this.#take(isIt)
  }

  nextMemory(): MemoryFault['what'] | undefined {
    const nth = this.#count('memory')
    return this.#take((one): one is MemoryFault => one.kind === 'memory' && one.nth === nth)?.what
  }

  nextStackRequest(): StackFault['what'] | undefined {
    const nth = this.#count('stack')
    return this.#take((one): one is StackFault => one.kind === 'stack' && one.nth === nth)?.what
  }

  nextPod(): PodFault | undefined {
    const nth = this.#count('pod')
    return this.#take((one): one is PodFault => one.kind === 'pod' && one.nth === nth)
  }

  #passages(point: string): number {
    return this.#counts.get(`at ${point}`) ?? 0
  }

  #count(name: string): number {
    const next = (this.#counts.get(name) ?? 0) + 1
    this.#counts.set(name, next)
    return next
  }

  #take<F extends Fault>(isIt: (fault: Fault) => fault is F): F | undefined {
    const found = this.#left.find((fault): fault is F => (!this.#isCalm || fault.kind === 'crash') && isIt(fault))
    if (!found) return undefined
    this.#left.splice(this.#left.indexOf(found), 1)
    this.struck.push(found)
    return found
  }
}
