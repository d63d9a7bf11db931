/**
 * What effects are performed against: one forge's Project, one pod. Limits hold for a target over all types that name
 * it, and a target that asks to be left alone is left alone by all of them, while others go on.
 */
import type { Alarms } from '../timers/timer-heap.ts'
import type { Clock } from '../clock.ts'

export interface TargetLimits {
  /** Effects at once. */
  readonly concurrency?: number
  /** A token bucket: `burst` at once, `perSecond` from then on. */
  readonly rate?: { readonly perSecond: number; readonly burst: number }
}

export interface Target {
  readonly name: string
  readonly limits: TargetLimits
  /** Queues that hold on to this object. */
  users: number
  performing: number
  tokens: number
  filledAt: number
  pausedUntil: number
  /** Told once when the target may be asked again. */
  readonly waiting: Set<() => void>
  isAlarmSet: boolean
}

/** Above this many, those that are as good as new are forgotten: pods come and go. */
const manyTargets = 1000

export class Targets {
  readonly #clock: Clock
  readonly #alarms: Alarms
  readonly #targets = new Map<string, Target>()
  #pruneAbove = manyTargets

  constructor(clock: Clock, alarms: Alarms) {
    this.#clock = clock
    this.#alarms = alarms
  }

  of(name: string, limits: TargetLimits): Target {
    const known = this.#targets.get(name)
    if (known) return known
    if (this.#targets.size >= this.#pruneAbove) this.#prune()
    const target: Target = {
      name,
      limits,
      users: 0,
      performing: 0,
      tokens: limits.rate?.burst ?? 0,
      filledAt: this.#clock.elapsed(),
      pausedUntil: 0,
      waiting: new Set(),
      isAlarmSet: false,
    }
    this.#targets.set(name, target)
    return target
  }

  /** Takes a place and a token. False: `wake` is called when it is worth asking again. */
  take(target: Target, wake: () => void): boolean {
    const now = this.#clock.elapsed()
    const freeAt = this.#freeAt(target, now)
    if (freeAt <= now) {
      target.performing++
      if (target.limits.rate) target.tokens -= 1
      return true
    }
    target.waiting.add(wake)
    if (freeAt < Infinity) this.#alarmAt(target, freeAt)
    return false
  }

  /** An effect has ended. */
  release(target: Target): void {
    target.performing--
    if (target.waiting.size > 0 && !target.isAlarmSet) this.#wakeWaiting(target)
  }

  /** The target asked to be left alone. */
  pause(target: Target, pausedMs: number): void {
    target.pausedUntil = Math.max(target.pausedUntil, Math.ceil(this.#clock.elapsed() + pausedMs))
  }

  /** Infinity: when a place becomes free. */
  #freeAt(target: Target, now: number): number {
    if (target.pausedUntil > now) return target.pausedUntil
    const { concurrency = Infinity, rate } = target.limits
    if (target.performing >= concurrency) return Infinity
    if (!rate) return now
    this.#refill(target, rate, now)
    return target.tokens >= 1 ? now : Math.ceil(now + ((1 - target.tokens) / rate.perSecond) * 1000)
  }

  #refill(target: Target, rate: NonNullable<TargetLimits['rate']>, now: number): void {
    target.tokens = Math.min(rate.burst, target.tokens + ((now - target.filledAt) / 1000) * rate.perSecond)
    target.filledAt = now
  }

  #alarmAt(target: Target, at: number): void {
    if (target.isAlarmSet) return
    target.isAlarmSet = true
    this.#alarms.at(at, () => {
      target.isAlarmSet = false
      this.#wakeWaiting(target)
    })
  }

  #wakeWaiting(target: Target): void {
    const waiting = [...target.waiting]
    target.waiting.clear()
    for (const wake of waiting) wake()
  }

  #prune(): void {
    const now = this.#clock.elapsed()
    for (const [name, target] of this.#targets) {
      const { rate } = target.limits
      if (rate) this.#refill(target, rate, now)
      const isFull = !rate || target.tokens >= rate.burst
      const isIdle = target.users === 0 && target.performing === 0 && target.pausedUntil <= now
      if (isFull && isIdle) this.#targets.delete(name)
    }
    this.#pruneAbove = Math.max(manyTargets, this.#targets.size * 2)
  }
}
