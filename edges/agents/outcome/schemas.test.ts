import { describe, expect, it } from 'vitest'
import { agentKinds, type AgentKind } from '../../../machines/task/events.ts'
import { namesIn } from '../../../http/testing/fixture.ts'
import { faultsOf } from '../../../http/problems/validation.ts'
import { judgements } from '../../../machines/task/outcome/judge.ts'
import { actionOf, conditionalFaults, lengthFaults, repositoryFaults } from './rules.ts'
import { DocumentationOutcome, outcomeSchemas } from './schemas.ts'

type Payload = Readonly<Record<string, unknown>>

/** Paths of every fault, of form and of rule, as a caller is told them. */
function told(kind: AgentKind, payload: Payload): string[] {
  const paths = [...faultsOf(outcomeSchemas[kind], payload), ...conditionalFaults(kind, payload)].map(
    ({ path }) => path,
  )
  return [...new Set(paths)].toSorted()
}

const submitted = { action: 'submitted', title: 'Fix', body: 'It is fixed.', change_significance: 'patch' }
const approved = { action: 'approved', reason: 'maria said so', plan_note_id: 'note-1' }
const cited = { approving_maintainer: 'maria', approval_citations: [{ id: '12', quote: '/approve' }] }
const finding = { repo: 'lib', number: 7, body: 'off by one', severity: 'high' }
const read = [{ repo: 'lib', number: 7, sha: '0123456789abcdef' }]
const proposal = { repo: 'lib', title: 'Say more', body: 'The error names no file.', kind: 'bug' }
const filed = {
  action: 'file_issue',
  alert_rules: ['disk-full'],
  reason: 'the disk is full',
  issue: { repo: 'lib', title: 'Disk', body: 'Full.' },
}

