import { expect, test } from 'vitest'
import { newIssue } from '../issue/context.ts'
import { inReview, parkedBy } from '../testing/a-task.ts'
import { listedMachines, listedOf } from './listed.ts'

const pathOfParked = 'stage.live.parked.awaiting-human pod.settled'

function textsOf(kind: 'task' | 'issue', context: object, path = ''): Readonly<Record<string, string>> {
  return listedOf(kind)?.of({ ...context }, path) ?? {}
}

test('a Task lists what it is about, where, and what it waits for', () => {
  const { context } = parkedBy('needs-maintainer')
  expect(textsOf('task', context, pathOfParked)).toMatchObject({ project: 'default/demo', reason: 'needs-maintainer' })
  expect(textsOf('task', inReview().context)).toMatchObject({
    repository: 'lib',
    number: 'lib#1 lib!7',
    agent: 'implement',
    commit: 'sha-1',
  })
})

test('a Task of many changes lists each of its commits, so that a list finds those that the board finds', () => {
  const { context } = inReview()
  const sha = (index: number): string => String(index).padStart(40, 'a')
  const mergeRequests = Array.from({ length: 7 }, (_, index) => ({
    ...context.forge.mergeRequests[0],
    headSha: `${index}${sha(index)}`,
    mergeCommit: `${index + 10}${sha(index)}`,
  }))
  const { commit = '' } = textsOf('task', { ...context, forge: { ...context.forge, mergeRequests } })
  expect(commit.split(' ')).toHaveLength(14)
  expect(commit.length).toBeLessThanOrEqual(200)
})

test('a title that a list cannot hold ends with a sign, of a Task and of an issue', () => {
  const { context } = inReview()
  const title = `${'Parse '.repeat(40)}😀`
  const facts = { title, project: 'default/demo', repository: 'lib', number: 1, author: 'maria', state: 'open' }
  const listed = [
    textsOf('task', { ...context, goal: title }),
    textsOf('issue', { ...newIssue('default/lib-1'), facts }),
  ]
  for (const { title: shown = '' } of listed) {
    expect(shown.length).toBe(200)
    expect(shown).toMatch(/…$/)
  }
})

test('the title of a Task is the first line of its goal, without the name of an issue', () => {
  const { context } = inReview()
  expect(textsOf('task', { ...context, goal: ' Parse dates\n\nas ISO 8601' })).toMatchObject({ title: 'Parse dates' })
  expect(textsOf('task', { ...context, goal: 'lib#7: Parse: dates' })).toMatchObject({ title: 'Parse: dates' })
})

test('an issue lists its title, its author and its Task, once its forge told of it', () => {
  const issue = newIssue('default/lib-1')
  expect(textsOf('issue', issue)).toEqual({})
  const facts = {
    title: 'Broken',
    project: 'default/demo',
    repository: 'lib',
    number: 1,
    author: 'maria',
    state: 'open',
  }
  expect(textsOf('issue', { ...issue, facts, owner: 'default/t' })).toEqual({
    title: 'Broken',
    project: 'default/demo',
    repository: 'lib',
    number: 'lib#1',
    person: 'maria',
    task: 'default/t',
  })
})

test('what people work on is listed, and none has more than eight texts', () => {
  expect(listedMachines.filter(({ listed }) => listed).map(({ kind }) => kind)).toEqual([
    'task',
    'pod',
    'turn',
    'issue',
    'merge-request',
  ])
  expect(Object.keys(textsOf('task', inReview().context)).length).toBeLessThanOrEqual(8)
})
