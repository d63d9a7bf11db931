/**
 * At most so many tokens is a text for a model, by the characters alone: the tokenizer of the models is not public. A linear fit, from
 * above, to the public vocabulary o200k over logs, lock files, encodings, prose and code: 1.0 to 1.5 times what that counts.
 * Words without sense, of common pairs of letters, may reach 1.3 times the estimate.
 */

/** Which letter often follows each of a to z in European languages and in code; other pairs seldom stand inside one token. */
const followers = (
  'abcdghilmnprstuwy aeioruy aehiklortu aeilorsuy abcdefghilmnpqrstuvwxyz aefinortu aeinorsu aeilmnort abcdefglmnopqrstuvx e eis ' +
  'adeilosuy abeimopst acdefgilostu bcdefijklmnoprstuvw aeiloprstu u acdefginorstuyz acehiknopqrstuy acehilorstuvwy acdeilmnrst aei ' +
  'aehinors cpt nps aeu'
).split(' ')

const [lower, upper, digit, sign, blank, newline, wide] = [1, 2, 3, 4, 5, 6, 7]

const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[a-z]/.test(character)) return lower
  if (/[A-Z]/.test(character)) return upper
  if (/\d/.test(character)) return digit
  if (/[\r\n]/.test(character)) return newline
  if (/[ \t]/.test(character)) return blank
  return /[!-~]/.test(character) ? sign : wide
})

const lowerA = 97
/** By 32 times the first letter and the second. */
const isCommon = Uint8Array.from({ length: 1024 }, (_, pair) =>
  followers[pair >> 5]?.includes(String.fromCharCode((pair & 31) + lowerA)) ? 1 : 0,
)

export function tokensAtMost(text: string): number {
  let [tokens, before, last, run] = [0, 0, 0, 0]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    const kind = kinds[code] ?? wide
    const goesOn = kind === before || (kind === lower && before === upper)
    const ranBefore = run
    run = goesOn ? run + 1 : 1
    if (kind <= upper) tokens += run === 1 ? ofFirstLetter(before, ranBefore) : ofLetter(last, code, run)
    else if (kind === digit) tokens += (run % 3 === 1 ? 1.1 : 0) + (before === blank ? 1 : 0)
    else if (kind === sign) tokens += run === 1 ? 0.9 : last === code ? 0.5 : 0.95
    else if (kind === blank) tokens += (run === 2 ? 1 : 0.1) + (run > 1 && last !== code ? 1 : 0)
    else if (kind === newline) tokens += run > 1 ? 0.1 : before === sign ? 0.5 : 1
    else tokens += ofWide(code)
    before = kind
    last = code
  }
  return Math.ceil(tokens)
}

/** Words of more letters than this are seldom words. */
const longWord = 12

/** A blank or one sign often stands in one token with the letters after it. */
function ofFirstLetter(before: number, ranBefore: number): number {
  if (before === blank) return 1
  return before === sign && ranBefore === 1 ? 0.5 : 1.2
}

function ofLetter(last: number, code: number, run: number): number {
  const pair = (((last | 32) - lowerA) << 5) | ((code | 32) - lowerA)
  return (isCommon[pair] === 1 ? 0.04 : 0.85) + (run > longWord ? 0.3 : 0)
}

/** Letters of other scripts are shared by words; controls, signs and halves of a pair count by their bytes. */
function ofWide(code: number): number {
  if (code < 0xc0) return 2
  if (code < 0x800) return 1
  if (code >= 0x2000 && code < 0x3000) return 3
  return code >= 0xd800 && code < 0xe000 ? 2 : 1.25
}
