import { expect, test } from 'vitest'
import { makePlan } from './make-plan.ts'
import type { Fault } from './plan.ts'
import { crashPoints, stackPoints } from './points.ts'

test.each([1, 58, 4711])(
  'two hundred and sixty lives from %i on are to die at each point, more than once when they first come there',
  (from) => {
    const aimedAt = new Map<string, number>()
    for (let seed = from; seed < from + 260; seed++)
      for (const fault of makePlan(seed, crashPoints).faults)
        if (fault.kind === 'crash' && fault.before === undefined && fault.nth === 1)
          aimedAt.set(fault.point, (aimedAt.get(fault.point) ?? 0) + 1)
    expect([...crashPoints, ...stackPoints].filter((point) => (aimedAt.get(point) ?? 0) < 2)).toEqual([])
  },
)

test('a point that is seldom come to is aimed at in lives in which nothing else goes wrong', () => {
  const alone = Array.from({ length: 200 }, (_, seed) => makePlan(seed, crashPoints)).filter(({ faults }) =>
    faults.every((fault) => fault.kind === 'crash'),
  )
  const points = new Set(alone.flatMap(({ faults }) => faults.map((fault) => fault.kind === 'crash' && fault.point)))
  for (const part of ['wrapper POST interrupt', 'agents/spilled-notes', 'forge PATCH issues'])
    expect([...points].filter((point) => point && point.includes(part)).length).toBeGreaterThan(1)
})

test('about one life of three is on GitLab, and so is each that is to die at a point of GitLab alone', () => {
  const plans = Array.from({ length: 300 }, (_, seed) => makePlan(seed, crashPoints))
  const onGitlab = plans.filter(({ forge }) => forge === 'gitlab')
  expect(onGitlab.length).toBeGreaterThan(75)
  expect(onGitlab.length).toBeLessThan(125)
  const isOfGitlab = (fault: Fault): boolean => fault.kind === 'crash' && fault.point.includes(' drafts:')
  const aimed = plans.filter(({ faults }) => faults.some(isOfGitlab))
  expect(aimed.length).toBeGreaterThan(0)
  expect(aimed.filter(({ forge }) => forge !== 'gitlab')).toEqual([])
})
