/** The input box as measured: what a paste becomes, what Enter submits, what a restored prompt leaves. */

/** A paste of more than 2 line breaks or more than 800 characters is wrapped, for the model and for the hook. */
const maxBareBreaks = 2
const maxBareCharacters = 800
// eslint-disable-next-line no-control-regex
const controlCharacters = /\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g
const invisible = /[\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]/g

export interface InputBox {
  type(text: string): void
  paste(text: string): void
  clear(): void
  erase(): void
  /** The prompt, the box is empty afterwards; undefined when this Enter only cleaned invisible characters or there is nothing. */
  submit(): string | undefined
  /** An interrupted prompt comes back before what was typed meanwhile. */
  restore(prompt: string): void
  readonly isEmpty: boolean
}

/** `pasteId` is four hexadecimal digits, one for the whole session. */
export function inputBox(pasteId: string): InputBox {
  let parts: string[] = []
  return {
    get isEmpty() {
      return parts.length === 0
    },
    type: (text) => void parts.push(text),
    paste: (text) => void parts.push(pasted(text, pasteId)),
    clear: () => void (parts = []),
    erase: () => void parts.push((parts.pop() ?? '').slice(0, -1)),
    restore: (prompt) => void parts.unshift(prompt),
    submit() {
      const text = parts.join('')
      const clean = text.replaceAll(invisible, '')
      parts = clean === text ? [] : [clean]
      return clean === text && text.trim() !== '' ? text.trimEnd() : undefined
    },
  }
}

function pasted(text: string, pasteId: string): string {
  const clean = text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll('\t', '    ')
    .replaceAll(controlCharacters, '')
    .replace(/\n+$/, '')
  const breaks = clean.split('\n').length - 1
  if (breaks <= maxBareBreaks && clean.length <= maxBareCharacters) return clean
  return `\n\n<pasted_content id="${pasteId}">\n${clean}\n</pasted_content id="${pasteId}">\n`
}
