import { expect, test } from 'vitest'
import { newProject } from '../../machines/project/context.ts'
import { lostBy } from '../testing.ts'
import { repositoryStatus, type RepositoryFacts } from './repository.ts'

const at = Date.parse('2026-01-02T03:04:05Z')
const ready = { ...newProject('default/demo'), reason: '', generation: 2, checkedGeneration: 2, resyncedAt: at }
const facts: RepositoryFacts = {
  projectRef: 'demo',
  hasProject: true,
  project: { path: 'ready', context: ready },
  defaultBranch: 'main',
}

test('is ready as its Project is, with the branch that work starts from and the time of the last resync', () => {
  expect(repositoryStatus(facts)).toEqual({
    conditions: [{ type: 'Ready', status: 'True', reason: 'Checked', message: '' }],
    defaultBranch: 'main',
    lastSyncTime: '2026-01-02T03:04:05.000Z',
  })
  const refused = { ...ready, reason: 'TokenRefused', message: 'the token was refused' }
  expect(repositoryStatus({ ...facts, project: { path: 'notReady', context: refused } })).toMatchObject({
    conditions: [{ type: 'Ready', status: 'False', reason: 'TokenRefused', message: 'the token was refused' }],
  })
})

test('is not ready where its Project does not exist, whatever an actor of that name remembers (RESOURCES-4)', () => {
  for (const project of [undefined, facts.project])
    expect(repositoryStatus({ ...facts, hasProject: false, project, defaultBranch: undefined })).toEqual({
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'ProjectMissing',
          message: 'there is no Project demo in this namespace',
        },
      ],
      defaultBranch: null,
      lastSyncTime: null,
    })
})

test('is not ready before its Project was checked (RESOURCES-4)', () => {
  expect(repositoryStatus({ ...facts, project: undefined })).toMatchObject({
    conditions: [{ type: 'Ready', status: 'False', reason: 'NotChecked' }],
    lastSyncTime: null,
  })
})

test('a server keeps all of it (RESOURCES-26)', () => {
  for (const given of [facts, { ...facts, hasProject: false, project: undefined, defaultBranch: undefined }])
    expect(lostBy('Repository', repositoryStatus(given))).toEqual([])
})
