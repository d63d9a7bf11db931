/**
 * Who calls: a pod by its own token, or somebody by OIDC. With a pod's token the server checks the Task and the
 * profile itself, so that a tool the profile denies is refused even when called by hand (POD-TOKEN-5).
 */
import type { FastifyRequest } from 'fastify'
import { namespaceOf } from '../../machines/issue/context.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import type { ActorView } from '../../runtime/runtime.ts'
import { bearer, principalOf, type Authenticate, type Principal } from '../../http/auth/authenticate.ts'
import { Problem } from '../../http/problems/problem.ts'
import type { AgentApiDeps } from './deps.ts'
import type { PodClaims } from './pod-tokens.ts'
import { isSince } from './find-tasks.ts'
import { mayCall, toolOfRoute } from './profiles.ts'
import type { ToolName } from '../../machines/turn/tools.ts'

const podIssuer = 'pod'

/** Pod tokens are ours and are told by their issuer; everything else is asked of the identity provider. */
export function authenticateAgent(deps: Pick<AgentApiDeps, 'podTokens' | 'verifyOidc'>): Authenticate {
  return bearer(async (token): Promise<Principal> => {
    if (!looksLikePodToken(token)) return deps.verifyOidc(token)
    const claims = await deps.podTokens.verify(token)
    return { subject: `${claims.task}/${claims.pod}`, issuer: podIssuer, claims: { ...claims } }
  })
}

function looksLikePodToken(token: string): boolean {
  try {
    const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
    return (
      typeof payload === 'object' && payload !== null && 'iss' in payload && payload.iss === 'statewright-orchestrator'
    )
  } catch {
    return false
  }
}

/** The pod behind the request; undefined for an OIDC caller. */
function podOf(request: FastifyRequest): PodClaims | undefined {
  const principal = principalOf(request)
  return principal.issuer === podIssuer ? (principal.claims as unknown as PodClaims) : undefined
}

function toolOf({ routeOptions: { method, url = '' } }: FastifyRequest): ToolName {
  return toolOfRoute(String(method), url)
}

export interface CallingPod {
  readonly claims: PodClaims
  readonly view: ActorView<'task'>
  readonly task: TaskContext
}

/** The calling pod's own Task, for tools that act: only a living pod of exactly this Task, with the tool in its profile. */
export async function requirePod(request: FastifyRequest, deps: AgentApiDeps, name: string): Promise<CallingPod> {
  const tool = toolOf(request)
  const claims = podOf(request)
  if (claims === undefined) throw new Problem('forbidden', 'only a pod of the Task may call this')
  if (claims.task !== idIn(name, claims)) throw new Problem('forbidden', 'the token belongs to another Task')
  if (!mayCall(claims.agentKind, tool))
    throw new Problem('tool-denied', `the profile ${claims.agentKind} does not allow the tool ${tool}`)
  await requireLivingPod(deps, claims)
  const { view, task } = await requireTask(deps, claims.task)
  return { claims, view, task }
}

/** Reading stays within the token's Project; other Tasks of it may be read where the tool says so (POD-TOKEN-4). */
export async function requireReadable(
  request: FastifyRequest,
  deps: AgentApiDeps,
  name: string,
): Promise<{ view: ActorView<'task'>; task: TaskContext }> {
  const claims = await requireTool(request, deps)
  const id = idIn(name, claims)
  const found = await requireTask(deps, id)
  const isOwn = claims?.task === id
  if (claims !== undefined && !isOwn && !(await isOfProject(deps, claims, found.task)))
    throw new Problem('forbidden', 'the Task belongs to another Project')
  return found
}

/** The tool of a living pod, for routes that name no Task; undefined for an OIDC caller. */
export async function requireTool(
  request: FastifyRequest,
  deps: Pick<AgentApiDeps, 'runtime' | 'lifeOf'>,
): Promise<PodClaims | undefined> {
  const tool = toolOf(request)
  const claims = podOf(request)
  if (claims === undefined) return undefined
  if (!mayCall(claims.agentKind, tool))
    throw new Problem('tool-denied', `the profile ${claims.agentKind} does not allow the tool ${tool}`)
  await requireLivingPod(deps, claims)
  return claims
}

/** A `project` argument may name the pod's own Project and no other (POD-TOKEN-4). */
export function refuseForeignProject(claims: PodClaims, project: string | undefined): void {
  if (project !== undefined && idIn(project, claims) !== claims.project)
    throw new Problem('forbidden', 'the token belongs to another Project')
}

/** The pod lives, and the Project that has its Project's name is the one that it was made for. */
export async function requireLivingPod(
  deps: Pick<AgentApiDeps, 'runtime' | 'lifeOf'>,
  claims: PodClaims,
): Promise<void> {
  const pod = await deps.runtime.read(`pod:${claims.task}/${claims.pod}`)
  if (pod?.status !== 'active') throw new Problem('forbidden', 'the pod of this token has ended')
  const life = await deps.lifeOf(claims.project)
  // Of a Project that is gone nothing can be read but what its own Tasks are: their pods hand over their notes.
  if (life !== undefined && life.uid !== claims.projectUid)
    throw new Problem('forbidden', 'the token belongs to another Project, which had this name before')
}

/** Of other Tasks those that began before the Project was made are an earlier one's. */
async function isOfProject(
  { lifeOf }: Pick<AgentApiDeps, 'lifeOf'>,
  claims: PodClaims,
  task: TaskContext,
): Promise<boolean> {
  return task.config.project === claims.project && isSince(task, (await lifeOf(claims.project))?.since)
}

async function requireTask(
  deps: Pick<AgentApiDeps, 'runtime'>,
  id: string,
): Promise<{ view: ActorView<'task'>; task: TaskContext }> {
  const found = await findTask(deps, id)
  if (found === undefined) throw new Problem('not-found', `there is no Task ${id}`)
  return found
}

export async function findTask(
  { runtime }: Pick<AgentApiDeps, 'runtime'>,
  id: string,
): Promise<{ view: ActorView<'task'>; task: TaskContext } | undefined> {
  const view = await runtime.read(`task:${id}`)
  return view && { view, task: view.context }
}

/** Whose namespace a bare name is in: a pod's own. Of others it is `default` (NAME-1). */
type Caller = Pick<PodClaims, 'task'> | undefined

/** Of a Task or a Project. */
export function idIn(name: string, caller: Caller): string {
  return name.includes('/') ? name : `${caller === undefined ? 'default' : namespaceOf(caller.task)}/${name}`
}
