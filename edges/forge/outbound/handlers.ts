import type { EffectParams } from '../../../machines/effect.ts'
import { TerminalError } from '../../../runtime/errors.ts'
import type { EffectHandler } from '../../../runtime/runtime.ts'
import { bareName } from '../projects.ts'
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

/** One handler for each effect that speaks to a forge. */
export function createForgeHandlers(deps: OutboundDeps): ForgeHandlers {
  return {
    writeLabels: writeLabels(deps),
    postComment: postComment(deps),
    closeIssue: closeIssue(deps),
    fileIssue: fileIssue(deps),
    openMergeRequest: openMergeRequest(deps),
    mergeMergeRequest: mergeMergeRequest(deps),
    postReview: postReview(deps),
    checkProject: checkProject(deps),
    resyncMirror: resyncMirror(deps),
  }
}

function resyncMirror(deps: OutboundDeps): ForgeHandlers['resyncMirror'] {
  return {
    async perform({ project: id }, { actor, key, at }) {
      const project = await deps.directory.project(bareName(id))
      if (project === undefined) throw new TerminalError('unknown-project', `there is no Project ${bareName(id)}`)
      const hookUrl = deps.webhookUrl(project)
      await deps.mirror.resync(id, hookUrl === undefined ? {} : { hookUrl })
      return [{ to: actor, key: `${key}/resynced`, event: { type: 'project.resynced', at } }]
    },
  }
}