describe('an outcome of the contract', () => {
  it('has the names of the contract: snake_case, but isPR (HTTP-16)', () => {
    const several = Object.values(outcomeSchemas)
      .flatMap(namesIn)
      .filter((name) => /[A-Z_]/.test(name))
    expect([...new Set(several)].toSorted()).toEqual([
      'alert_rules',
      'approval_citations',
      'approving_maintainer',
      'change_significance',
      'decline_reason',
      'isPR',
      'merge_order',
      'plan_note_id',
      'reviewed_shas',
    ])
  })

  it.each<[AgentKind, Payload]>([
    ['implement', submitted],
    [
      'implement',
      { ...submitted, change_significance: 'major', merge_order: ['lib', 'app'], task: 'implement-lib-1-x7k2p' },
    ],
    ['implement', { action: 'declined', decline_reason: 'not worth it' }],
    ['implement', { ...approved, ...cited }],
    ['implement', approved],
    ['implement', { action: 'discuss', reason: 'which way?' }],
    ['implement', { action: 'rejected', reason: 'spam' }],
    ['documentation', submitted],
    ['documentation', { action: 'declined', decline_reason: 'nothing changed' }],
    ['upgrade', { action: 'discuss', reason: 'which hop?' }],
    ['review', { verdict: 'approve', reviewed_shas: read }],
    ['review', { verdict: 'approve', reviewed_shas: read, change_significance: 'minor', findings: [] }],
    [
      'review',
      { verdict: 'request_changes', reviewed_shas: read, findings: [finding, { ...finding, path: 'a.ts', line: 3 }] },
    ],
    ['brainstorm', { action: 'propose', proposals: [proposal, proposal, proposal, proposal, proposal] }],
    ['brainstorm', { action: 'skip', reason: 'all is well' }],
    ['incident', filed],
    ['incident', { action: 'false_positive', alert_rules: ['disk-full'], reason: 'it was a test' }],
    ['refine', {}],
    [
      'refine',
      {
        folds: [{ task: 'a' }],
        closes: [{ repo: 'lib', number: 1, reason: 'done' }],
        links: [
          { repo: 'lib', number: 2, isPR: true },
          { repo: 'lib', number: 3 },
        ],
      },
    ],
  ])('is taken: %s %j (OUTCOME-REFINE-1, OUTCOME-REFINE-2, OUTCOME-WORK-3)', (kind, payload) => {
    expect(told(kind, payload)).toEqual([])
  })

  it.each<[AgentKind, Payload, string[]]>([
    // implement
    ['implement', {}, ['/action']],
    ['implement', { action: 'clarify' }, ['/action']],
    ['implement', { action: 'submitted' }, ['/body', '/change_significance', '/title']],
    ['implement', { ...submitted, title: '', body: '  \n' }, ['/body', '/title']],
    ['implement', { ...submitted, change_significance: 'huge' }, ['/change_significance']],
    ['implement', { ...submitted, merge_order: 'lib' }, ['/merge_order']],
    ['implement', { action: 'declined' }, ['/decline_reason']],
    ['implement', { action: 'approved' }, ['/plan_note_id', '/reason']],
    ['implement', { ...approved, plan_note_id: undefined }, ['/plan_note_id']],
    ['implement', { action: 'discuss' }, ['/reason']],
    ['implement', { action: 'rejected' }, ['/reason']],
    ['implement', { ...approved, approving_maintainer: 'maria' }, ['/approval_citations']],
    ['implement', { ...approved, approval_citations: cited.approval_citations }, ['/approving_maintainer']],
    ['implement', { ...approved, ...cited, approval_citations: [{ id: '12' }] }, ['/approval_citations/0/quote']],
    [
      'implement',
      { ...approved, ...cited, approval_citations: [{ ...cited.approval_citations[0], at: 1 }] },
      ['/approval_citations/0/at'],
    ],
    [
      'implement',
      {
        action: 'discuss',
        reason: 'hm',
        title: 'a',
        body: 'b',
        change_significance: 'patch',
        merge_order: [],
        decline_reason: 'c',
      },
      ['/body', '/change_significance', '/decline_reason', '/merge_order', '/title'],
    ],
    [
      'implement',
      { action: 'submitted', colour: 'red', verdict: 'request_changes' },
      ['/body', '/change_significance', '/colour', '/title', '/verdict'],
    ],
    // documentation, upgrade
    ['documentation', { action: 'approved', reason: 'x', plan_note_id: 'y' }, ['/action', '/plan_note_id']],
    ['upgrade', { action: 'rejected', reason: 'x' }, ['/action']],
    ['upgrade', { action: 'discuss', reason: 'x', title: 'y' }, ['/title']],
    // review
    ['review', {}, ['/reviewed_shas', '/verdict']],
    ['review', { verdict: 'comment', reviewed_shas: read }, ['/verdict']],
    ['review', { verdict: 'approve', reviewed_shas: [] }, ['/reviewed_shas']],
    [
      'review',
      { verdict: 'approve', reviewed_shas: [{ repo: 'lib' }] },
      ['/reviewed_shas/0/number', '/reviewed_shas/0/sha'],
    ],
    ['review', { verdict: 'request_changes', reviewed_shas: read }, ['/findings']],
    ['review', { verdict: 'request_changes', reviewed_shas: read, findings: [] }, ['/findings']],
    [
      'review',
      { verdict: 'request_changes', reviewed_shas: read, findings: [{ severity: 'awful', line: 1.5 }] },
      ['/findings/0/body', '/findings/0/line', '/findings/0/number', '/findings/0/repo', '/findings/0/severity'],
    ],
    ['review', { verdict: 'approve', reviewed_shas: read, action: 'submitted' }, ['/action']],
    // brainstorm
    ['brainstorm', { action: 'propose' }, ['/proposals']],
    [
      'brainstorm',
      { action: 'propose', proposals: [proposal, proposal, proposal, proposal, proposal, proposal] },
      ['/proposals'],
    ],
    [
      'brainstorm',
      { action: 'propose', proposals: [{ ...proposal, kind: 'idea', repo: undefined }] },
      ['/proposals/0/kind', '/proposals/0/repo'],
    ],
    ['brainstorm', { action: 'skip' }, ['/reason']],
    ['brainstorm', { action: 'exhausted', reason: 'x' }, ['/action']],
    // incident
    ['incident', {}, ['/action', '/alert_rules', '/reason']],
    ['incident', { ...filed, issue: undefined }, ['/issue']],
    ['incident', { ...filed, issue: { repo: 'lib' } }, ['/issue/body', '/issue/title']],
    ['incident', { ...filed, alert_rules: [] }, ['/alert_rules']],
    // refine
    ['refine', { action: 'propose' }, ['/action']],
    [
      'refine',
      { folds: [{}], closes: [{ repo: 'lib', number: '1' }], links: [{ repo: 'lib', number: 2, isPR: 'yes' }] },
      ['/closes/0/number', '/closes/0/reason', '/folds/0/task', '/links/0/isPR'],
    ],
  ])(
    'is refused with every fault: %s %j (OUTCOME-IMPLEMENT-3, OUTCOME-IMPLEMENT-4, OUTCOME-IMPLEMENT-8, OUTCOME-WORK-4, OUTCOME-REVIEW-1, OUTCOME-REVIEW-2, OUTCOME-REVIEW-9, OUTCOME-REVIEW-10, OUTCOME-BRAINSTORM-2, OUTCOME-BRAINSTORM-3, OUTCOME-BRAINSTORM-4, OUTCOME-BRAINSTORM-5, OUTCOME-INCIDENT-1, OUTCOME-INCIDENT-3, OUTCOME-INCIDENT-4, OUTCOME-REFINE-5, OUTCOME-REFINE-6)',
    (kind, payload, paths) => {
      // As it arrives: JSON has no undefined.
      expect(told(kind, JSON.parse(JSON.stringify(payload)) as Payload)).toEqual(paths)
    },
  )

  it.each(agentKinds)('refuses an unknown property and takes `task`: %s (OUTCOME-3, OUTCOME-4)', (kind) => {
    expect(told(kind, { surprise: 1, task: 'a' })).toContain('/surprise')
    expect(told(kind, { surprise: 1, task: 'a' })).not.toContain('/task')
    expect(told(kind, { task: 7 })).toContain('/task')
  })

  it('has a bound on each text and list, and every fault names its own (OUTCOME-21)', () => {
    const long = 'x'.repeat(60_001)
    const implement = { ...submitted, title: long.slice(0, 256), body: long, decline_reason: long }
    expect(lengthFaults(implement)).toEqual([
      { path: '/title', message: 'must not have more than 255 characters' },
      { path: '/body', message: 'must not have more than 60000 characters' },
      { path: '/decline_reason', message: 'must not have more than 10000 characters' },
    ])
    expect(lengthFaults({ ...submitted, title: long.slice(0, 255), body: long.slice(1) })).toEqual([])
    const review = { findings: Array.from({ length: 501 }, () => ({ ...finding, path: long })) }
    expect(lengthFaults({ findings: review.findings.slice(1, 2) }).map(({ path }) => path)).toEqual([
      '/findings/0/path',
    ])
    expect(lengthFaults(review)[0]).toEqual({ path: '/findings', message: 'must not have more than 500 items' })
  })

  it('has one schema for documentation and upgrade, so that they cannot drift (TOOLS-7, OUTCOME-14)', () => {
    expect(outcomeSchemas.upgrade).toBe(DocumentationOutcome)
    expect(outcomeSchemas.documentation).toBe(DocumentationOutcome)
    expect(new Set(Object.values(outcomeSchemas)).size).toBe(6)
  })

  it('is one object at the top: an agent’s tool takes no union there', () => {
    for (const schema of Object.values(outcomeSchemas)) {
      expect(schema).toMatchObject({ type: 'object', additionalProperties: false })
      expect(schema).not.toHaveProperty('anyOf')
    }
  })

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'with the action %s is refused like any unknown one',
    (action) => {
      expect(told('implement', { action })).toEqual(['/action'])
      expect(told('review', { verdict: action, reviewed_shas: read })).toEqual(['/verdict'])
    },
  )

  it('refuses a property that is called like a part of JavaScript', () => {
    const payload = JSON.parse('{"action":"rejected","reason":"x","constructor":1,"toString":2}') as Payload
    expect(told('implement', payload)).toEqual(['/constructor', '/toString'])
  })

  it('says which half of a citation is missing, under its own code (OUTCOME-IMPLEMENT-7)', () => {
    const [fault, ...rest] = conditionalFaults('implement', {
      ...approved,
      approving_maintainer: 'maria',
      approval_citations: [],
    })
    expect([fault?.path, fault?.code, rest]).toEqual(['/approval_citations', 'citation-incomplete', []])
  })

  it.each<[AgentKind, Payload, string]>([
    ['implement', { action: 'approved', verdict: 'approve' }, 'approved'],
    ['review', { action: 'approved', verdict: 'approve' }, 'approve'],
    ['refine', { action: 'approved' }, 'refine'],
    ['implement', { action: { toString: 'x' } }, ''],
  ])('does what its own schema calls the decision: %s %j', (kind, payload, action) => {
    expect(actionOf(kind, payload)).toBe(action)
  })
})

