import { Type } from 'typebox'
import { AgentKind } from '../../../machines/task/events.ts'
import type { TaskContext } from '../../../machines/task/context.ts'
import { shownGoal } from '../../../machines/task/shown-goal.ts'
import type { HttpApp } from '../../../http/app.ts'
import { clampLimit, decodeCursor, listQuery, page } from '../../../http/problems/list.ts'
import { Problem } from '../../../http/problems/problem.ts'
import { collectBundle } from '../bundle/collect.ts'
import { renderBundle } from '../bundle/render.ts'
import { budgetOf } from '../bundle/size.ts'
import { renderTaskIndex } from '../bundle/task-index.ts'
import { idIn, refuseForeignProject, requireReadable, requireTool } from '../caller.ts'
import type { AgentApiDeps } from '../deps.ts'
import { findTasks } from '../find-tasks.ts'
import { bareName } from '../../../crd/resource-id.ts'

const Params = Type.Object({ task: Type.String() })

/** What a Task looks like to a tool: its state, not its bundle. */
function toTask(task: TaskContext): object {
  return {
    name: bareName(task.id),
    kind: task.kind,
    stage: task.stage.name,
    stageReason: task.stage.reason,
    agentKind: task.pod.agentKind || null,
    goal: shownGoal(task),
    repositories: task.repositories,
    issues: task.forge.issues.map(({ repository, number, state, grant }) => ({
      repository,
      number,
      state,
      approved: grant !== null,
    })),
    mergeRequests: task.forge.mergeRequests.map(({ repository, number, state, headSha, url }) => ({
      repository,
      number,
      state,
      headSha,
      url,
    })),
    notes: task.journal.notes.map(({ id, kind, agent, at, source }) => ({
      id,
      kind,
      agent,
      at: new Date(at).toISOString(),
      source,
    })),
    planNoteId: task.journal.planNoteId,
  }
}

export function taskRoutes(app: HttpApp, deps: AgentApiDeps): void {
  app.get('/tasks/:task', { schema: { params: Params, summary: 'One Task' } }, async (request) => {
    const { task } = await requireReadable(request, deps, request.params.task)
    return toTask(task)
  })

  app.get(
    '/tasks',
    {
      schema: {
        querystring: Type.Object({
          ...listQuery,
          project: Type.Optional(Type.String()),
          kind: Type.Optional(AgentKind),
          stage: Type.Optional(Type.String()),
        }),
        summary: 'Tasks of a Project',
      },
    },
    async (request) => {
      const claims = await requireTool(request, deps)
      const { project, kind, stage, cursor } = request.query
      const wanted = claims?.project ?? (project === undefined ? undefined : idIn(project, claims))
      if (wanted === undefined) throw new Problem('invalid-input', 'project is required')
      if (claims !== undefined) refuseForeignProject(claims, project)
      const after = cursor === undefined ? '' : decodeCursor(Type.String(), cursor)
      const limit = clampLimit(request.query.limit)
      const matches = (task: TaskContext): boolean =>
        (kind === undefined || task.kind === kind) && (stage === undefined || task.stage.name === stage)
      const since = claims && (await deps.lifeOf(wanted))?.since
      const found = await findTasks(deps.runtime, { project: wanted, since, after, atMost: limit + 1, matches })
      const shown = page(found, limit, (task) => task.id)
      return { ...shown, items: shown.items.map(toTask) }
    },
  )

  app.get(
    '/tasks/:task/context',
    {
      schema: {
        params: Params,
        querystring: Type.Object({ notes: Type.Optional(Type.Union([Type.Literal('recent'), Type.Literal('all')])) }),
        summary: 'The context bundle of a Task, without its assignment',
      },
    },
    async (request, reply) => {
      const { task } = await requireReadable(request, deps, request.params.task)
      const notes = request.query.notes ?? 'recent'
      const input = await collectBundle(deps, task, { notes, eventsUpTo: task.journal.eventSequence })
      const maxBytes = await deps.maxBundleBytes(task.config.project)
      const wholeNotes = notes === 'all'
      const { text } = renderBundle(input, { maxBytes, eventsInside: true, wholeNotes })
      return reply.type('application/xml; charset=utf-8').send(text)
    },
  )

  app.get(
    '/projects/:project/task-index',
    {
      schema: {
        params: Type.Object({ project: Type.String() }),
        querystring: Type.Object({
          scope: Type.Optional(Type.Union([Type.Literal('all'), Type.Literal('brainstorm'), Type.Literal('incident')])),
        }),
        summary: 'The compact index of all Tasks of a Project',
      },
    },
    async (request, reply) => {
      const claims = await requireTool(request, deps)
      const project = idIn(request.params.project, claims)
      if (claims !== undefined) refuseForeignProject(claims, project)
      const scope = request.query.scope ?? 'all'
      const maxBytes = await deps.maxBundleBytes(project)
      const since = claims && (await deps.lifeOf(project))?.since
      const tasks = await findTasks(deps.runtime, { project, since })
      return reply
        .type('application/xml; charset=utf-8')
        .send(renderTaskIndex(tasks, bareName(project), scope, deps.clock.now(), budgetOf(maxBytes)))
    },
  )
}
