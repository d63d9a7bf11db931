import { initialTransition, transition } from 'xstate'
import { expect, it } from 'vitest'
import { taskMachine } from '../../task/machine.ts'
import { taskTransition } from './task-transition.ts'

it('goes where the transition of XState goes, and asks for the same, at each call anew', () => {
  const [blank] = initialTransition(taskMachine, { id: 'default/one' })
  const seed = {
    kind: 'refine',
    goal: 'g',
    repositories: ['lib'],
    issues: [],
    mergeRequests: [],
    priority: 80,
    origin: { kind: 'cron', ref: 'issueScan/1' },
    config: { project: 'default/demo', repositories: [{ name: 'lib', base: 'main' }], model: {}, effort: {} },
  }
  const minted = { type: 'task.minted', at: 1, seed, entry: 'e' } as never
  const [snapshot, asked] = transition(taskMachine, blank, minted)
  for (let time = 0; time < 2; time++) {
    const [own, ownAsked] = taskTransition(blank, minted)
    expect(own.toJSON()).toEqual(snapshot.toJSON())
    expect(ownAsked.map(({ params }) => params)).toEqual(asked.map(({ params }) => params))
    expect(ownAsked.length).toBeGreaterThan(0)
  }
})
