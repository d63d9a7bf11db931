import type { EffectParams } from '../../../machines/effect.ts'
import { TerminalError } from '../../../runtime/errors.ts'
import type { EffectHandler, TargetRule } from '../../../runtime/runtime.ts'
import { checkProject } from './check-project.ts'
import type { OutboundDeps } from './deps.ts'
import { closeIssue, fileIssue, postComment, writeLabels } from './issues.ts'
import { mergeMergeRequest } from './merge.ts'
import { openMergeRequest } from './open.ts'
import { postReview } from './review.ts'

type ForgeEffect =
  | 'writeLabels'
  | 'postComment'
  | 'closeIssue'
  | 'fileIssue'
  | 'openMergeRequest'
  | 'mergeMergeRequest'
  | 'postReview'
  | 'checkProject'
  | 'resyncMirror'

export type ForgeHandlers = { readonly [Type in ForgeEffect]: EffectHandler<EffectParams<Type>> }

/**
 * A Project's account at its forge. GitHub takes 80 content-creating requests a minute and asks that not many come at
 * once (docs.github.com, "Rate limits for the REST API", secondary limits); what it tells to wait, waits for all effects.
 */
const forge: TargetRule<{ readonly project: string }> = {
  name: 'forge',
  of: ({ project }) => project,
  concurrency: 4,
  rate: { perSecond: 80 / 60, burst: 80 },
}

/** One handler for each effect that speaks to a forge. */
export function createForgeHandlers(deps: OutboundDeps): ForgeHandlers {
  return {
    writeLabels: { ...writeLabels(deps), target: forge },
    postComment: { ...postComment(deps), target: forge },
    closeIssue: { ...closeIssue(deps), target: forge },
    fileIssue: { ...fileIssue(deps), target: forge },
    openMergeRequest: { ...openMergeRequest(deps), target: forge },
    mergeMergeRequest: { ...mergeMergeRequest(deps), target: forge },
    postReview: { ...postReview(deps), target: forge },
    checkProject: { ...checkProject(deps), target: forge },
    resyncMirror: { ...resyncMirror(deps), target: forge },
  }
}

function resyncMirror(deps: OutboundDeps): ForgeHandlers['resyncMirror'] {
  return {
    async perform({ project: id, run }, { actor, key, at }) {
      const project = await deps.directory.project(id)
      if (project === undefined) throw new TerminalError('unknown-project', `there is no Project ${id}`)
      const hookUrl = deps.webhookUrl(project)
      await deps.mirror.resync(id, hookUrl === undefined ? {} : { hookUrl })
      return [
        {
          to: actor,
          key: `${key}/resynced`,
          event: { type: 'project.resynced', at, ...(run === undefined ? {} : { run }) },
        },
      ]
    },
  }
}
