import { Type } from 'typebox'
import { AgentKind } from '../../../machines/task/events.ts'
import { contentHash } from '../../forge/hash.ts'
import { faultsOf } from '../../../http/problems/validation.ts'
import { invalidInput, Problem } from '../../../http/problems/problem.ts'
import type { HttpApp } from '../../../http/app.ts'
import { answerFrom } from '../answer.ts'
import { requirePod, idIn } from '../caller.ts'
import type { AgentApiDeps } from '../deps.ts'
import type { PodClaims } from '../pod-tokens.ts'
import { ceilingNow } from '../outcome/ceiling.ts'
import { buildClaims } from '../outcome/claims.ts'
import { foldMembers } from '../outcome/members.ts'
import { proposalRoom } from '../outcome/proposals.ts'
import { readHeads } from '../outcome/heads.ts'
import { actionOf, conditionalFaults, lengthFaults, repositoryFaults } from '../outcome/rules.ts'
import { outcomeSchemas, type ImplementOutcome, type RefineOutcome } from '../outcome/schemas.ts'

const Body = Type.Object(
  { kind: AgentKind, payload: Type.Record(Type.String(), Type.Unknown()) },
  { additionalProperties: false },
)

/** POST /tasks/{task}/outcome: the one call that moves a Task's stage. What the forge must be asked for is asked here, what decides is the machine. */
export function outcomeRoute(app: HttpApp, deps: AgentApiDeps): void {
  app.post(
    '/tasks/:task/outcome',
    {
      schema: { params: Type.Object({ task: Type.String() }), body: Body, summary: 'Submit the outcome of this pod' },
      // Of an event, which has 1 MiB: the rest is for what is read at the call.
      bodyLimit: 768 * 1024,
    },
    async (request, reply) => {
      const { claims, task } = await requirePod(request, deps, request.params.task)
      const { kind, payload } = request.body
      checkPayload(
        kind,
        payload,
        task.config.repositories.map(({ name }) => name),
      )
      refuseForeignTask(claims, payload)
      const action = actionOf(kind, payload)
      const digest = contentHash({ kind, payload })
      const approving = kind === 'implement' && action === 'approved'
      const receipt = await deps.runtime.deliver({
        to: `task:${claims.task}`,
        // A request id is the caller's word: the same one over other words, or by another pod, is another call.
        key: `outcome/${claims.pod}/${digest.slice(0, 12)}/${request.id}`,
        event: {
          type: 'outcome',
          at: deps.clock.now(),
          pod: claims.pod,
          outcomeId: `${claims.pod}-${digest.slice(0, 12)}`,
          digest,
          kind,
          action,
          payload,
          claims: approving ? await buildClaims(deps, task, payload as unknown as ImplementOutcome) : [],
          ceiling: await ceilingNow(deps, task),
          heads: kind === 'review' ? await readHeads(deps, task, action) : [],
          ...(action === 'submitted'
            ? { pushed: await deps.pushedBy(task.config.project, task.repositories, claims.task) }
            : {}),
          ...(action === 'propose' ? { proposals: await proposalRoom(deps, task) } : {}),
          ...(kind === 'refine'
            ? { members: await foldMembers(deps, task, (payload as RefineOutcome).folds ?? []) }
            : {}),
          // Said by the wrapper's broker; a call that did not come through it proves nothing (REVIEW-1).
          workspaceClean: request.headers['x-platform-workspace'] === 'clean',
        },
      })
      return answerFrom(receipt, reply)
    },
  )
}

function refuseForeignTask(claims: PodClaims, { task }: Record<string, unknown>): void {
  if (typeof task === 'string' && idIn(task, claims) !== claims.task)
    throw new Problem('forbidden', 'the token belongs to another Task')
}

function checkPayload(
  kind: keyof typeof outcomeSchemas,
  payload: Record<string, unknown>,
  repositories: readonly string[],
): void {
  const shape = faultsOf(outcomeSchemas[kind], payload).map((fault) => ({ ...fault, path: `/payload${fault.path}` }))
  const ofForm = [...conditionalFaults(kind, payload), ...lengthFaults(payload)]
  const rules = shape.length > 0 ? ofForm : [...ofForm, ...repositoryFaults(kind, payload, repositories)]
  const errors = [...shape, ...rules.map(({ path, message }) => ({ path: `/payload${path}`, message }))]
  if (errors.length === 0) return
  const code = shape.length === 0 && rules.every((fault) => fault.code === rules[0]?.code) ? rules[0]?.code : undefined
  throw code === undefined ? invalidInput(errors) : new Problem(code, rules[0]?.message ?? '', { members: { errors } })
}
