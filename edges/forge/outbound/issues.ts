/** Writes on issues. Each looks at the forge first, so that its repetition after a lost answer finds the first try (R6). */
import { sameLogin } from '../../../machines/rules/logins.ts'
import type { EffectParams } from '../../../machines/effect.ts'
import type { EffectContext, EffectHandler } from '../../../runtime/runtime.ts'
import { keyMarker, topicMarker, withMarkers } from '../marker.ts'
import type { ForgeComment, ForgeSubjectKind } from '../port.ts'
import { targetOf, type OutboundDeps, type Target } from './deps.ts'
import { labelSpecOf } from './label-specs.ts'

/** Sets the managed labels to what the Issue says; a label that people deleted is made again. */
export function writeLabels(deps: OutboundDeps): EffectHandler<EffectParams<'writeLabels'>> {
  return {
    ordered: true,
    onTerminal: 'dead-letter',
    async perform(params) {
      const target = await targetOf(deps, params)
      const { labels: there } = await target.forge.issue(target.path, params.number)
      const has = (name: string): boolean => there.some((label) => label.toLowerCase() === name.toLowerCase())
      const add = params.labels.filter((label) => !has(label))
      const remove = params.managed.filter((label) => has(label) && !params.labels.includes(label))
      if (add.length > 0)
        await target.forge.ensureLabels(
          target.path,
          add.map((name) => labelSpecOf(name, target.project)),
        )
      if (add.length + remove.length > 0) await target.forge.changeLabels(target.path, params.number, { add, remove })
      return []
    },
  }
}

export function postComment(deps: OutboundDeps): EffectHandler<EffectParams<'postComment'>> {
  return {
    ordered: true,
    async perform(params, context) {
      const target = await targetOf(deps, params)
      await commentOnce(target, params.on, params.number, params.body, context, params.topic)
      return []
    },
  }
}

/**
 * One comment per effect, or per topic: an answer that was lost, a crash right after the write and a repetition all
 * find the marker. Only our own comments count, so that nobody can paste a marker to silence us.
 */
async function commentOnce(
  { forge, path, project }: Target,
  on: ForgeSubjectKind,
  number: number,
  body: string,
  context: Pick<EffectContext, 'key'>,
  topic?: string,
): Promise<void> {
  const mine = keyMarker(context.key)
  const own = (await forge.listComments(path, on, number)).filter((comment) =>
    sameLogin(comment.author.login, project.scm.botLogin),
  )
  if (own.some((comment) => comment.body.includes(mine))) return
  if (topic === undefined) return void (await forge.createComment(path, on, number, withMarkers(body, mine)))
  const text = withMarkers(body, topicMarker(topic), mine)
  const earlier: ForgeComment | undefined = own.find((comment) => comment.body.includes(topicMarker(topic)))
  if (earlier === undefined) await forge.createComment(path, on, number, text)
  else await forge.editComment(path, { on, number, id: earlier.id }, text)
}

export function closeIssue(deps: OutboundDeps): EffectHandler<EffectParams<'closeIssue'>> {
  return {
    ordered: true,
    async perform(params, context) {
      const target = await targetOf(deps, params)
      if (params.comment !== undefined) await commentOnce(target, 'issue', params.number, params.comment, context)
      const { state } = await target.forge.issue(target.path, params.number)
      if (state === 'open') await target.forge.closeIssue(target.path, params.number)
      return []
    },
  }
}
