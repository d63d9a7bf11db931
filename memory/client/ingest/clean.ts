/** The service refuses U+0000, and takes lone surrogates only replaced. */
export function clean(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

/** No hash, key or signature is so long. */
const leastBase64 = 500
/** JSON may write `/` as `\/`. */
const unbroken = new RegExp(String.raw`(?<![\w+/-])(?:[\w+/-]|\\/){${leastBase64},}={0,2}`, 'g')
/** Lines have 64 or 76 characters. Between them: line ends, also as `\n`, and quotes, commas or marks of a diff. */
const wrapped =
  /(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]|\\\/){60,}(?:(?:\\[nr]|[^A-Za-z0-9]){1,40}(?:[A-Za-z0-9+/]|\\\/){60,})+={0,2}/g
/** Of digits and of capitals 16 % and 40 % are usual. Lists of paths and of names have fewer digits. */
const leastShare = 1 / 20

/** No memory has more, and V8 throws where one match has 16 million characters. */
const mostRead = 2_000_000

/** Pictures and other data within a text: each run gives hundreds of terms that nobody asks for. Linear in the text. */
export function withoutBase64(text: string): string {
  const mark = '[base64 left out]'
  return text
    .slice(0, mostRead)
    .replaceAll(unbroken, mark)
    .replaceAll(wrapped, (run) => (isBase64(run) ? mark : run))
}

function isBase64(run: string): boolean {
  const least = run.length * leastShare
  return run.length >= leastBase64 && [/\d/g, /[A-Z]/g].every((kind) => (run.match(kind)?.length ?? 0) >= least)
}
