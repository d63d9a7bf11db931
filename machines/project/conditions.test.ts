/** What a Project notes for its conditions: since when each is what it is, and which resources were observed. */
import { expect, test } from 'vitest'
import { AProject, everyTen, minute, settingsWith } from '../testing/a-project.ts'
import { conditionsOf } from './conditions.ts'

const scheduled = settingsWith({ upgrade: { schedule: everyTen, maxOpenUpgrades: 1 } })
const fault = (reason: string, message: string) => ({ reason, message, blocks: false })
const checkedWith = (project: AProject, ready: boolean, faults: readonly object[] = []): void => {
  const { generation } = project.it.context
  const reason = ready ? '' : 'TokenRefused'
  project.it.send({ type: 'project.checked', generation, ready, reason, message: 'm', faults })
}
const typesOf = (project: AProject): readonly string[] => conditionsOf(project.it.context).map(({ type }) => type)

test('RESOURCES-27: the type of a condition is unique, whatever was found in how many Repositories', () => {
  const project = new AProject(undefined)
  checkedWith(project, true, [fault('NoMaintainers', 'lib has none'), fault('NoMaintainers', 'app has none')])
  expect(conditionsOf(project.it.context)).toMatchObject([
    { type: 'Ready', status: 'True' },
    { type: 'NoMaintainers', status: 'True', reason: 'NoMaintainers', message: 'lib has none; app has none' },
  ])
})

test('RESOURCES-27: Ready keeps its time until it changes, and is noted at the event that changed it', () => {
  const project = new AProject(undefined)
  const first = project.it.context.at
  project.it.pass(minute)
  checkedWith(project, false)
  expect(project.it.context.since).toEqual({ Ready: first })
  project.it.pass(minute)
  checkedWith(project, true)
  const ready = project.it.context.at
  expect(project.it.context.since).toEqual({ Ready: ready })
  project.it.pass(minute)
  project.it.send({ type: 'project.resynced' })
  expect(project.it.context.since).toEqual({ Ready: ready })
  project.apply(undefined)
  expect(project.it.context.since).toEqual({ Ready: ready + minute })
})

test('RESOURCES-27: a warning has the time at which it came, through other messages of it, and leaves with it', () => {
  const project = new AProject(scheduled)
  checkedWith(project, true, [fault('NoMaintainers', 'lib')])
  const came = project.it.context.at
  project.it.pass(minute)
  checkedWith(project, true, [fault('NoMaintainers', 'lib')])
  project.it.send({ type: 'tick.refused', name: 'upgrade', schedule: everyTen, reason: 'never comes' })
  expect(project.it.context.since).toMatchObject({ NoMaintainers: came, UpgradeUnscheduled: came + minute })
  project.apply(settingsWith())
  expect(typesOf(project)).not.toContain('UpgradeUnscheduled')
  expect(Object.keys(project.it.context.since).toSorted()).toEqual(typesOf(project).toSorted())
})

test('RESOURCES-28: what was checked is observed, whether the Project came to be ready or not', () => {
  const project = new AProject(undefined)
  const applied = { type: 'project.applied', maxConcurrentAgents: 3, capacity: 3, alertCapacity: 1 }
  const first = { 'Project/demo': 4, 'Repository/lib': 1 }
  project.it.send({ ...applied, generation: 77, resources: first })
  expect(project.it.context.observed).toEqual({})
  checkedWith(project, false)
  expect(project.it.context.observed).toEqual(first)
  project.it.send({ ...applied, generation: 78, resources: { 'Project/demo': 5 } })
  project.it.send({ type: 'project.checked', generation: 77, ready: true, reason: '', message: '' })
  expect(project.it.context.observed).toEqual(first)
  checkedWith(project, true)
  expect(project.it.context.observed).toEqual({ 'Project/demo': 5 })
})
