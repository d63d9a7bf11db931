/** What looks like a secret wherever it stands: shown by nothing that people or files get to see. */
const secretTexts: readonly RegExp[] = [
  /\bgh[pousr]_[A-Za-z0-9]{16,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{16,}/g,
  /\bgl[a-z]{2,6}-[A-Za-z0-9_-]{16,}/g,
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  /\bAKIA[A-Z0-9]{16}\b/g,
  /\bxox[a-z]-[A-Za-z0-9-]{10,}/g,
  // Looked for once in each run of such letters: from every `eyJ` of a long one it would take hours.
  /(?<![\w-])(?=[\w-]+\.[\w-]{5,}\.)[\w-]*?\beyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g,
  /(?<=\b(bearer|basic) )[A-Za-z0-9._~+/=-]{8,}/gi,
  /(?<=:\/\/)[^\s/@]+(?=@)/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g,
]

export const hiddenSecret = '•••'

/** `known`: the very words that nobody may read, whatever they look like; an empty one is none. */
export function hideSecrets(text: string, known: readonly string[] = []): string {
  const left = known.filter((one) => one !== '').reduce((text, one) => text.replaceAll(one, hiddenSecret), text)
  return secretTexts.reduce((text, pattern) => text.replaceAll(pattern, hiddenSecret), left)
}