describe('LAW-12', () => {
  const actions = (kind: AgentKind): readonly string[] => {
    if (kind === 'refine') return ['refine']
    const field = outcomeSchemas[kind].properties[kind === 'review' ? 'verdict' : 'action'] as {
      readonly anyOf: readonly { readonly const: string }[]
    }
    return field.anyOf.map((literal) => literal.const)
  }

  it.each(agentKinds)(
    'every action of the schema of %s has its row in the table of outcomes, and no row has another (OUTCOME-IMPLEMENT-1, OUTCOME-WORK-1, OUTCOME-WORK-2, OUTCOME-REVIEW-1, OUTCOME-BRAINSTORM-1, OUTCOME-INCIDENT-2)',
    (kind) => {
      const rows = Object.keys(judgements)
        .map((row) => row.split(' '))
        .filter(([, agent]) => agent === kind)
      expect(rows.map(([, , action]) => action).toSorted()).toEqual(actions(kind).toSorted())
    },
  )
})

it.each([
  ['brainstorm', { action: 'propose', proposals: [{ repo: 'x' }, { repo: 'lib' }] }, ['/proposals/0/repo']],
  ['incident', { action: 'file_issue', issue: { repo: 'x' } }, ['/issue/repo']],
  ['refine', { closes: [{ repo: 'x' }], links: [{ repo: 'lib' }, { repo: 'y' }] }, ['/closes/0/repo', '/links/1/repo']],
  ['implement', { action: 'submitted' }, []],
] as const)('what %s wants written names repositories of the Project (OUTCOME-15)', (kind, payload, paths) => {
  expect(repositoryFaults(kind, payload, ['lib']).map(({ path }) => path)).toEqual(paths)
})
