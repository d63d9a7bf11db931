/** What must come from wherever a schedule is. */
import { blockNames } from '../../../machines/project/events.ts'
import type { Future } from '../world-model.ts'
import { placeOf, projectIn } from './history.ts'
import { next } from './moves.ts'
import type { ScheduleWorld } from './world.ts'

const silence = 60
const longestHelp = 400

function snapshotOf({ actors }: ScheduleWorld): ReturnType<ScheduleWorld['actors']['snapshot']> {
  return actors.snapshot('project:default/demo')
}

function deliverAll({ actors }: ScheduleWorld): void {
  for (let [channel] = actors.channels; channel !== undefined; [channel] = actors.channels) actors.deliver(channel)
}

/** Timers in order of their time; the platform's own clock says when a schedule is due, nobody else says anything. */
function waitSilently(world: ScheduleWorld): void {
  deliverAll(world)
  const own = world.actors.outbox.find(({ type }) => type === 'planTick')
  const [timer] = world.actors.timers
  if (own) world.perform(own, 'answered')
  else if (timer) world.actors.fire(timer)
  deliverAll(world)
}

function isRunning(world: ScheduleWorld): readonly string[] {
  return blockNames.filter((name) => placeOf(snapshotOf(world), name) === 'running')
}

/** LAW-14: a run that nobody answers is over by its own time. */
function endsBySilence(from: ScheduleWorld): readonly string[] {
  return isRunning(from).flatMap((name) => {
    const world = from.fork()
    const runs = (): number => projectIn(snapshotOf(world))?.scheduled?.blocks[name as 'upgrade'].runs ?? 0
    const before = runs()
    const isSame = (): boolean => placeOf(snapshotOf(world), name) === 'running' && runs() === before
    for (let round = 0; round < silence && isSame(); round++) waitSilently(world)
    return isSame() ? [`a run of ${name} never ends while all are silent`] : []
  })
}

/** LAW-14: what a budget holds back it lets go by time alone. */
function opensBySilence(from: ScheduleWorld): readonly string[] {
  const world = from.fork()
  const isHeld = (): boolean => (projectIn(snapshotOf(world))?.scheduled?.spending.hold ?? 'open') !== 'open'
  for (let round = 0; round < silence && isHeld(); round++) waitSilently(world)
  return isHeld() ? ['a budget holds for ever'] : []
}

/** LAW-9: with its operator's help each block runs again, and whoever waits is admitted. */
function runsAgain(from: ScheduleWorld): readonly string[] {
  const world = from.fork()
  world.apply({ areSchedulesOn: false })
  deliverAll(world)
  world.apply({ areSchedulesOn: true, agents: 2 })
  world.check(true)
  const runs = (): readonly number[] =>
    blockNames.map((name) => projectIn(snapshotOf(world))?.scheduled?.blocks[name].runs ?? 0)
  deliverAll(world)
  const before = runs()
  const idle = (): readonly string[] =>
    blockNames.filter((name, index) => world.around.settings[name].schedule !== '' && runs()[index]! <= before[index]!)
  for (let step = 0; step < longestHelp && idle().length > 0; step++) next(world)[0]?.act(world)
  return idle().map((name) => `${name} never runs again`)
}

function placesOf(world: ScheduleWorld): string {
  const { scheduled, isPaused, reason } = projectIn(snapshotOf(world)) ?? {}
  const held = scheduled?.spending.hold
  return JSON.stringify([
    snapshotOf(world)?.value,
    isPaused,
    reason,
    held,
    scheduled?.refine.task === '',
    world.around.agents,
  ])
}

export const scheduleFutures: readonly Future<ScheduleWorld>[] = [
  { law: 14, says: 'a run that nobody answers ends by its own time', about: placesOf, judge: endsBySilence },
  { law: 14, says: 'a budget opens by time alone', about: placesOf, judge: opensBySilence },
  { law: 9, says: 'every block can run again', about: placesOf, judge: runsAgain },
]
