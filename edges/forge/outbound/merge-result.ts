/**
 * What the merge makes of the base, asked once more for base and head of this moment (GIT-7, decisions/0032): between the push
 * and the merge the base may have come to include, link or rename what the branch changed. A head of people is theirs to push:
 * the question is asked of what pods wrote.
 */
import type { ActorAddress } from '../../../machines/definition.ts'
import { sameLogin } from '../../../machines/rules/logins.ts'
import type { EffectContext } from '../../../runtime/runtime.ts'
import type { MergeAnswer, MergeJudgement } from '../../ports/merge-judge.ts'
import type { ForgeMergeRequest, MergeMethod } from '../port.ts'
import type { OutboundDeps, Target } from './deps.ts'
import { commentOnce } from './issues.ts'
import type { Obstacle } from './merge-readiness.ts'

interface Asked {
  readonly actor: ActorAddress
  readonly found: ForgeMergeRequest
  readonly method: MergeMethod
}

/** `obstacle`: nothing is merged by this method. Otherwise what the base becomes, where a pod wrote the head. */
interface ResultNow {
  readonly obstacle?: Obstacle
  readonly judged?: MergeAnswer & { readonly tree?: string }
}

export async function resultNow(deps: OutboundDeps, target: Target, asked: Asked): Promise<ResultNow> {
  if (!(await isOfPods(deps, target, asked.found))) return {}
  const { found, method, actor } = asked
  const judged = await deps.mergeJudge.judge({
    ...repositoryRefOf(target),
    baseBranch: found.baseBranch,
    headSha: found.headSha,
    method,
  })
  const allows = (): Promise<boolean> => deps.ciChangesAllowed(actor, target.repository.name)
  const obstacle = await obstacleBy(judged, found.baseBranch, allows)
  return obstacle === undefined ? { judged } : { obstacle }
}

function repositoryRefOf({ project, repository }: Target): { readonly project: string; readonly repository: string } {
  return { project: `${project.namespace}/${project.name}`, repository: repository.name }
}

async function isOfPods(
  { mirror }: OutboundDeps,
  { project, repository }: Target,
  { author, number }: ForgeMergeRequest,
): Promise<boolean> {
  if (sameLogin(author.login, project.scm.botLogin)) return true
  return (await mirror.mergeRequest(project.name, repository.name, number))?.notes.headByBot !== false
}

async function obstacleBy(
  judged: MergeJudgement,
  base: string,
  allows: () => Promise<boolean>,
): Promise<Obstacle | undefined> {
  if (judged.kind === 'clean' || judged.kind === 'behind') return undefined
  if (judged.kind === 'unreadable') return { type: 'mr.notMergeableYet', reason: judged.reason }
  if (judged.kind === 'conflict') return { type: 'mr.conflict', reason: `it conflicts with ${base}: ${judged.reason}` }
  if (judged.tree !== undefined && (await allows())) return undefined
  const paths = judged.paths.map(({ path, reason }) => `${path} is protected, because ${reason}`)
  return {
    type: 'mr.mergeRefused',
    cause: 'protected-paths',
    reason: `it would change protected paths on ${base} (${paths.join('; ')}): a maintainer allows that by a comment \`/allow-ci-changes\``,
  }
}

/** The base may have moved between the question and the merge: then nobody has judged what it became, and people are told once. */
export async function compareResult(
  deps: OutboundDeps,
  target: Target,
  { number }: Pick<ForgeMergeRequest, 'number'>,
  { judged }: ResultNow,
  context: Pick<EffectContext, 'key'>,
): Promise<void> {
  if (judged?.tree === undefined) return
  const { mergeCommit, baseBranch } = await target.forge.mergeRequest(target.path, number)
  const tree = mergeCommit && (await deps.mergeJudge.treeOf(repositoryRefOf(target), mergeCommit))
  if (tree === undefined || tree === '' || tree === judged.tree) return
  await commentOnce(target, {
    on: 'mr',
    number,
    words: `${baseBranch} moved while this merge was under way: ${mergeCommit} holds another tree than the platform judged on ${judged.base}. A maintainer should look at the protected paths that it changed.`,
    key: `${context.key}/result`,
  })
}
