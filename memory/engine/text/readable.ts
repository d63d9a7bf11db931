import { sentencesOf } from './sentences.ts'

const proseFile = /\.(?:md|markdown|mdx|rst|txt|adoc)$/i
const commentLine = /^\s*(?:\/\/+!?|\/\*+|\*(?!\/)|#+(?!!|\[)|--|;+)\s?(.*?)(?:\*\/)?\s*$/
const docstring = /("""|''')([\s\S]*?)\1/g
const signature =
  /^\s*(?:(?:export|default|public|protected|private|internal|static|abstract|final|async|pub(?:\([^)]*\))?|open|override|inline|const|unsafe)\s+)*(?:def|class|function|func|fn|interface|type|enum|struct|trait|impl|module|record|object)\s+[\w$<([*].*/
const longestSignature = 160
const diffBeginning = /^(?:diff --git |@@ |--- |\+\+\+ |index [0-9a-f]{7,}\.\.)/m
const pathLine = /^\S+[./]\S*$/

/**
 * What of a passage reads: sentences of prose; of code those of its comments, and its signatures; of a change what its author
 * wrote, and nothing of the diff.
 */
export function readableOf(
  content: string,
  { file, subject }: { file?: string | undefined; subject?: string | undefined },
): string[] {
  if (file?.startsWith('@') || subject !== undefined) return changeOf(content, subject)
  if (file === undefined || proseFile.test(file)) return sentencesOf(content)
  return [...sentencesOf(commentsOf(content)), ...signaturesOf(content)]
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

function commentsOf(code: string): string {
  const docs = [...code.matchAll(docstring)].map(([, , text]) => text ?? '')
  const blocks: string[] = []
  let open: string[] = []
  for (const line of code.replaceAll(docstring, '').split('\n')) {
    const text = commentLine.exec(line)?.[1]
    if (text !== undefined) open.push(text)
    else if (open.length > 0) {
      blocks.push(open.join('\n'))
      open = []
    }
  }
  return [...docs, ...blocks, open.join('\n')].join('\n\n')
}

function signaturesOf(code: string): string[] {
  return code
    .split('\n')
    .filter((line) => signature.test(line) && line.length <= longestSignature)
    .map((line) => `It has \`${line.trim().replace(/\s*[{:=(]\s*$/, '')}\`.`)
}
