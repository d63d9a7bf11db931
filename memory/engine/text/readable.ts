import { sentencesOf } from './sentences.ts'

const proseFile = /\.(?:md|markdown|mdx|rst|txt|adoc)$/i
/** A mark that some generators want behind it (`#:`, `//!`, `//|`) belongs to it. */
const commentLine = /^\s*(?:\/\/+|\/\*+|\*(?!\/)|#+(?!!|\[)|--|;+)[!:|]?\s?(.*?)(?:\*\/)?\s*$/
const docstring = /("""|''')([\s\S]*?)\1/g
const signature =
  /^\s*(?:(?:export|default|public|protected|private|internal|static|abstract|final|async|pub(?:\([^)]*\))?|open|override|inline|const|unsafe)\s+)*(?:def|class|function|func|fn|interface|type|enum|struct|trait|impl|module|record|object)\s+[\w$<([*].*/
const nameless = /\bfunction\s*\(/
const longestSignature = 160
const mostLines = 12
const diffBeginning = /^(?:diff --git |@@ |--- |\+\+\+ |index [0-9a-f]{7,}\.\.)/m
const pathLine = /^\S+[./]\S*$/

interface Readable {
  readonly sentences: readonly string[]
  /** Whole, on one line each. */
  readonly signatures: readonly string[]
}

/**
 * What of a passage reads: sentences of prose; of code those of its comments, and its signatures; of a change what its author
 * wrote, and nothing of the diff.
 */
export function readableOf(
  content: string,
  { file, subject }: { file?: string | undefined; subject?: string | undefined },
): Readable {
  if (file?.startsWith('@') || subject !== undefined) return { sentences: changeOf(content, subject), signatures: [] }
  if (file === undefined || proseFile.test(file)) return { sentences: sentencesOf(content), signatures: [] }
  const { comments, code } = parted(content)
  return { sentences: sentencesOf(comments), signatures: signaturesOf(code) }
}

function changeOf(content: string, subject: string | undefined): string[] {
  const at = content.search(diffBeginning)
  const written = (at < 0 ? content : content.slice(0, at))
    .split('\n')
    .filter((line) => !pathLine.test(line.trim()) && !/^[+-]/.test(line))
    .join('\n')
  // A chunk from the middle of a diff has nothing before its first mark that anybody wrote as prose.
  const sentences = at >= 0 && subject !== undefined && !content.startsWith(subject) ? [] : sentencesOf(written)
  const title = subject?.trim() ?? ''
  const own = title === '' ? [] : [/[.!?]$/.test(title) ? title : `${title}.`]
  return [...own, ...sentences.filter((sentence) => title === '' || !sentence.startsWith(title))]
}

/** Comments, one paragraph each, and the lines of code without them. */
function parted(content: string): { comments: string; code: readonly string[] } {
  const docs = [...content.matchAll(docstring)].map(([, , text]) => dedented(text ?? ''))
  const blocks: string[] = []
  const code: string[] = []
  let open: string[] = []
  for (const line of content.replaceAll(docstring, '').split('\n')) {
    const text = commentLine.exec(line)?.[1]
    if (text !== undefined) {
      open.push(text)
      continue
    }
    code.push(line)
    if (open.length > 0) blocks.push(open.join('\n'))
    open = []
  }
  return { comments: [...docs, ...blocks, open.join('\n')].join('\n\n'), code }
}

/** A docstring stands as far in as its code, all but its first line. */
function dedented(text: string): string {
  const [first = '', ...rest] = text.split('\n')
  const depths = rest.filter((line) => line.trim() !== '').map((line) => line.search(/\S/))
  const depth = Math.min(...depths, Infinity)
  return [first.trim(), ...rest.map((line) => line.slice(Math.min(depth, line.length)))].join('\n')
}

/** One over several lines is joined; one whose end stands in another passage is none. */
function signaturesOf(code: readonly string[]): string[] {
  return code.flatMap((line, at) => {
    if (!signature.test(line) || nameless.test(line)) return []
    let joined = line.trim()
    for (let next = at + 1; next <= at + mostLines && openBrackets(joined) > 0; next += 1)
      joined = `${joined} ${code[next]?.trim() ?? ''}`
    const whole = joined
      .replace(/(?:\s+\{.*\}|(?:\s*[{:=])+)\s*$/, '')
      .replaceAll(/([([])\s+/g, '$1')
      .replaceAll(/,?\s+([)\]])/g, '$1')
    return openBrackets(whole) !== 0 || whole.endsWith(',') || whole.length > longestSignature ? [] : [whole]
  })
}

function openBrackets(text: string): number {
  return (text.match(/[([]/g)?.length ?? 0) - (text.match(/[)\]]/g)?.length ?? 0)
}
