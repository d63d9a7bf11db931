/** Each tool called once, and what the server says afterwards that the call did. Whoever calls is told apart nowhere. */
import { expect } from 'vitest'
import type { ToolName } from '../../machines/turn/tools.ts'
import { people } from '../../standins/people.ts'
import { askForge } from '../../orchestrator/testing/merge-request.ts'
import { within, type Facts, type Kind, type Fixture } from './fixture.ts'

export interface Answered {
  readonly text: string
  /** The text as JSON where it is JSON. */
  readonly data: Readonly<Record<string, unknown>>
}

export interface ToolCall {
  readonly tool: ToolName
  readonly profile: Kind
  readonly input: (facts: Facts) => Readonly<Record<string, unknown>>
  /** What the tool answered. */
  readonly answers?: (answered: Answered, fixture: Fixture) => void
  /** What is then read back elsewhere: from the runtime, the forge, the memory or a log. */
  readonly left?: (fixture: Fixture, answered: Answered, logOf: (profile: Kind) => string) => Promise<void>
}

const question = { mode: 'naive', text: 'who reads durations' }
const finding = 'The ScheduleReader is slow.'
const report = 'A test says that scm_read errs.'
const asked = 'May weeks be seven days?'
const remark = 'I read this.'

function names(answered: Answered, list = 'items', member = 'name'): unknown[] {
  return (answered.data[list] as Record<string, unknown>[]).map((item) => item[member])
}

