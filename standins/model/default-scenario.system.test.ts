/** The shipped scenario played to its end, with pods that die between and within turns. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { defaultScenarioFile, loadScenario } from '../scenarios/load.ts'
import { playTurn } from '../stub-cli/turn.ts'
import { startModel, type Model } from './server.ts'
import { aBundle, asPrompt, type BundleParts } from './testing/a-bundle.ts'
import { aPod, withCheckout, withNodeOnPath, type PlatformTools, type TestPod } from './testing/a-pod.ts'

const apiKey = 'dummy-key-of-the-scripted-model'
const { repository = '' } = await loadScenario(defaultScenarioFile)
let model: Model

beforeAll(async () => {
  withNodeOnPath()
  model = await startModel({ scenarioFile: defaultScenarioFile, apiKey })
})

afterAll(() => model.close())

interface Called {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}

/** The platform as far as the scenario sees it: it remembers calls and answers with ids. */
function aPlatform(): { readonly called: Called[]; readonly tools: PlatformTools; outcomes(): readonly unknown[] } {
  const called: Called[] = []
  const remember =
    (tool: string, answer: () => unknown): PlatformTools[string] =>
    (input) => {
      called.push({ tool, input })
      return answer()
    }
  const tools = {
    task_note: remember('task_note', () => ({ id: `note-${called.length}`, kind: 'plan', at: '2026-11-21T10:00Z' })),
    memory_query: remember('memory_query', () => history),
    issue_write: remember('issue_write', () => ({ status: 'ok', external_id: 'c-77' })),
    submit_outcome: remember('submit_outcome', () => ({
      accepted: true,
      outcomeId: 'o-1',
      task: { stage: 'implementing' },
    })),
  }
  return {
    called,
    tools,
    outcomes: () => called.filter((call) => call.tool === 'submit_outcome').map((call) => call.input),
  }
}

const memoryCommit = 'a7e5a8bf4af873736948ea74b567e8dcb30299cd'
const history = { results: [{ content: '+export function parseDuration', metadata: { commit: memoryCommit } }] }
const question = { bot: true, body: 'I would make it throw.\n\nIs that wanted? If so, reply with /approve.' }
const answered = [question, { author: 'ada', external_id: 'c-2', body: 'Yes, throwing is right.\n\n/approve' }]
const planned = [{ kind: 'plan', body: '1. check' }]
const granted: BundleParts = {
  issue: { status: 'approved', comments: answered },
  notes: planned,
  events: [{ kind: 'approval' }],
  assignment: 'The approval is granted: write the code.',
}
const findings = [
  { bot: true, body: 'Verdict: request_changes\n\n1 finding.' },
  { bot: true, body: 'The pattern allows no part.', path: 'src/duration.ts', line: 10 },
]

test('one pod asks, claims the approval with the verbatim quote, and writes the change; reviews and the fix follow', async () => {
  await withCheckout(repository, 'spanlet', async (workspace, git) => {
    const platform = aPlatform()
    const pod = (): TestPod => aPod({ url: model.url, apiKey, workspace, tools: platform.tools })

    const implement = pod()
    await implement.turn('m-0', aBundle())
    expect(platform.called.map((call) => call.tool)).toEqual(['task_note', 'issue_write'])
    expect(platform.called[1]?.input).toMatchObject({ action: 'comment', repo: 'spanlet', number: 7 })

    await implement.turn(
      'm-1',
      aBundle({
        issue: { status: 'approved', comments: answered },
        notes: planned,
        events: [{ kind: 'issue_comment' }],
      }),
    )
    expect(platform.outcomes().at(-1)).toMatchObject({
      action: 'approved',
      approving_maintainer: 'ada',
      plan_note_id: 'note-1',
      approval_citations: [{ id: 'c-2', quote: '/approve' }],
    })

    const written = await implement.turn('m-2', aBundle(granted))
    expect(written.text).toMatch(/tests pass/)
    expect(platform.outcomes().at(-1)).toMatchObject({
      action: 'submitted',
      change_significance: 'patch',
      body: expect.stringContaining('Closes #7') as unknown,
    })
    expect(git('log', '--format=%s', '-1')).toBe('Refuse texts that are no duration')

    await pod().turn('m-3', aBundle({ ...granted, agent: 'review', stage: 'reviewing', events: [], mergeRequest: {} }))
    const verdict = platform.outcomes().at(-1) as { findings: { line: number; body: string }[] }
    expect(verdict).toMatchObject({
      verdict: 'request_changes',
      reviewed_shas: [{ repo: 'spanlet', number: 8, sha: git('rev-parse', 'HEAD') }],
    })
    expect(verdict.findings[0]?.body).toContain(`It has been so since ${memoryCommit}.`)
    expect(git('blame', '-s', '-L', `${verdict.findings[0]?.line},+1`, 'src/duration.ts')).toContain('RangeError(')

    await pod().turn(
      'm-4',
      aBundle({ ...granted, events: [{ kind: 'mr_review' }], mergeRequest: { comments: findings } }),
    )
    expect(platform.outcomes().at(-1)).toMatchObject({ action: 'submitted' })
    expect(git('log', '--format=%s', '-1')).toBe('Refuse the empty text as a duration too')
    expect(git('status', '--porcelain')).toBe('')

    const last = await pod().turn(
      'm-5',
      aBundle({ ...granted, agent: 'review', stage: 'reviewing', events: [], mergeRequest: { comments: findings } }),
    )
    expect(platform.outcomes().at(-1)).toMatchObject({
      verdict: 'approve',
      reviewed_shas: [{ sha: git('rev-parse', 'HEAD') }],
    })
    expect(last.ending).toBe('stopped')
  })
})

