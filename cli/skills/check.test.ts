import { describe, expect, it } from 'vitest'
import { toolManifest } from '../../edges/agents/mcp/manifest.ts'
import { checkSkillText } from './check.ts'

const manifest = toolManifest()
const faultsIn = (text: string): readonly string[] =>
  checkSkillText('SKILL.md', text, manifest).map(({ message }) => message)

describe('a skill file', () => {
  it.each([
    'Call `scm_read(kind=ci, repo=api, number=12)` and wait.',
    'Call scm_read(kind="comments", is_pr=true).',
    "Use mr_write(action='reply', in_reply_to=<id>).",
    'List with scm_read(kind=issues|mr).',
    'The signature is task_note(kind, body).',
    'Then task_context(task?, index?, notes?).',
    'Say submit_outcome(action=submitted) or submit_outcome(verdict=approve).',
    'Placeholders pass: scm_read(kind=<kind>), task_note(kind=..., body=...).',
    'A value with commas: memory_write(text="a, kind=b", metadata={"a": "b"}).',
    'Never call mr_write(action=merge).',
    'There is no mr_write(action=approve); comment in its place.',
    "Don't use scm_read(kind=pipelines).",
    'Other programs: os_path(join=a), set_up(mode=fast).',
  ])('passes with %j (SKILLS-3, SKILLS-4)', (text) => {
    expect(faultsIn(text)).toEqual([])
  })

  it.each([
    ['Call scm_read(kind=pipelines).', 'kind of scm_read is one of issues, mr, comments, commits, ci, not pipelines'],
    ['Do not guess. Call mr_write(action=merge).', 'action of mr_write is one of open, comment, reply, not merge'],
    [
      'Use task_note(kind=handoff|goodbye).',
      'kind of task_note is one of plan, handoff, note, finding, decision, not goodbye',
    ],
    ['Use scm_read(kid=ci).', 'scm_read has no field kid; did you mean kind?'],
    ['Use scm_reads(kind=ci).', 'there is no tool scm_reads; did you mean scm_read?'],
    ['Use memory_search(text=x).', 'there is no tool memory_search'],
    ['Use submit_outcome(action=exhausted).', expect.stringContaining('not exhausted')],
  ])('fails with %j (TOOL-NOTE-3, TOOL-SCM-READ-1, SKILLS-3, SKILLS-6)', (text, message) => {
    expect(faultsIn(text)).toEqual([message])
  })

  it('is told the place of each fault', () => {
    expect(checkSkillText('a.md', 'ok\nSo scm_read(kind=x) and scm_read(kind=y)', manifest)).toMatchObject([
      { file: 'a.md', line: 2, column: 4, call: 'scm_read(kind=x)' },
      { file: 'a.md', line: 2, column: 25, call: 'scm_read(kind=y)' },
    ])
  })
})

describe('the manifest', () => {
  it('lists all 21 tools with their profiles and the words of their enums (TOOLS-1, SKILLS-1, TOOL-MEMORY-9)', () => {
    expect(manifest.tools).toHaveLength(21)
    const tool = (name: string): unknown => manifest.tools.find((each) => each.name === name)
    expect(tool('memory_edges')).toMatchObject({
      profiles: ['incident', 'documentation'],
      enums: { op: ['list', 'create', 'delete'] },
    })
    expect(tool('submit_outcome')).toMatchObject({
      enums: { verdict: ['approve', 'request_changes'], change_significance: ['major', 'minor', 'patch'] },
    })
  })

  it('lists the actions of submit_outcome for each kind (SKILLS-2)', () => {
    const significance = ['major', 'minor', 'patch']
    expect(manifest.tools.find(({ name }) => name === 'submit_outcome')?.enumsOf).toEqual({
      brainstorm: { action: ['propose', 'skip'] },
      incident: { action: ['file_issue', 'false_positive'] },
      implement: {
        action: ['submitted', 'declined', 'approved', 'discuss', 'rejected'],
        change_significance: significance,
      },
      review: { verdict: ['approve', 'request_changes'], change_significance: significance },
      refine: {},
      documentation: { action: ['submitted', 'declined', 'discuss'], change_significance: significance },
      upgrade: { action: ['submitted', 'declined', 'discuss'], change_significance: significance },
    })
    expect(manifest.tools.filter(({ enumsOf }) => enumsOf).map(({ name }) => name)).toEqual(['submit_outcome'])
  })
})
