/** How a plan stands on its issue: folded, with the short hash that an approval binds to (APPROVAL-11). */

/** GitHub takes 65,536 characters; the rest is for the words around the plan and the marker. */
const maxPlanCharacters = 60_000

export function shortPlanHash(planHash: string): string {
  return planHash.replace(/^sha256[:-]/, '').slice(0, 8)
}

/**
 * Agent text inside a folded block: it may not close the block, and a mention in it rings nobody. The bot's own words
 * decide nothing, so a `/approve` in it is text (LAW-4).
 */
function contained(body: string): string {
  const characters = [...body]
  const cut =
    characters.length > maxPlanCharacters
      ? `${characters.slice(0, maxPlanCharacters).join('')}\n\n[cut: ${characters.length} characters]`
      : body
  return cut
    .replace(/<(\/?)(details|summary)/gi, '&lt;$1$2')
    .replace(/<!--/g, '&lt;!--')
    .replace(/@(?=[\p{L}\p{N}])/gu, '@\u200B')
}

export function planComment(planHash: string, body: string): string {
  const short = shortPlanHash(planHash)
  return [
    `The plan \`${short}\` waits for a maintainer's decision. \`/approve\` approves exactly this plan; a newer one asks again. \`/hold\` withdraws.`,
    '',
    `<details><summary>Plan <code>${short}</code></summary>`,
    '',
    contained(body),
    '',
    '</details>',
  ].join('\n')
}
