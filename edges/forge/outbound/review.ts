/**
 * The verdict as a comment-type review. A finding stands at its line where the diff has that line, else in the body:
 * one bad line never costs the review (facts: whole reviews lost to one 422).
 */
import { inert } from '../../../machines/rules/executed-text.ts'
import { sameLogin } from '../../../machines/rules/logins.ts'
import type { EffectParams, Finding } from '../../../machines/effect.ts'
import type { EffectHandler } from '../../../runtime/runtime.ts'
import { ValidationError } from '../errors.ts'
import { keyMarker, withMarkers } from '../marker.ts'
import type { ReviewLine } from '../port.ts'
import { fenceOf, targetOf, type OutboundDeps, type Target } from './deps.ts'
import { commentableLines } from './diff-lines.ts'

type Params = EffectParams<'postReview'>

const headlines = { approve: 'Verdict: **approve**', request_changes: 'Verdict: **request changes**' } as const

export function postReview(deps: OutboundDeps): EffectHandler<Params> {
  return {
    ordered: true,
    async perform(params, context) {
      const target = await targetOf(deps, params, fenceOf(context))
      const marker = keyMarker(context.key)
      if (await isPosted(target, params.number, marker)) return []
      const findings = params.findings.filter((one) => one.repo === params.repository && one.number === params.number)
      const { inline, rest } = await place(target, params.number, findings)
      await post(target, params, marker, inline, rest)
      return []
    },
  }
}

async function isPosted({ forge, path, project }: Target, number: number, marker: string): Promise<boolean> {
  const written = [...(await forge.listReviews(path, number)), ...(await forge.listComments(path, 'mr', number))]
  return written.some((one) => one.body.includes(marker) && sameLogin(one.author.login, project.scm.botLogin))
}

interface Placed {
  readonly inline: readonly Finding[]
  readonly rest: readonly Finding[]
}

async function place({ forge, path }: Target, number: number, findings: readonly Finding[]): Promise<Placed> {
  if (!findings.some((one) => one.line !== undefined)) return { inline: [], rest: findings }
  const lines = new Map((await forge.files(path, number)).map((file) => [file.path, commentableLines(file)]))
  const fits = (one: Finding): boolean =>
    one.path !== undefined && one.line !== undefined && lines.get(one.path)?.has(one.line) === true
  return { inline: findings.filter(fits), rest: findings.filter((one) => !fits(one)) }
}

async function post(
  { forge, path }: Target,
  params: Params,
  marker: string,
  inline: readonly Finding[],
  rest: readonly Finding[],
): Promise<void> {
  const review = (lines: readonly ReviewLine[], others: readonly Finding[]): Promise<unknown> =>
    forge.postReview(path, params.number, { sha: params.sha, body: withMarkers(bodyOf(params, others), marker), lines })
  try {
    await review(inline.map(lineOf), rest)
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    // The head moved since the look, or the forge counts lines otherwise: everything goes into the text.
    await review([], [...inline, ...rest]).catch(async (again: unknown) => {
      if (!(again instanceof ValidationError)) throw again
      await forge.createComment(path, 'mr', params.number, withMarkers(bodyOf(params, [...inline, ...rest]), marker))
    })
  }
}

function lineOf({ path, line, body, severity }: Finding): ReviewLine {
  return { path: path!, line: line!, body: inert(`**${severity}**: ${body}`) }
}

function bodyOf({ verdict, body, sha }: Params, others: readonly Finding[]): string {
  const list = others.map(({ path, line, severity, body: text }) => {
    const where = path === undefined ? '' : ` \`${path}${line === undefined ? '' : `:${line}`}\``
    return `- **${severity}**${where}: ${text.replaceAll('\n', '\n  ')}`
  })
  return [`${headlines[verdict]} for ${sha.slice(0, 12)}`, body, list.join('\n')]
    .filter((part) => part.trim() !== '')
    .map(inert)
    .join('\n\n')
}
