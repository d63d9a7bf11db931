import { expect, it } from 'vitest'
import { ATask, working } from '../../../machines/testing/a-task.ts'
import { aTask, aView, reading } from '../testing/fixture.ts'
import { foldMembers } from './members.ts'

const refine = working('refine').context

it('a member is free, running, ended or no member at all, as its actor says now', async () => {
  const runtime = reading({
    'task:default/free': aView(new ATask().mint().context),
    'task:default/running': aView(aTask()),
    'task:default/ended': aView(aTask(), { status: 'done' }),
    'task:default/ending': aView(aTask({ stage: { class: 'terminal' } })),
    'task:default/sick': aView(aTask(), { status: 'quarantined' }),
    'task:default/review': aView(aTask({ kind: 'review' })),
    'task:default/foreign': aView(aTask({ config: { ...aTask().config, project: 'default/other' } })),
  }) as never
  const names = ['free', 'default/running', 'ended', 'ending', 'sick', 'review', 'foreign', 'none', 'free']
  const members = await foldMembers(
    { runtime },
    refine,
    names.map((task) => ({ task })),
  )
  expect(members.map(({ task, state }) => `${task.slice('default/'.length)} ${state}`)).toEqual([
    'free free',
    'running running',
    'ended ended',
    'ending ended',
    'sick unknown',
    'review unknown',
    'foreign unknown',
    'none unknown',
  ])
})
