import { expect, test } from 'vitest'
import { drive, sent } from '../drive.ts'
import { taskMachine } from './machine.ts'

function minted(origin: string): ReturnType<typeof drive> {
  const task = drive(taskMachine, 'default/refine-demo-1-abcde')
  const seed = {
    kind: 'refine',
    goal: 'g',
    repositories: ['lib'],
    issues: [],
    mergeRequests: [],
    priority: 80,
    origin: { kind: origin, ref: 'issueScan/1' },
    config: { project: 'default/demo', repositories: [{ name: 'lib', base: 'main' }], model: {}, effort: {} },
  }
  task.send({ type: 'task.minted', seed, entry: 'mint/x' })
  return task
}

test('a Task that a schedule asked for tells its Project how it ended', () => {
  expect(sent(minted('cron').send({ type: 'task.close', by: 'maya' }), 'project')).toEqual([
    { type: 'task.ended', task: 'default/refine-demo-1-abcde', stage: 'rejected', reason: 'cancelled' },
  ])
})

test('one that people asked for tells nobody but its issues', () => {
  expect(sent(minted('human').send({ type: 'task.close', by: 'maya' }), 'project')).toEqual([])
})
