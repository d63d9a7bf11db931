/** A Project with schedules, for tests: ready, planned, its answers at hand. */
import { drive, type Drive, type DrivenEffect } from '../drive.ts'
import type { Backlog, BlockName, LiveTask, ScheduleSettings } from '../project/events.ts'
import { projectMachine } from '../project/machine.ts'

export const minute = 60_000
export const hour = 60 * minute

const off = { schedule: '' }
export const everyTen = '*/10 * * * *'

export function settingsWith(given: Partial<ScheduleSettings> = {}): ScheduleSettings {
  return {
    maxNewTasksPerSweep: 5,
    maxOpenTasks: 6,
    issueScan: { ...off, maxPerRepo: 1 },
    brainstorm: { ...off, targetOpenProposals: 3, minSessionIntervalMs: 12 * minute, guidance: '' },
    documentation: { ...off, maxPerRepo: 1 },
    upgrade: { ...off, maxOpenUpgrades: 1 },
    ...given,
  }
}

/** With the contract's own times. */
export const aTaskConfig: Backlog['config'] = {
  project: 'default/demo',
  agentPodTTLSeconds: 3600,
  turnTimeoutSeconds: 1800,
  stallProbeGraceSeconds: 300,
  stallProbeMaxAttempts: 2,
  autoApproveMaxSignificance: 'off',
  model: {},
  effort: {},
  permissionMode: 'bypassPermissions',
  repositories: [{ name: 'lib', base: 'main' }],
}

const config = { ...aTaskConfig, turnTimeoutSeconds: 600, stallProbeGraceSeconds: 60 }

export function backlogWith(given: Partial<Backlog> = {}): Backlog {
  return { tasks: [], issues: [], mergeRequests: [], openProposals: 0, repositories: ['lib', 'docs'], config, ...given }
}

export function anIssue(number: number, repository = 'lib', offerable = true): Backlog['issues'][number] {
  return { issue: `default/${repository}-${number}`, repository, print: `${repository}${number}`, offerable }
}

export function liveTask(kind: LiveTask['kind'], given: Partial<LiveTask> = {}): LiveTask {
  return { task: `default/${kind}-x`, kind, repositories: ['lib'], open: true, ...given }
}

export class AProject {
  readonly it: Drive
  #generation = 0

  constructor(settings: ScheduleSettings | undefined, maxConcurrentAgents = 3) {
    this.it = drive(projectMachine, 'default/demo')
    this.apply(settings, maxConcurrentAgents)
  }

  apply(settings: ScheduleSettings | undefined, maxConcurrentAgents = 3): readonly DrivenEffect[] {
    this.#generation += 1
    return this.it.send({
      type: 'project.applied',
      generation: this.#generation,
      maxConcurrentAgents,
      capacity: 3,
      alertCapacity: 1,
      ...(settings ? { settings } : {}),
    })
  }

  check(ready = true): readonly DrivenEffect[] {
    const reason = ready ? '' : 'TokenRefused'
    return this.it.send({ type: 'project.checked', generation: this.#generation, ready, reason, message: '' })
  }

  /** The state of a region. */
  at(region: BlockName | 'budget' | 'readiness'): unknown {
    return (this.it.value as { readonly scheduled: Readonly<Record<string, unknown>> }).scheduled[region]
  }

  block(name: BlockName): { readonly runs: number; readonly trouble: string; readonly last: number | null } {
    return this.it.context.scheduled.blocks[name]
  }

  run(name: BlockName): string {
    return `${name}/${this.block(name).runs}`
  }

  /** The schedule's answer: the next tick comes in so many milliseconds, the one before came `agoMs` ago. */
  plan(name: BlockName | 'window', schedule: string, inMs: number, agoMs?: number): readonly DrivenEffect[] {
    const { at } = this.it.context
    const before = agoMs === undefined ? {} : { previous: at - agoMs }
    return this.it.send({ type: 'tick.planned', name, schedule, next: at + inMs, ...before })
  }

  resynced(name: BlockName): readonly DrivenEffect[] {
    return this.it.send({ type: 'project.resynced', run: this.run(name) })
  }

  read(name: BlockName, backlog: Backlog = backlogWith()): readonly DrivenEffect[] {
    return this.it.send({ type: 'backlog.read', run: this.run(name), backlog })
  }

  ended(task: string, stage = 'delivered'): readonly DrivenEffect[] {
    return this.it.send({ type: 'task.ended', task, stage, reason: stage })
  }
}

/** Ready, and the block's tick is planned. */
export function planned(name: BlockName, settings: ScheduleSettings): AProject {
  const project = new AProject(settings)
  project.check()
  project.plan(name, settings[name].schedule, 10 * minute)
  return project
}
