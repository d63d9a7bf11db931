/** Writes on issues. Each looks at the forge first, so that its repetition after a lost answer finds the first try (R6). */
import { inert, inertTitle } from '../../../machines/rules/executed-text.ts'
import { sameLogin } from '../../../machines/rules/logins.ts'
import type { EffectParams } from '../../../machines/effect.ts'
import type { Delivery, EffectContext, EffectHandler } from '../../../runtime/runtime.ts'
import { keyMarker, topicMarker, withMarkers } from '../marker.ts'
import { subjectAddress } from '../mirror/facts/notifications.ts'
import type { ForgeComment, ForgeIssue, ForgeSubjectKind } from '../port.ts'
import { fenceOf, targetOf, type OutboundDeps, type Target } from './deps.ts'
import { textsOf } from './long-texts.ts'
import { labelSpecOf } from './label-specs.ts'
import { inWordsOf } from '../words-of-forge.ts'

/** Sets the managed labels to what the Issue says; a label that people deleted is made again. */
export function writeLabels(deps: OutboundDeps): EffectHandler<EffectParams<'writeLabels'>> {
  return {
    ordered: true,
    onTerminal: 'dead-letter',
    async perform(params, context) {
      const target = await targetOf(deps, params, fenceOf(context))
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
      const target = await targetOf(deps, params, fenceOf(context))
      await commentOnce(target, {
        ...params,
        words: inert(params.body),
        key: context.key,
      })
      return []
    },
  }
}

interface OwnComment extends SubjectPlace {
  readonly words: string
  /** Of the effect. */
  readonly key: string
  readonly topic?: string | undefined
}

interface SubjectPlace {
  readonly on: ForgeSubjectKind
  readonly number: number
}

/**
 * One comment per effect, or per topic: an answer that was lost, a crash right after the write and a repetition all
 * find the marker. Only our own comments count, so that nobody can paste a marker to silence us.
 */
export async function commentOnce(target: Target, { on, number, words, key, topic }: OwnComment): Promise<void> {
  const { forge, path, project } = target
  const body = inWordsOf(project.scm.provider, on, words)
  const mine = keyMarker(key)
  const own = await ownComments(target, on, number)
  const isThere = (mark: string): boolean => own.some((comment) => comment.body.includes(mark))
  if (topic === undefined) {
    for (const [index, text] of textsOf(body).entries()) {
      const mark = index === 0 ? mine : keyMarker(`${key}/${index + 1}`)
      if (!isThere(mark)) await forge.createComment(path, on, number, withMarkers(text, mark))
    }
    return
  }
  if (isThere(mine)) return
  const text = withMarkers(body, topicMarker(topic), mine)
  const earlier: ForgeComment | undefined = own.find((comment) => comment.body.includes(topicMarker(topic)))
  if (earlier === undefined) await forge.createComment(path, on, number, text)
  else await forge.editComment(path, { on, number, id: earlier.id }, text)
}

/** What of a text of ours was too long for its first place. */
export async function commentMore(
  target: Target,
  place: SubjectPlace,
  more: readonly string[],
  key: string,
): Promise<void> {
  if (more.length > 0) await commentOnce(target, { ...place, words: more.join(''), key: `${key}/more` })
}

/** The comment that `commentOnce` wrote under this key. */
export async function ownCommentOf(
  target: Target,
  on: ForgeSubjectKind,
  number: number,
  key: string,
): Promise<ForgeComment | undefined> {
  return (await ownComments(target, on, number)).find(({ body }) => body.includes(keyMarker(key)))
}

async function ownComments(
  { forge, path, project }: Target,
  on: ForgeSubjectKind,
  number: number,
): Promise<readonly ForgeComment[]> {
  const all = await forge.listComments(path, on, number)
  return all.filter(({ author }) => sameLogin(author.login, project.scm.botLogin))
}

function retired(
  { project }: Target,
  { repository, number, comment }: EffectParams<'closeIssue'>,
  context: EffectContext,
): Delivery {
  const to = subjectAddress(project, { repository, kind: 'issue', number })
  return { to, key: `${context.key}/retired`, event: { type: 'issue.retired', at: context.at, reason: comment ?? '' } }
}

/**
 * An issue of our own. Its key finds this effect's earlier try; `dedupe` finds one that another Task filed for the same
 * reason, as long as it is open.
 */
export function fileIssue(deps: OutboundDeps): EffectHandler<EffectParams<'fileIssue'>> {
  return {
    ordered: true,
    // Its Task has ended by then: a dead letter can be put back, an event to it could not.
    onTerminal: 'dead-letter',
    async perform(params, context) {
      const { key } = context
      const target = await targetOf(deps, params, fenceOf(context))
      const [body = '', ...more] = textsOf(inert(params.body))
      const { number, body: text } =
        (await filed(target, params, key)) ?? (await file(target, { ...params, body }, key))
      if (text.includes(keyMarker(key))) await commentMore(target, { on: 'issue', number }, more, key)
      await deps.mirror.refresh(params.project, params.repository, 'issue', number)
      return params.sort === 'incident' ? [joinable(params, number, context)] : []
    },
  }
}

/** Firings of the alert join this issue while it is open (ALERTS-6). */
function joinable(
  { project, repository }: EffectParams<'fileIssue'>,
  number: number,
  { key, actor, at }: EffectContext,
): Delivery {
  const task = actor.slice(actor.indexOf(':') + 1)
  return { to: `queue:${project}`, key: `${key}/filed`, event: { type: 'queue.filed', at, task, repository, number } }
}

async function filed(
  { forge, path, project }: Target,
  { sort, dedupe }: EffectParams<'fileIssue'>,
  key: string,
): Promise<ForgeIssue | undefined> {
  const open = await forge.listIssues(path, { state: 'open' })
  const marks = [keyMarker(key), topicMarker(`${sort}/${dedupe}`)]
  return open.find(
    ({ author, body }) => sameLogin(author.login, project.scm.botLogin) && marks.some((mark) => body.includes(mark)),
  )
}

async function file(
  { forge, path, project }: Target,
  { title, body, sort, dedupe }: EffectParams<'fileIssue'>,
  key: string,
): Promise<ForgeIssue> {
  const labels = sort === 'incident' ? [project.scm.labels.incident].filter((name) => name !== '') : []
  if (labels.length > 0)
    await forge.ensureLabels(
      path,
      labels.map((name) => labelSpecOf(name, project)),
    )
  const text = withMarkers(body, topicMarker(`${sort}/${dedupe}`), keyMarker(key))
  return forge.createIssue(path, { title: inertTitle(title), body: text, labels })
}

export function closeIssue(deps: OutboundDeps): EffectHandler<EffectParams<'closeIssue'>> {
  return {
    ordered: true,
    async perform(params, context) {
      const target = await targetOf(deps, params, fenceOf(context))
      if (params.comment !== undefined)
        await commentOnce(target, {
          on: 'issue',
          number: params.number,
          words: inert(params.comment),
          key: context.key,
        })
      const { state } = await target.forge.issue(target.path, params.number)
      if (state === 'open') await target.forge.closeIssue(target.path, params.number)
      return params.retires === true ? [retired(target, params, context)] : []
    },
  }
}
