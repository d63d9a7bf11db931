import type { Outstanding } from '../../machines/world/trace.ts'
import type { Move } from '../world-model.ts'
import { minute, project, type Fate, type ScheduleWorld } from './world.ts'

export type Moves = (world: ScheduleWorld) => readonly Move<ScheduleWorld>[]

function move(says: string, act: (world: ScheduleWorld) => void, cost: 0 | 1 = 1): Move<ScheduleWorld> {
  return { says, cost, act }
}

function nameOf({ type, params }: Outstanding): string {
  return [type, params['name'] ?? params['run']].filter(Boolean).join(' of ')
}

/** Mail, answers, Tasks that end, and then the time of the next timer. */
export const next: Moves = ({ actors, living }) => {
  const [channel] = actors.channels
  if (channel !== undefined)
    return [move(`${channel}: ${actors.mail(channel)[0]?.event.type}`, (one) => one.actors.deliver(channel), 0)]
  const [effect] = actors.outbox
  if (effect) return [move(`${nameOf(effect)} is answered`, (one) => one.perform(effect, 'answered'), 0)]
  const [task] = living
  if (task !== undefined) return [move(`${task} ends`, (one) => one.end(task, 'delivered'), 0)]
  const [timer] = actors.timers
  return timer ? [move(`${timer.id} is over`, (one) => one.actors.fire(timer), 0)] : []
}

/** A timer's time comes while others still do what they do, or late and after others. */
export const timers: Moves = ({ actors }) =>
  actors.timers.map((timer) => move(`the time of ${timer.id} comes`, (one) => one.actors.fire(timer)))

export const answers: Moves = ({ actors }) =>
  actors.outbox.flatMap((effect) => {
    const fates: readonly Fate[] = effect.type === 'planTick' ? ['lost', 'refused'] : ['lost', 'failed']
    return [
      ...fates.map((fate) => move(`${nameOf(effect)} is ${fate}`, (one) => one.perform(effect, fate))),
      move(`${nameOf(effect)} is answered first`, (one) => one.perform(effect, 'answered')),
    ]
  })

export const operators: Moves = ({ around }) => [
  around.agents === 0
    ? move('the operator lets it run', (one) => one.apply({ agents: 2 }))
    : move('the operator pauses it', (one) => one.apply({ agents: 0 })),
  around.isReady
    ? move('its checks fail', (one) => one.check(false))
    : move('its checks hold again', (one) => one.check(true)),
  around.areSchedulesOn
    ? move('its schedules are taken away', (one) => one.apply({ areSchedulesOn: false }))
    : move('its schedules come back', (one) => one.apply({ areSchedulesOn: true })),
]

export const night: Moves = () => [move('nobody is there for ten hours', (one) => one.actors.sleep(600 * minute))]

export const backlogs: Moves = ({ around, living }) => [
  move('the issue changes', (one) => {
    one.around = { ...one.around, issue: around.issue + 1 }
  }),
  move('the merge request has a new head', (one) => {
    one.around = { ...one.around, head: around.head + 1 }
  }),
  ...living.map((task) => move(`${task} fails`, (one) => one.end(task, 'failed'))),
]

/** By three in ten of the limit. */
export const spenders: Moves = () => [
  move('a turn used 30 tokens', (one) => spend(one, 30)),
  move('a turn used 80 tokens', (one) => spend(one, 80)),
]

function spend(world: ScheduleWorld, tokens: number): void {
  world.tell(project, { type: 'usage.spent', turn: 'a-turn', tokens })
}

const reported = [
  [50, 50, 0],
  [85, 10, 0],
  [10, 97, 0],
  [99, 99, 60],
] as const

/** The last was read an hour ago. */
export const accounts: Moves = () =>
  reported.map(([fiveHour, weekly, minutesAgo]) =>
    move(`a pod was told ${fiveHour} % and ${weekly} %, ${minutesAgo} minutes ago`, (one) => {
      const { now } = one.actors
      one.tell(project, {
        type: 'usage.reported',
        fiveHour: { usedPercent: fiveHour, resetsAt: now + 30 * minute },
        weekly: { usedPercent: weekly, resetsAt: now + 300 * minute },
        reportedAt: now - minutesAgo * minute,
      })
    }),
  )

export const wishes: Moves = () => [
  move('a Task is asked for', (one) => one.want('normal')),
  move('an alert fires', (one) => one.want('alert')),
]