export const calls: readonly ToolCall[] = [
  {
    tool: 'task_get',
    profile: 'incident',
    input: () => ({}),
    answers: ({ data }) => expect(data).toMatchObject({ name: 'incident-latency', kind: 'incident' }),
  },
  {
    tool: 'task_list',
    profile: 'incident',
    input: () => ({ kind: 'incident' }),
    answers: (answered) => expect(names(answered)).toEqual(['incident-latency']),
  },
  {
    tool: 'task_context',
    profile: 'incident',
    input: () => ({}),
    answers: ({ text }) => expect(text).toMatch(/<task_context task="incident-latency"[^>]*>/),
  },
  {
    tool: 'task_note',
    profile: 'incident',
    input: () => ({ kind: 'finding', body: finding }),
    answers: ({ data }) => expect(data).toMatchObject({ id: expect.stringMatching(/^note-1-/) as string }),
    left: async (fixture) => {
      const task = await fixture.task('incident')
      // Later calls end in a note of the orchestrator's own.
      const written = task?.journal.notes.filter(({ source }) => source === 'agent')
      expect(written).toMatchObject([{ kind: 'finding', body: finding, agent: 'incident' }])
    },
  },
  {
    tool: 'project_get',
    profile: 'incident',
    input: () => ({}),
    answers: ({ data }) => expect(data).toMatchObject({ name: 'demo' }),
  },
  {
    tool: 'repo_list',
    profile: 'incident',
    input: () => ({}),
    answers: (answered) => expect(names(answered)).toEqual(['duration']),
  },
  {
    tool: 'report_internal_issue',
    profile: 'incident',
    input: () => ({ category: 'tool_error', description: report, offending_tool: 'scm_read' }),
    answers: ({ data }) => expect(data).toEqual({ recorded: true }),
    left: async (_fixture, _answered, logOf) => {
      await within('the report in the log', async () => (logOf('incident').includes(report) ? true : undefined))
    },
  },
  {
    tool: 'scm_read',
    profile: 'incident',
    input: ({ issue }) => ({ kind: 'issues', repo: 'duration', number: issue }),
    answers: (answered, { facts }) =>
      expect([names(answered, 'items', 'number'), names(answered, 'items', 'title')]).toEqual([
        [facts.issue],
        ['Parse weeks'],
      ]),
  },
  {
    tool: 'code_search',
    profile: 'incident',
    input: () => ({ repo: 'duration', q: 'parse' }),
    answers: (answered) => expect(names(answered, 'items', 'id')).toContain('parse.js#parse'),
  },
  {
    tool: 'code_context',
    profile: 'incident',
    input: () => ({ repo: 'duration', rel: 'callers', id: 'parse.js#parse' }),
    answers: ({ text }) => expect(text).toContain('main.js#main'),
  },
  {
    tool: 'code_graph',
    profile: 'incident',
    input: () => ({ repo: 'duration', op: 'stats' }),
    answers: ({ data }) => expect(data).toMatchObject({ nodes: 2, edges: 1 }),
  },
  {
    tool: 'code_explain',
    profile: 'incident',
    input: () => ({ repo: 'duration', id: 'parse.js#parse' }),
    answers: ({ text }) => expect(text).toContain('main'),
  },
  {
    tool: 'memory_query',
    profile: 'incident',
    input: () => question,
    answers: (answered) => expect(String(names(answered, 'results', 'content')[0])).toContain('DurationParser'),
  },
  {
    tool: 'memory_describe',
    profile: 'incident',
    input: () => question,
    answers: ({ data }) => expect(String(data['summary'])).not.toBe(''),
  },
  {
    tool: 'memory_write',
    profile: 'incident',
    input: () => ({ text: finding, metadata: { topic: 'latency' } }),
    answers: ({ data }) => expect(data).toMatchObject({ track_id: expect.stringMatching(/./) as string }),
    left: async ({ memory }, { data }) => {
      const kept = await memory.ask('GET', `/memories/${String(data['id'])}`)
      expect(kept).toMatchObject({ content: finding, metadata: { topic: 'latency' } })
    },
  },
  {
    tool: 'memory_entity',
    profile: 'incident',
    input: ({ entities }) => ({ op: 'patch', id: entities.from, patch: { description: 'Reads durations.' } }),
    left: async ({ memory, facts }) => {
      const kept = await memory.ask('GET', `/entities/${facts.entities.from}`)
      expect(kept['description']).toBe('Reads durations.')
    },
  },
  {
    tool: 'memory_edges',
    profile: 'incident',
    input: ({ entities }) => ({ op: 'create', ...entities, relation: 'slowed-by' }),
    left: async ({ memory, facts }) => {
      const { items } = await memory.ask('GET', '/edges?relation=slowed-by')
      expect(items).toMatchObject([facts.entities])
    },
  },
  {
    tool: 'submit_outcome',
    profile: 'incident',
    input: () => ({ action: 'false_positive', alert_rules: ['HighLatency'], reason: 'It was a test.' }),
    answers: ({ data }) => expect(data).toMatchObject({ accepted: true, task: { stage: 'delivered' } }),
    left: async (fixture) => expect((await fixture.task('incident'))?.stage.name).toBe('delivered'),
  },
  {
    tool: 'issue_write',
    profile: 'implement',
    input: ({ issue }) => ({ action: 'comment', repo: 'duration', number: issue, body: asked }),
    answers: ({ data }) => expect(data).toMatchObject({ status: 'ok' }),
    left: (fixture) => expectComment(fixture, fixture.facts.issue, asked),
  },
  {
    tool: 'mr_write',
    profile: 'review',
    input: ({ mergeRequest }) => ({ action: 'comment', repo: 'duration', number: mergeRequest, body: remark }),
    answers: ({ data }) => expect(data).toMatchObject({ status: 'ok' }),
    left: (fixture) => expectComment(fixture, fixture.facts.mergeRequest, remark),
  },
  {
    tool: 'mr_takeover_request',
    profile: 'review',
    input: ({ mergeRequest, takeover }) => ({
      repo: 'duration',
      number: mergeRequest,
      comment_external_id: takeover,
    }),
    answers: ({ data }) => expect(data).toMatchObject({ accepted: true, task: { stage: 'delivered' } }),
    left: async (fixture) => {
      const task = await fixture.task('review')
      expect([task?.stage.name, task?.stage.reason]).toEqual(['delivered', 'taken-over'])
    },
  },
]

async function expectComment(fixture: Fixture, number: number, words: string): Promise<void> {
  const comments = (await askForge(fixture.orchestrator, people.maintainer, 'GET', `/issues/${number}/comments`)) as {
    readonly body: string
    readonly user: { readonly login: string }
  }[]
  const said = comments.filter(({ body }) => body.startsWith(words)).map(({ user }) => user.login)
  expect(said).toEqual([people.bot])
}

export function answered(text: string): Answered {
  try {
    return { text, data: JSON.parse(text) as Record<string, unknown> }
  } catch {
    return { text, data: {} }
  }
}
