import { describe, expect, test } from 'vitest'
import { agentKinds } from '../machines/task/events.ts'
import { effortByKind, modelsByKind } from './models.ts'
import type { ProjectSpec } from './project.ts'

describe('the model of an agent', () => {
  test('is the one of this release for its kind; upgrade leaves it to the wrapper (RESOURCE-RULE-4) (PROJECT-AGENT-10, PROJECT-AGENT-13)', () => {
    const models = modelsByKind(undefined)
    expect(Object.keys(models).toSorted()).toEqual([...agentKinds].toSorted())
    const without = agentKinds.filter((kind) => models[kind] === '')
    expect(without).toEqual(['upgrade'])
    for (const kind of ['implement', 'review', 'brainstorm', 'incident']) expect(models[kind]).toMatch(/^claude-opus-/)
    for (const kind of ['documentation', 'refine']) expect(models[kind]).toMatch(/^claude-sonnet-/)
  })

  test('is the operator’s where the Project names none, by kind before the one for all (PROJECT-AGENT-1, ORCHESTRATOR-SETTINGS-10)', () => {
    const defaults = { model: 'claude-o', byKind: { review: 'claude-r' } }
    const models = modelsByKind({ modelByKind: { refine: 'claude-p' } }, defaults)
    expect([models['implement'], models['review'], models['refine']]).toEqual(['claude-o', 'claude-r', 'claude-p'])
    expect(modelsByKind({ model: 'claude-p' }, defaults)['review']).toBe('claude-p')
    expect(modelsByKind({ model: '' }, defaults)['upgrade']).toBe('claude-o')
  })

  test('is the Project’s for every kind that has none of its own (PROJECT-AGENT-12)', () => {
    const models = modelsByKind({ model: 'claude-haiku-4', modelByKind: { review: 'claude-opus-9' } })
    expect(models).toEqual({
      ...Object.fromEntries(agentKinds.map((kind) => [kind, 'claude-haiku-4'])),
      review: 'claude-opus-9',
    })
  })

  test('is that of the release where the Project’s is empty (PROJECT-AGENT-13)', () => {
    expect(modelsByKind({ model: '' })).toEqual(modelsByKind(undefined))
  })
})

test('the effort of an agent is that of its kind, else the Project’s, else xhigh (PROJECT-AGENT-14)', () => {
  expect(new Set(Object.values(effortByKind(undefined)))).toEqual(new Set(['xhigh']))
  const agent = { effort: 'low', effortByKind: { implement: 'max' } } as unknown as ProjectSpec['agent']
  const effort = effortByKind(agent)
  expect([effort['implement'], effort['review']]).toEqual(['max', 'low'])
})
