/** Texts that hold a secret are not stored where anybody with a token can search: formats that are known, and what only looks like one. */
export interface Finding {
  readonly what: string
  readonly line: number
}

/** Where many places begin a match, what is read from each is bounded: a text of a stranger is looked through in linear time. */
const known: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['private key', /-----BEGIN (?:[A-Z0-9 ]+ )?PRIVATE KEY(?: BLOCK)?-----/],
  ['AWS access key', /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/],
  ['GitHub token', /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{50,})\b/],
  ['GitLab token', /\bgl(?:pat|ptt|dt|rt|soat|cbt)-[\w-]{20,}\b/],
  ['Slack token', /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/],
  ['Google API key', /\bAIza[\w-]{35}\b/],
  ['Stripe key', /\b[rs]k_live_[A-Za-z0-9]{20,}\b/],
  ['Anthropic or OpenAI key', /\bsk-(?:ant-|proj-)[\w-]{20,}\b/],
  ['npm token', /\bnpm_[A-Za-z0-9]{36}\b/],
  ['PyPI token', /\bpypi-AgEI[\w-]{50,}\b/],
  ['JSON Web Token', /\beyJ[\w-]{10,1000}\.eyJ[\w-]{10,}\.[\w-]{20,}\b/],
  ['password in a URL', /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@'"`${}<]{1,64}:[^\s/@'"`${}<]{6,}@[\w.-]+\.[a-z]{2,}/i],
]

/** A name that says what is assigned to it; the value decides. */
const assigned =
  /(?:secret|passw(?:or)?d|passwd|token|api[_-]?key|access[_-]?key|private[_-]?key|credential)\w{0,100}["']?\s*(?:=|:|=>)\s*["']?([A-Za-z0-9+/=_.~-]{16,200})["']?/gi
/** Bits a character: words and paths lie below 3.6, random letters and digits of this length above 4. */
const leastEntropy = 3.8
/** Of random values a mix; identifiers, paths and versions are not. */
const mixed = /(?=.*\d)(?=.*[A-Za-z])/
const innocent = /(?:example|sample|dummy|test|fake|mock|placeholder|changeme|xxxx|your|<|\$\{|process\.env|\.{2,})/i

/** The first secret of each kind. */
export function findSecrets(text: string): Finding[] {
  const found: Finding[] = []
  for (const [what, pattern] of known) {
    const match = pattern.exec(text)
    if (match !== null && !(what === 'password in a URL' && innocent.test(match[0])))
      found.push({ what, line: lineOf(text, match.index) })
  }
  for (const match of text.matchAll(assigned)) {
    const [, value = ''] = match
    if (!mixed.test(value) || innocent.test(match[0]) || entropy(value) < leastEntropy || looksLikeName(value)) continue
    found.push({ what: 'random value of a name that tells of secrets', line: lineOf(text, match.index) })
    break
  }
  return found
}

/** Calls and members: `tokens.next`, `a-b-c-d`, `SOME_NAME_2`. */
function looksLikeName(value: string): boolean {
  return (
    /^[a-z][\w]*(?:\.[a-z]\w*)+$/i.test(value) ||
    value.split(/[-_.]/).every((part) => /^(?:[a-z]{2,}|[A-Z]{2,}|\d{1,4}|[A-Z]?[a-z]+\d?)$/.test(part))
  )
}

function entropy(text: string): number {
  const counts = new Map<string, number>()
  for (const sign of text) counts.set(sign, (counts.get(sign) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length
}

/** Files that are made to hold them: not opened at all. */
export function isSecretFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (/\.(?:example|sample|template|dist)$/.test(name)) return false
  return /^(?:\.env(?:\..+)?|\.npmrc|\.pypirc|\.netrc|\.pgpass|\.htpasswd|id_(?:rsa|dsa|ecdsa|ed25519)|credentials(?:\.json)?|kubeconfig|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg))$/i.test(
    name,
  )
}
