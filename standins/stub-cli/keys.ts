/** Bytes of the terminal as keys. A paste may come in many chunks; a lone ESC is told from a sequence by what follows. */
export type Key =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'paste'; readonly text: string }
  | { readonly type: 'enter' | 'escape' | 'ctrl-c' | 'down' | 'up' | 'backspace' }

const pasteStart = '\u001b[200~'
const pasteEnd = '\u001b[201~'
// eslint-disable-next-line no-control-regex
const sequence = /^\u001b(\[[0-9;?<>=]*[ -/]*[@-~]|\][^\u0007\u001b]*(\u0007|\u001b\\)|P[^\u001b]*\u001b\\|O.)/

export interface KeyReader {
  /** Keys that are complete with this chunk. */
  read(chunk: string): readonly Key[]
  /** Called when nothing followed for a moment: a pending ESC is the key. */
  flush(): readonly Key[]
}

export function keyReader(): KeyReader {
  let rest = ''
  return {
    read(chunk) {
      const [keys, left] = split(rest + chunk)
      rest = left
      return keys
    },
    flush() {
      if (rest !== '\u001b') return []
      rest = ''
      return [{ type: 'escape' }]
    },
  }
}

function split(input: string): readonly [readonly Key[], string] {
  const keys: Key[] = []
  let rest = input
  while (rest !== '') {
    const taken = takeOne(rest)
    if (taken === undefined) break
    if (taken.key !== undefined) keys.push(taken.key)
    rest = rest.slice(taken.length)
  }
  return [keys, rest]
}

/** Undefined: more input is needed. A key undefined: a sequence that means nothing here. */
function takeOne(input: string): { readonly key?: Key; readonly length: number } | undefined {
  if (input.startsWith(pasteStart)) {
    const end = input.indexOf(pasteEnd)
    return end < 0
      ? undefined
      : { key: { type: 'paste', text: input.slice(pasteStart.length, end) }, length: end + pasteEnd.length }
  }
  if (input.startsWith('\u001b')) return takeEscape(input)
  const control = controls[input[0] ?? '']
  if (control !== undefined) return { key: { type: control }, length: 1 }
  const end = input.search(/[\r\u0003\u007f\b\u001b]/)
  const text = end < 0 ? input : input.slice(0, end)
  return { key: { type: 'text', text }, length: text.length }
}

const controls: Readonly<Record<string, 'enter' | 'ctrl-c' | 'backspace'>> = {
  '\r': 'enter',
  '\u0003': 'ctrl-c',
  '\u007f': 'backspace',
  '\b': 'backspace',
}

function takeEscape(input: string): { readonly key?: Key; readonly length: number } | undefined {
  const match = sequence.exec(input)?.[0]
  if (match === '\u001b[A' || match === '\u001bOA') return { key: { type: 'up' }, length: match.length }
  if (match === '\u001b[B' || match === '\u001bOB') return { key: { type: 'down' }, length: match.length }
  if (match !== undefined) return { length: match.length }
  const mayContinue = /^\u001b($|\[[0-9;?<>=]*$|[\]P])/.test(input)
  return mayContinue ? undefined : { key: { type: 'escape' }, length: 1 }
}
