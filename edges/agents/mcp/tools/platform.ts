import { Type } from 'typebox'
import { agentKinds, NoteKind } from '../../../../machines/task/events.ts'
import { IssueReport } from '../../../../wrapper/issue-report.ts'
import { answers, listAnswer, reading, writingOnce, type Tool } from '../tool.ts'

const closed = { additionalProperties: false } as const
const Task = Type.Optional(Type.String({ description: 'Name of a Task of this project (default: yours).' }))

export const platformTools: readonly Tool[] = [
  {
    name: 'task_get',
    title: 'Read a Task',
    description:
      'State of a Task: stage, issues with their approval, merge requests, ids of its notes. Not its threads: those are in task_context. Example: {}.',
    input: Type.Object({ task: Task }, closed),
    output: answers({ name: Type.String(), kind: Type.String(), stage: Type.String() }),
    annotations: reading,
    bounds: () => ({ keep: 'last' }),
    call: ({ task }, backend) =>
      backend.get('operator', `tasks/${encodeURIComponent(String(task ?? backend.pod.task))}`),
  },
  {
    name: 'task_list',
    title: 'List Tasks',
    description: 'Tasks of this project, filtered by kind or stage. Example: {"stage": "implementing"}.',
    input: Type.Object(
      {
        kind: Type.Optional(Type.Union(agentKinds.map((kind) => Type.Literal(kind)))),
        stage: Type.Optional(Type.String()),
        limit: Type.Optional(Type.Integer({ minimum: 1 })),
        cursor: Type.Optional(Type.String()),
      },
      closed,
    ),
    output: listAnswer,
    annotations: reading,
    call: (query, backend) => backend.get('operator', 'tasks', { ...query, project: backend.pod.project }),
  },
  {
    name: 'task_context',
    title: 'Read a context bundle',
    description:
      'The bundle again, refreshed: issues, merge requests, comments, notes. Use it when the bundle marks something as elided, or for another Task. index=true lists all Tasks of the project instead. Example: {"notes": "all"}.',
    input: Type.Object(
      {
        task: Task,
        index: Type.Optional(
          Type.Boolean({ description: 'Read the compact index of the project in place of one bundle.' }),
        ),
        notes: Type.Optional(Type.Union([Type.Literal('recent'), Type.Literal('all')])),
        offset: Type.Optional(Type.Integer({ minimum: 0, description: 'Reads on where an answer was cut.' })),
      },
      closed,
    ),
    annotations: reading,
    call: ({ task, index, notes }, backend) => {
      if (index === true) {
        const scope = ['brainstorm', 'incident'].includes(backend.pod.profile) ? backend.pod.profile : 'all'
        return backend.get('operator', `projects/${encodeURIComponent(backend.pod.project)}/task-index`, { scope })
      }
      return backend.get('operator', `tasks/${encodeURIComponent(String(task ?? backend.pod.task))}/context`, { notes })
    },
  },
  {
    name: 'task_note',
    title: 'Write a note',
    description:
      'Writes into the journal of your Task, the only thing that the next pod inherits. kind plan: what you will do, before approval; handoff: where you stand; finding, decision, note: the rest. Returns the note\'s id. Not for people: they read the forge. Example: {"kind": "plan", "body": "1. ..."}.',
    input: Type.Object({ kind: NoteKind, body: Type.String({ minLength: 1, maxLength: 32_768 }) }, closed),
    output: answers({ id: Type.String() }),
    annotations: writingOnce,
    call: (note, backend) =>
      backend.send('operator', 'POST', `tasks/${encodeURIComponent(backend.pod.task)}/notes`, note),
  },
  {
    name: 'project_get',
    title: 'Read the project',
    description: 'Settings of the project: owner, bot, maintainers, repositories. Example: {}.',
    input: Type.Object({}, closed),
    output: answers({ name: Type.String() }),
    annotations: reading,
    call: (_input, backend) => backend.get('operator', `projects/${encodeURIComponent(backend.pod.project)}`),
  },
  {
    name: 'repo_list',
    title: 'List repositories',
    description:
      'Repositories of the project with their default branches; other tools take these names as repo. Example: {}.',
    input: Type.Object({}, closed),
    output: listAnswer,
    annotations: reading,
    call: (_input, backend) =>
      backend.get('operator', `projects/${encodeURIComponent(backend.pod.project)}/repositories`),
  },
  {
    name: 'report_internal_issue',
    title: 'Report a fault of the platform',
    description:
      'Reports to the operators that the platform itself misbehaves: a tool that fails, instructions that contradict each other, a broken workspace. Not for problems of the repository: those are your work. Example: {"category": "tool_error", "description": "scm_read answers 500"}.',
    input: IssueReport,
    output: answers({ recorded: Type.Boolean() }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    call: (report, backend) => backend.reportIssue(report as IssueReport),
  },
]