test('a project without a memory gets the same review, without the commit', async () => {
  await withCheckout(repository, 'spanlet', async (workspace, git) => {
    const platform = aPlatform()
    const noMemory = (): never => {
      throw new Error('this project has no memory service')
    }
    const tools = { ...platform.tools, memory_query: noMemory }
    const pod = (): TestPod => aPod({ url: model.url, apiKey, workspace, tools })
    await pod().turn('n-0', aBundle(granted))
    await pod().turn('n-1', aBundle({ ...granted, agent: 'review', stage: 'reviewing', events: [], mergeRequest: {} }))
    expect(platform.outcomes().at(-1)).toMatchObject({
      verdict: 'request_changes',
      reviewed_shas: [{ sha: git('rev-parse', 'HEAD') }],
      findings: [{ body: expect.stringContaining('since the first version.') as unknown }],
    })
  })
})

test.each([1, 2, 3, 4, 5, 6, 7])(
  'a pod that dies after call %i of the code turn is replaced by one that finishes the same change once',
  async (calls) => {
    await withCheckout(repository, 'spanlet', async (workspace, git) => {
      const platform = aPlatform()
      const dying = aPod({ url: model.url, apiKey, workspace, tools: platform.tools })
      let left = calls
      const tools = dying.session.tools.map((tool) => ({
        ...tool,
        run: async (...given: Parameters<typeof tool.run>) => {
          if (left-- === 0) throw new Death()
          return tool.run(...given)
        },
      }))
      const token = `d-${calls}`
      await expect(aDyingTurn({ ...dying, session: { ...dying.session, tools } }, token)).resolves.toBeUndefined()
      await aPod({ url: model.url, apiKey, workspace, tools: platform.tools }).turn(
        `${token}-again`,
        aBundle({ ...granted, events: [], assignment: 'The plan is approved: write the code.' }),
      )
      expect(platform.outcomes().at(-1)).toMatchObject({ action: 'submitted' })
      expect(git('log', '--format=%s', 'HEAD').split('\n')).toEqual(['Refuse texts that are no duration', 'Start'])
      expect(git('show', 'HEAD:test/duration.ts').match(/1h banana/g)).toHaveLength(1)
      expect(git('show', 'HEAD:src/duration.ts').match(/not a duration/g)).toHaveLength(1)
    })
  },
)

class Death extends Error {}

/** The turn ends when the tool that kills the pod is reached: the model then hears of an error and stops. */
async function aDyingTurn(pod: TestPod, token: string): Promise<void> {
  await playTurn(pod.session, asPrompt(token, aBundle(granted)), 0, new AbortController().signal)
}

test('a new pod repeats neither the plan nor the question that are already there', async () => {
  await withCheckout(repository, 'spanlet', async (workspace) => {
    const platform = aPlatform()
    await aPod({ url: model.url, apiKey, workspace, tools: platform.tools }).turn(
      'r-0',
      aBundle({ issue: { comments: [question] }, notes: planned }),
    )
    expect(platform.called).toEqual([])
  })
})

test('a new pod that finds the approval claims it with the id of the plan that was approved', async () => {
  await withCheckout(repository, 'spanlet', async (workspace) => {
    const platform = aPlatform()
    const assignment =
      'Your plan is among the notes (its id is `note-1-abc`). You are told when the approval is granted.'
    const bundle = aBundle({ issue: { comments: answered }, notes: planned, assignment })
    await aPod({ url: model.url, apiKey, workspace, tools: platform.tools }).turn('r-1', bundle)
    expect(platform.called.map((call) => call.tool)).toEqual(['submit_outcome'])
    expect(platform.outcomes()[0]).toMatchObject({ action: 'approved', plan_note_id: 'note-1-abc' })
  })
})

test('a pod whose time is up writes its hand-off note and does nothing else', async () => {
  await withCheckout(repository, 'spanlet', async (workspace) => {
    const platform = aPlatform()
    const assignment = 'This pod has reached its time limit. Write one `task_note` of kind `handoff`.'
    await aPod({ url: model.url, apiKey, workspace, tools: platform.tools }).turn(
      'r-2',
      aBundle({ ...granted, assignment }),
    )
    expect(platform.called).toMatchObject([{ tool: 'task_note', input: { kind: 'handoff' } }])
  })
})
