/** What is done to whom in a round. Each resolves when the crew is whole again. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Worker } from './crew.ts'
import type { Database } from './database.ts'
import type { Dice } from './dice.ts'

export type Fault = 'kill' | 'pause' | 'leave' | 'cut' | 'terminate' | 'stall' | 'restart-fast' | 'restart-immediate'

export const faultWeights: Readonly<Record<Fault, number>> = {
  kill: 32,
  pause: 24,
  leave: 8,
  cut: 10,
  terminate: 8,
  stall: 8,
  'restart-fast': 5,
  'restart-immediate': 5,
}

export interface Scene {
  readonly database: Database
  readonly victim: Worker
  readonly leaseMs: number
  readonly chance: Dice
}

/** Sometimes back before the others can have noticed, sometimes long after. */
function absenceMs({ chance, leaseMs }: Scene): number {
  return chance.pick([0, chance.between(0, leaseMs), chance.between(leaseMs, 1.6 * leaseMs)])
}

/** Mostly longer than the lease: that is what the fence is for. */
function standstillMs({ chance, leaseMs }: Scene): number {
  return chance.next() < 0.75 ? chance.between(1.1 * leaseMs, 1.8 * leaseMs) : chance.between(0.1, 0.9) * leaseMs
}

export const inflict: Readonly<Record<Fault, (scene: Scene) => Promise<void>>> = {
  async kill(scene) {
    await scene.victim.end('SIGKILL')
    await delay(absenceMs(scene))
    await scene.victim.start(scene.chance.next() < 0.5)
  },
  async leave(scene) {
    await scene.victim.end('SIGTERM')
    await delay(absenceMs(scene))
    await scene.victim.start(scene.chance.next() < 0.5)
  },
  async pause(scene) {
    scene.victim.signal('SIGSTOP')
    await delay(standstillMs(scene))
    scene.victim.signal('SIGCONT')
  },
  async stall(scene) {
    const goOn = scene.victim.proxy.stall()
    await delay(standstillMs(scene))
    goOn()
  },
  async cut(scene) {
    scene.victim.proxy.cut()
  },
  async terminate({ database, victim }) {
    await database.sql.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
      victim.owner,
    ])
  },
  'restart-fast': ({ database }) => database.restart('fast'),
  'restart-immediate': ({ database }) => database.restart('immediate'),
}
