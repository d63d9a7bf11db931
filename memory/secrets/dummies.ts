/** Values that documents and tests make up, so that everybody sees that they open nothing. */

const madeUp =
  /example|sample|dummy|fake|mock|placeholder|change_?me|redacted|your|insert|replace|x{4}|\*{3}|\.{3}|(.)\1{5}|<|\$\{|\{\{|%[a-z]|process\.env/i
/** Runs along a keyboard or an alphabet. `eyJz…` is "sub":"1234567890" in the token that jwt.io shows. */
const inOrder = /abcdef|123456|987654|qwerty|eyJzdWIiOiIxMjM0NTY3ODkw/i

const inUrl = /:\/\/[^\s:@/]*:([^\s@/]*)@/

/** Of a token that a program drew, or of a URL with a password. */
export function isDummy(token: string): boolean {
  const [, password = ''] = inUrl.exec(token) ?? []
  return madeUp.test(token) || inOrder.test(token) || isDummyPassword(password)
}

/** Of a word that a person chose. */
export function isDummyPassword(word: string): boolean {
  return madeUp.test(word) || /test|passw|secret|admin|foo|bar|demo|token|^(?:pass|pwd?)(?:\W\w{0,12})?$/i.test(word)
}

/** Calls and members: `tokens.next`, `a-b-c-d`, `SOME_NAME_2`. */
export function isName(value: string): boolean {
  return (
    /^[a-z][\w]*(?:\.[a-z]\w*)+$/i.test(value) ||
    value.split(/[-_./]/).every((part) => /^(?:[a-z]{2,}|[A-Z]{2,}|\d{1,4}|[A-Z]?[a-z]+\d?)?$/.test(part))
  )
}

/** Types and variables: `Uint8ArrayBuffer`, `base64Url`. */
export function isIdentifier(value: string): boolean {
  const words = value.match(/[A-Z]?[a-z]+\d*|[A-Z]+\d*|\d+|[^A-Za-z\d]+/g) ?? []
  return words.every((word) => /^(?:[A-Z]?[a-z]{2,}\d{0,3}|[A-Z]{2,}\d{0,3}|\W+|_+|\d{1,4})$/.test(word))
}

/** Bits a character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const sign of text) counts.set(sign, (counts.get(sign) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}
