/** Opens the merge request of a pushed branch, or finds the open one: a branch has at most one. */
import type { EffectParams } from '../../../machines/effect.ts'
import { inert, inertTitle, withClosing } from '../../../machines/rules/executed-text.ts'
import type { Delivery, EffectContext, EffectHandler } from '../../../runtime/runtime.ts'
import { ValidationError } from '../errors.ts'
import { keyMarker, withMarkers } from '../marker.ts'
import { subjectAddress } from '../mirror/facts/notifications.ts'
import type { ForgeMergeRequest } from '../port.ts'
import { fenceOf, targetOf, type OutboundDeps, type Target } from './deps.ts'
import { commentMore } from './issues.ts'
import { textsOf } from './long-texts.ts'

type Params = EffectParams<'openMergeRequest'>

export function openMergeRequest(deps: OutboundDeps): EffectHandler<Params> {
  return {
    ordered: true,
    async perform(params, context) {
      const target = await targetOf(deps, params, fenceOf(context))
      const [body = '', ...more] = textsOf(inert(params.body))
      const opened = await open(target, { ...params, body }, context)
      if (typeof opened === 'string') return [openFailed(params, context, opened)]
      if (opened.body.includes(keyMarker(context.key)))
        await commentMore(target, { on: 'mr', number: opened.number }, more, context.key)
      // The MergeRequest's actor has to exist before its owner speaks to it.
      await deps.mirror.refresh(params.project, params.repository, 'mr', opened.number)
      return [ready(target, params, context, opened)]
    },
  }
}

/** The merge request, or why there is none. */
async function open(target: Target, params: Params, context: EffectContext): Promise<ForgeMergeRequest | string> {
  const { forge, path } = target
  const there = await openOf(target, params.branch)
  if (there !== undefined) return there
  const base = target.repository.defaultBranch ?? (await forge.repository(path)).defaultBranch
  if ((await forge.branchHead(path, params.branch)) === undefined)
    return `the branch ${params.branch} is not on the forge`
  if ((await forge.commitsAhead(path, base, params.branch)) === 0)
    return `the branch ${params.branch} has no commits beyond ${base}`
  // The state that asked was left while we looked, for a grant that was withdrawn, say [FORGE-WRITES-1].
  if (context.signal.aborted) return 'withdrawn'
  try {
    return await forge.createMergeRequest(path, {
      branch: params.branch,
      base,
      title: inertTitle(params.title),
      body: bodyOf(params, context),
    })
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    return (await openOf(target, params.branch)) ?? error.message
  }
}

async function openOf({ forge, path }: Target, branch: string): Promise<ForgeMergeRequest | undefined> {
  const found = await forge.listMergeRequests(path, { state: 'open', headBranch: branch })
  return found.find((one) => one.headBranch === branch && one.headRepository?.toLowerCase() === path.toLowerCase())
}

function bodyOf({ body, closes }: Params, { key }: EffectContext): string {
  return withMarkers(withClosing(body, closes), keyMarker(key))
}

function ready(target: Target, params: Params, context: EffectContext, found: ForgeMergeRequest): Delivery {
  const address = subjectAddress(target.project, { repository: params.repository, kind: 'mr', number: found.number })
  const event = {
    type: 'mr.ready',
    at: context.at,
    repository: params.repository,
    number: found.number,
    mergeRequest: address.slice(address.indexOf(':') + 1),
    headSha: found.headSha,
    headBranch: found.headBranch,
    baseBranch: found.baseBranch,
    author: found.author.login,
    url: found.url,
    attempt: params.attempt,
  }
  return { to: context.actor, key: `${context.key}/ready`, event }
}

function openFailed(params: Params, context: EffectContext, reason: string): Delivery {
  const event = {
    type: 'mr.openFailed',
    at: context.at,
    repository: params.repository,
    reason,
    attempt: params.attempt,
  }
  return { to: context.actor, key: `${context.key}/failed`, event }
}
