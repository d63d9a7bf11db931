/** What a text says to somebody who undoes every disguise: each reading of it is one more text. */
const hiddenMark = /\[U\+([0-9A-F]{4,6})\]/g
const overrides = /[\u202D\u202E\u2066-\u2069\u202A-\u202C]/u

/** Letters that look like Latin ones. */
const lookalikes: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['аạɑα', 'a'],
    ['ьЬ', 'b'],
    ['сϲ', 'c'],
    ['ԁ', 'd'],
    ['еẹε', 'e'],
    ['ɡ', 'g'],
    ['һн', 'h'],
    ['іıι', 'i'],
    ['ј', 'j'],
    ['кκ', 'k'],
    ['ӏ', 'l'],
    ['м', 'm'],
    ['ո', 'n'],
    ['оοօ', 'o'],
    ['рρ', 'p'],
    ['ԛ', 'q'],
    ['г', 'r'],
    ['ѕ', 's'],
    ['тτ', 't'],
    ['υս', 'u'],
    ['ѵν', 'v'],
    ['ԝ', 'w'],
    ['х', 'x'],
    ['у', 'y'],
  ].flatMap(([from = '', to = '']) => [...from].map((letter) => [letter, to])),
)

/** No deeper than somebody would wrap it. */
const depth = 3

export function readingsOf(text: string): readonly string[] {
  const readings = new Set<string>()
  let layer = [text.slice(0, 200_000)]
  for (let level = 0; level <= depth && layer.length > 0; level += 1) {
    const fresh = layer.filter((one) => one.trim() !== '' && !readings.has(one))
    for (const one of fresh) readings.add(one)
    layer = fresh.flatMap(unwrap)
  }
  return [...readings]
}

function unwrap(text: string): readonly string[] {
  const shown = text.replaceAll(hiddenMark, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
  const plain = withoutInvisible(shown)
  return [
    plain,
    tagsOf(shown),
    overrides.test(shown) ? reversedLines(plain) : '',
    withoutEntities(plain),
    latin(plain),
    plain.replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    percentDecoded(plain),
    /rot.?13/i.test(plain) ? rot13(plain) : '',
    spelledOut(plain),
    ...encodedIn(plain),
  ].filter((one) => one !== '' && one !== text)
}

function withoutInvisible(text: string): string {
  return text.replaceAll(/\p{Cf}/gu, '')
}

/** Unicode's tag characters mirror ASCII. */
function tagsOf(text: string): string {
  return [...text]
    .map((character) => (character.codePointAt(0) ?? 0) - 0xe0000)
    .filter((code) => code >= 0x20 && code < 0x7f)
    .map((code) => String.fromCharCode(code))
    .join('')
}

function reversedLines(text: string): string {
  return text
    .split('\n')
    .map((line) => [...line].toReversed().join(''))
    .join('\n')
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

function withoutEntities(text: string): string {
  return text.replaceAll(/&(#x?[0-9a-f]+|[a-z]+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return entities[name.toLowerCase()] ?? whole
    const code =
      name[1]?.toLowerCase() === 'x' ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

function latin(text: string): string {
  return [...text.normalize('NFKC')]
    .map((letter) => {
      const small = lookalikes[letter.toLowerCase()]
      return small === undefined ? letter : letter === letter.toLowerCase() ? small : small.toUpperCase()
    })
    .join('')
}

function percentDecoded(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run)
    } catch {
      return run
    }
  })
}

function rot13(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
  })
}

/** `m e r g e` and `m-e-r-g-e`. */
function spelledOut(text: string): string {
  return text.replaceAll(/\b(?:\p{L}[ .\-_]){3,}\p{L}\b/gu, (run) => run.replaceAll(/[ .\-_]/g, ''))
}

function encodedIn(text: string): readonly string[] {
  const base64 = (text.match(/[A-Za-z0-9+/_-]{16,}={0,2}/g) ?? []).map((run) =>
    Buffer.from(run, 'base64').toString('utf8'),
  )
  const wrapped = (text.match(/(?:[A-Za-z0-9+/]{40,}\n)+[A-Za-z0-9+/]*={0,2}/g) ?? []).map((run) =>
    Buffer.from(run, 'base64').toString('utf8'),
  )
  const hex = (text.match(/\b(?:[0-9a-f]{2}){8,}\b/gi) ?? []).map((run) => Buffer.from(run, 'hex').toString('utf8'))
  return [...base64, ...wrapped, ...hex].filter(isWords)
}

function isWords(text: string): boolean {
  return /^[\p{L}\p{N}\p{P}\p{S}\p{Z}\s]+$/u.test(text) && /[\p{L}]{3}/u.test(text) && !text.includes('\uFFFD')
}
