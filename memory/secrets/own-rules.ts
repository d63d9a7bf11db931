/** What secretlint's preset lacks: formats that are known, and what only looks like a secret by the name that it is assigned to. */
import { entropyOf, isDummy, isDummyPassword, isIdentifier, isName } from './dummies.ts'
import type { SecretRule } from './secret-rule.ts'

interface OwnRule {
  readonly what: string
  /** Where many places begin a match, what is read from each is bounded. */
  readonly pattern: RegExp
  /** False: this match is none. Without it, what looks like a dummy is none. */
  readonly isSecret?: (match: RegExpExecArray) => boolean
}

const table: readonly OwnRule[] = [
  {
    what: 'private key',
    pattern: /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----[^]{1,120}?[A-Za-z0-9+/]{40}/g,
    // Lines of a key may have any letters in a row.
    isSecret: () => true,
  },
  { what: 'age key', pattern: /\bAGE-SECRET-KEY-1[A-Z0-9]{58}\b/g },
  { what: 'GitLab token', pattern: /\bgl(?:ptt|dt|rt|soat|cbt|ft|ffct|imt|agent|oas)-[\w-]{20,200}/g },
  { what: 'Slack session token', pattern: /\bxox[cdes]-[A-Za-z0-9%]{1,40}-[A-Za-z0-9%-]{8,200}/g },
  { what: 'Google API key', pattern: /\bAIza[\w-]{35}(?![\w-])/g },
  { what: 'Anthropic token', pattern: /\bsk-ant-(?!api)[a-z]{2,10}\d\d-[\w-]{20,200}/g },
  { what: 'PyPI token', pattern: /\bpypi-AgEI[\w-]{50,200}/g },
  { what: 'SendGrid key', pattern: /\bSG\.[\w-]{22}\.[\w-]{43}(?![\w-])/g },
  { what: 'Twilio key', pattern: /\bSK[0-9a-f]{32}\b/g },
  { what: 'DigitalOcean token', pattern: /\bdo[opr]_v1_[0-9a-f]{64}\b/g },
  { what: 'Discord token', pattern: /\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])/g },
  {
    what: 'Discord webhook',
    pattern: /\bhttps:\/\/(?:\w{1,20}\.)?discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{15,20}\/[\w-]{60,80}/g,
  },
  { what: 'Azure key', pattern: /\b(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{40,100}={1,2}/g },
  { what: 'kubeconfig key', pattern: /\bclient-key-data["']?:\s{0,20}["']?[A-Za-z0-9+/]{40}/g, isSecret: () => true },
  {
    what: 'JSON Web Token',
    // From its second part, which begins once: its first may begin at many places.
    pattern: /\.eyJ(?<=\beyJ[\w-]{10,1000}\.eyJ)[\w-]{10,}\.[\w-]{20,}/g,
  },
  {
    what: 'password in a URL',
    pattern: /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@'"`${}<]{1,64}:[^\s/@'"`${}<]{6,200}@[\w.-]{1,200}\.[a-z]{2,}/gi,
  },
  {
    what: 'Authorization header',
    pattern: /\bauthorization["'`]?\s{0,4}[:=,]\s{0,4}["'`]?(basic|bearer)\s{1,4}([A-Za-z0-9+/=._~-]{16,2000})/gi,
    isSecret: ([, scheme = '', value = '']) =>
      scheme.toLowerCase() === 'basic' ? isBasic(value) : isRandom(value) && !isDummyPassword(value),
  },
  {
    what: 'random value of a name that tells of secrets',
    pattern:
      /(?:secret|passw(?:or)?d|passwd|token|api[_-]?key|access[_-]?key|private[_-]?key|credential)\w{0,100}["']?\s*(?:=|:|=>)\s*["']?([A-Za-z0-9+/=_.~-]{16,200})["']?/gi,
    isSecret: ([assignment, value = '']) => isRandom(value) && !isName(value) && !/test/i.test(assignment),
  },
  {
    what: 'password',
    pattern:
      /(?:passw(?:or)?d|passphrase)\w{0,40}["']?\s{0,20}(?::=|=>|[:=])\s{0,20}(?:(["'`])([^"'`\s]{10,100})\1|([^\s"'`,;(){}[\]<>$]{10,100})(?![^\s"',;]))/gi,
    isSecret: ([, , quoted, bare = '']) =>
      quoted === undefined ? isPassword(bare) && !isIdentifier(bare) : isPassword(quoted),
  },
]

export const ownRules: readonly SecretRule[] = table.map(
  ({ what, pattern, isSecret = ([token]) => !isDummy(token) }) => ({
    what,
    find(text) {
      for (const match of text.matchAll(pattern)) if (isSecret(match)) return match.index
      return undefined
    },
  }),
)

/** Of random values a mix; identifiers, paths and versions are not. */
const mixed = /^(?=.*\d)(?=.*[A-Za-z])/

/** Random letters and digits have nearly as many bits a character as their length allows; words and paths lie below 3.6. */
function isRandom(value: string): boolean {
  if (!mixed.test(value) || isDummy(value)) return false
  // Sixteen different signs are all that there is.
  const least = /^[0-9a-f]{32,}$/i.test(value) ? 3 : Math.min(3.8, 0.85 * Math.log2(value.length))
  return entropyOf(value) >= least
}

/** Shorter and plainer than what programs draw. */
function isPassword(word: string): boolean {
  return mixed.test(word) && entropyOf(word) >= 3 && !isDummyPassword(word) && !isName(word)
}

/** Of name and password in base64, the password counts. */
function isBasic(value: string): boolean {
  const [, password = ''] = Buffer.from(value, 'base64').toString('latin1').split(':')
  return password.length >= 8 && mixed.test(password) && !isDummyPassword(password)
}
