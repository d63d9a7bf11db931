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
  { what: 'Telegram token', pattern: /(?<!\d)\d{8,10}:AA[\w-]{33}(?![\w-])/g },
  {
    what: 'Django key',
    pattern: /\bSECRET_KEY\s{0,4}=\s{0,4}["'](?:django-insecure-)?([a-z\d!@#$%^&*(_=+)-]{50})["']/g,
    // Drawn from signs that placeholders are made of.
    isSecret: ([, value = '']) => entropyOf(value) >= 4.2,
  },
  { what: 'Laravel key', pattern: /\bAPP_KEY=base64:[A-Za-z0-9+/]{43}=/g },
  { what: 'kubeconfig key', pattern: /\bclient-key-data["']?:\s{0,20}["']?[A-Za-z0-9+/]{40}/g, isSecret: () => true },
  {
    what: 'JSON Web Token',
    // From its second part, which begins once: its first may begin at many places.
    pattern: /\.eyJ(?<=\beyJ[\w-]{10,1000}\.eyJ)[\w-]{10,}\.[\w-]{20,}/g,
  },
  {
    what: 'password in a URL',
    pattern:
      /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@'"`${}<]{0,64}:[^\s/@'"`${}<]{6,200}@(?:[\w.-]{1,200}\.[a-z]{2,}|(?!localhost)[\w-]{1,63}:\d{2,5}\b)/gi,
  },
  {
    what: 'Authorization header',
    pattern: /\bauthorization["'`]?\s{0,4}[:=,]\s{0,4}["'`]?(basic|bearer)\s{1,4}([A-Za-z0-9+/=._~-]{16,2000})/gi,
    isSecret: ([, scheme = '', value = '']) =>
      scheme.toLowerCase() === 'basic' ? isBasic(value) : isRandom(value) && !isDummyPassword(value),
  },
  {
    what: 'login in base64',
    pattern: /(?:"auth"\s{0,4}:\s{0,4}"|\b_auth\s{0,4}=\s{0,4}["']?)([A-Za-z0-9+/]{12,400}={0,2})/g,
    isSecret: ([, value = '']) => isBasic(value),
  },
  {
    what: 'secret of a command',
    pattern:
      /(?:\s--(?:[a-z]{1,20}-){0,3}(?:password|token|secret|api-key)\s{1,4}|\s(?:-u|--user)\s{1,4}["']?[\w.@-]{1,64}:|\bsshpass\s-p\s{0,4}|\bENV\s{1,4}\w{0,60}(?:PASSWORD|TOKEN|SECRET|API_KEY)\s{1,4})["']?([^\s"'`$<>{}()[\],]{10,200})/g,
    isSecret: ([, value = '']) => isPassword(value) && !isDummy(value),
  },
  {
    what: 'password of a call or an element',
    pattern:
      /(?:(?:\bset|["'][\w.-]{0,40})passw(?:or)?d(?:\(|["']\s{0,4},)\s{0,4}["']|<\w{0,30}passw(?:or)?d>)([^"'\s<>${}]{10,100})["'<]/gi,
    isSecret: ([, value = '']) => isPassword(value),
  },
  {
    what: 'random value of a name that tells of secrets',
    pattern:
      /(?:secret|passw(?:or)?d|passwd|(?<!public_?key_?)token(?!_?id\b)|api[_-]?key|access[_-]?key|private[_-]?key|encryption[_-]?key|signing[_-]?key|credential)\w{0,100}["']?\s*(?:=|:|=>|\||value=)\s*["']?([A-Za-z0-9+/=_.~-]{16,200})["']?/gi,
    isSecret: ([assignment, value = '']) =>
      isRandom(value) && !isName(value) && !isSealed(value) && !/test/i.test(assignment),
  },
  {
    what: 'password',
    pattern:
      /(?:(?:passw(?:or)?d|passphrase)\w{0,40}|(?<![a-z])(?:pass|pwd))["']?\s{0,20}(?::=|=>|[:=])\s{0,20}(?:(["'`])([^"'`\s]{10,100})\1|([^\s"'`,;(){}[\]<>$]{10,100})(?![^\s"',;]))/gi,
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
/** A secret's file; base64 hardly has a letter behind each of its slashes. */
const path = /^(?:\.{0,2}|~)(?:\/[a-z][\w.-]{0,30}){2,}$/i

/** Random letters and digits have nearly as many bits a character as their length allows; words and paths lie below 3.6. */
function isRandom(value: string): boolean {
  if (!mixed.test(value) || isDummy(value) || path.test(value)) return false
  // Sixteen different signs are all that there is.
  const least = /^(?:0x)?[0-9a-f-]{32,}$/i.test(value) ? 3 : Math.min(3.8, 0.85 * Math.log2(value.length))
  return entropyOf(value) >= least
}

/** Shorter and plainer than what programs draw. */
function isPassword(word: string): boolean {
  return (
    mixed.test(word) &&
    entropyOf(word) >= 3 &&
    !isDummyPassword(word) &&
    !isName(word) &&
    !path.test(word) &&
    !/^(?:\d{4}-\d\d-\d\d|https?:)/.test(word)
  )
}

/** By kubeseal, with a key of 512 bytes, whose length comes first. */
function isSealed(value: string): boolean {
  return /^Ag[A-D].{197}/.test(value)
}

/** Of name and password in base64, the password counts. */
function isBasic(value: string): boolean {
  const [, password = ''] = Buffer.from(value, 'base64').toString('latin1').split(':')
  return password.length >= 8 && mixed.test(password) && !isDummyPassword(password)
}
