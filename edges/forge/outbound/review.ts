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
import { longestText, textsOf } from './long-texts.ts'

type Params = EffectParams<'postReview'>

const headlines = { approve: 'Verdict: **approve**', request_changes: 'Verdict: **request changes**' } as const

export function postReview(deps: OutboundDeps): EffectHandler<Params> {
  return {
    ordered: true,
    async perform(params, context) {
      const target = await targetOf(deps, params, fenceOf(context))
      const written = await ownTexts(target, params.number)
      const findings = params.findings.filter((one) => one.repo === params.repository && one.number === params.number)
      const parts = partsOf(params, findings)
      const missing = parts.filter((part) => !written.some((text) => text.includes(markerOf(context.key, part))))
      if (missing.length === 0) return []
      const fits = await locationsOf(target, params.number, findings)
      for (const part of missing) await post(target, params, { ...part, marker: markerOf(context.key, part), fits })
      return []
    },
  }
}

async function ownTexts({ forge, path, project }: Target, number: number): Promise<readonly string[]> {
  const written = [...(await forge.listReviews(path, number)), ...(await forge.listComments(path, 'mr', number))]
  return written.flatMap(({ author, body }) => (sameLogin(author.login, project.scm.botLogin) ? [body] : []))
}

/** A review of its own, which fits where no finding of it has a line. */
interface Part {
  readonly index: number
  readonly body: string
  readonly findings: readonly Finding[]
}

/** Made of the findings alone: a repetition makes the same ones, whatever became of the diff meanwhile. */
function partsOf({ body }: Params, findings: readonly Finding[]): readonly Part[] {
  const groups: Finding[][] = [[]]
  let room = longestText
  for (const finding of findings.flatMap(inPieces)) {
    const size = inert(itemOf(finding)).length + 1
    if (size > room) groups.push([])
    room = (size > room ? longestText : room) - size
    groups.at(-1)?.push(finding)
  }
  const count = (index: number): string => (groups.length > 1 ? ` (${index + 1} of ${groups.length})` : '')
  return groups.map((group, index) => ({ index, body: `${body}${count(index)}`, findings: group }))
}

/** An item indents each line of it, and `inert` adds to it: a quarter fits in any case. */
function inPieces(finding: Finding): readonly Finding[] {
  return textsOf(finding.body, longestText / 4).map((body) => ({ ...finding, body }))
}

function markerOf(key: string, { index }: Part): string {
  return keyMarker(index === 0 ? key : `${key}/${index + 1}`)
}

type Fits = (finding: Finding) => boolean

async function locationsOf({ forge, path }: Target, number: number, findings: readonly Finding[]): Promise<Fits> {
  if (!findings.some((one) => one.line !== undefined)) return () => false
  const lines = new Map((await forge.files(path, number)).map((file) => [file.path, commentableLines(file)]))
  return (one) => one.path !== undefined && one.line !== undefined && lines.get(one.path)?.has(one.line) === true
}

async function post(
  { forge, path }: Target,
  params: Params,
  { body, findings, marker, fits }: Part & { readonly marker: string; readonly fits: Fits },
): Promise<void> {
  const textOf = (others: readonly Finding[]): string => withMarkers(bodyOf({ ...params, body }, others), marker)
  const review = (lines: readonly ReviewLine[], others: readonly Finding[]): Promise<unknown> =>
    forge.postReview(path, params.number, { sha: params.sha, body: textOf(others), lines })
  try {
    await review(
      findings.filter(fits).map(lineOf),
      findings.filter((one) => !fits(one)),
    )
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    // The head moved since the look, or the forge counts lines otherwise: everything goes into the text.
    await review([], findings).catch(async (again: unknown) => {
      if (!(again instanceof ValidationError)) throw again
      await forge.createComment(path, 'mr', params.number, textOf(findings))
    })
  }
}

function lineOf({ path, line, body, severity }: Finding): ReviewLine {
  return { path: path!, line: line!, body: inert(`**${severity}**: ${body}`) }
}

function itemOf({ path, line, severity, body }: Finding): string {
  const where = path === undefined ? '' : ` \`${path}${line === undefined ? '' : `:${line}`}\``
  return `- **${severity}**${where}: ${body.replaceAll('\n', '\n  ')}`
}

function bodyOf({ verdict, body, sha }: Params, others: readonly Finding[]): string {
  return [`${headlines[verdict]} for ${sha.slice(0, 12)}`, body, others.map(itemOf).join('\n')]
    .filter((part) => part.trim() !== '')
    .map(inert)
    .join('\n\n')
}
