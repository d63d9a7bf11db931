import { describe, expect, test } from 'vitest'
import { newMemory } from '../../machines/memory/context.ts'
import type { Indexed } from '../../machines/memory/events.ts'
import { newProject } from '../../machines/project/context.ts'
import { lostBy } from '../testing/server-view.ts'
import { repositoryStatus, type RepositoryFacts } from './repository.ts'

const at = Date.parse('2026-01-02T03:04:05Z')
const time = '2026-01-02T03:04:05.000Z'
const day = 86_400_000
const ready = {
  ...newProject('default/demo'),
  ...{ reason: '', generation: 77, checkedGeneration: 77, resyncedAt: at },
  since: { Ready: at },
  observed: { 'Project/demo': 3, 'Repository/lib': 2 },
}
const facts: RepositoryFacts = {
  name: 'lib',
  createdAt: at - day,
  projectRef: 'demo',
  hasProject: true,
  project: { context: ready },
  defaultBranch: 'main',
  forgeId: '17',
}

test('names its own fault, and of the fault of a sibling no more than that there is one (REPOSITORY-5)', () => {
  const found = (repository: string) => ({
    reason: 'RepositoryUnreachable',
    message: `${repository}: Not Found`,
    blocks: true,
    repository,
  })
  const statusOf = (name: string, faults: readonly object[], reason = 'RepositoryUnreachable') =>
    repositoryStatus({
      ...facts,
      name,
      project: { context: { ...ready, reason, message: 'a; b', faults: faults as never } },
    })
  const both = [found('gone'), found('other')]
  expect(statusOf('gone', both)).toMatchObject({
    conditions: [
      {
        status: 'False',
        reason: 'RepositoryUnreachable',
        message: 'gone: Not Found',
      },
    ],
  })
  expect(statusOf('lib', both)).toMatchObject({
    conditions: [
      {
        status: 'False',
        reason: 'ProjectNotReady',
        message: 'another Repository of its Project is not ready',
      },
    ],
  })
  const warned = [{ ...found('gone'), blocks: false }]
  expect(statusOf('lib', warned, '')).toMatchObject({
    conditions: [{ status: 'True', reason: 'Checked', message: '' }],
  })
})

test('is ready as its Project is, with the branch that work starts from and the time of the last resync', () => {
  expect(repositoryStatus(facts)).toEqual({
    conditions: [
      {
        ...{ type: 'Ready', status: 'True', reason: 'Checked', message: '' },
        ...{ lastTransitionTime: time, observedGeneration: 2 },
      },
    ],
    forgeId: '17',
    defaultBranch: 'main',
    lastSyncTime: time,
  })
  const refused = { ...ready, reason: 'TokenRefused', message: 'the token was refused' }
  expect(repositoryStatus({ ...facts, project: { context: refused } })).toMatchObject({
    conditions: [{ type: 'Ready', status: 'False', reason: 'TokenRefused', message: 'the token was refused' }],
  })
})

test('is not ready where its Project does not exist, whatever an actor of that name remembers (RESOURCES-4)', () => {
  for (const project of [undefined, facts.project])
    expect(
      repositoryStatus({ ...facts, hasProject: false, project, defaultBranch: undefined, forgeId: undefined }),
    ).toEqual({
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'ProjectMissing',
          message: 'there is no Project demo in this namespace',
          lastTransitionTime: expect.stringMatching(/^2026-01-0[12]T03:04:05.000Z$/),
        },
      ],
    })
})

test('is not ready before its Project was checked (RESOURCES-4)', () => {
  const status = repositoryStatus({ ...facts, project: undefined })
  expect(status).toMatchObject({ conditions: [{ type: 'Ready', status: 'False', reason: 'NotChecked' }] })
  expect(status).not.toHaveProperty('lastSyncTime')
})

test('a server keeps all of it (RESOURCES-26)', () => {
  for (const given of [facts, { ...facts, hasProject: false, project: undefined, defaultBranch: undefined }])
    expect(lostBy('Repository', repositoryStatus(given))).toEqual([])
})

test('RESOURCES-27: is ready no earlier than it was applied, whenever its Project came to be', () => {
  const late = { ...facts, createdAt: at + day }
  expect(repositoryStatus(late)).toMatchObject({ conditions: [{ lastTransitionTime: '2026-01-03T03:04:05.000Z' }] })
})

describe('what the memory of its Project holds of it (REPOSITORY-5)', () => {
  const statusWith = (known: Partial<Indexed>) => {
    const lib = { commit: 'abc', due: 0, trouble: '', since: at, ...known }
    return repositoryStatus({ ...facts, memory: { context: { ...newMemory('default/demo'), repositories: { lib } } } })
  }
  test('is said by its commit, and by a condition since when it is so', () => {
    const status = statusWith({})
    expect(status).toMatchObject({
      indexedCommit: 'abc',
      conditions: [
        { type: 'Ready' },
        { type: 'Indexed', status: 'True', reason: 'Current', message: '', lastTransitionTime: time },
      ],
    })
    expect(lostBy('Repository', status)).toEqual([])
  })
  test('lags, or could not be taken in', () => {
    expect(statusWith({ due: 3, commit: '' })).toMatchObject({
      conditions: [{}, { status: 'False', reason: 'Behind', message: 'The memory lacks 3 files, commits and issues.' }],
    })
    expect(statusWith({ due: 3, commit: '' })).not.toHaveProperty('indexedCommit')
    expect(statusWith({ trouble: 'it has no branch main' })).toMatchObject({
      indexedCommit: 'abc',
      conditions: [{}, { status: 'False', reason: 'Failed', message: 'it has no branch main' }],
    })
  })
  test('is not said where nobody fills one, or before a step has looked', () => {
    const nothing = { context: newMemory('default/demo') }
    for (const memory of [undefined, nothing])
      expect(repositoryStatus({ ...facts, memory })).toEqual(repositoryStatus(facts))
  })
})
