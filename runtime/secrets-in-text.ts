/** What looks like a secret wherever it stands: shown by nothing that people or files get to see. */
const secretTexts: readonly RegExp[] = [
  /\bgh[pousr]_[A-Za-z0-9]{16,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{16,}/g,
  /\bgl[a-z]{2,6}-[A-Za-z0-9_-]{16,}/g,
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  /\bAKIA[A-Z0-9]{16}\b/g,
  /\bxox[a-z]-[A-Za-z0-9-]{10,}/g,
  /\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*/g,
  /(?<=\b(bearer|basic) )[A-Za-z0-9._~+/=-]{8,}/gi,
  /(?<=:\/\/)[^\s/@]+(?=@)/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g,
]

export const hiddenSecret = '•••'

export function hideSecrets(text: string): string {
  return secretTexts.reduce((left, pattern) => left.replaceAll(pattern, hiddenSecret), text)
}
