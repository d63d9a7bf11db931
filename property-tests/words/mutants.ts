/** Readings with one mistake each: what a comment is changed to before it is read, or how it was read before. */
import { linesOf, type CommentLines } from '../../machines/rules/comment-text.ts'

export interface Mutant {
  readonly name: string
  readonly read: (text: string) => CommentLines
}

function blindTo(name: string, construct: RegExp, instead: string): Mutant {
  return { name, read: (text) => linesOf(text.replaceAll(construct, instead)) }
}

export const mutants: readonly Mutant[] = [
  {
    name: 'expressions instead of a parser',
    read: (text) => ({ said: byExpressions(text), doubtful: [], hidden: [], passages: [], alerts: [], folded: [] }),
  },
  { name: 'characters are normalised before it is parsed', read: (text) => linesOf(text.normalize('NFKC')) },
  blindTo('code that goes on in the next line', /(?<!`)`([^`\n]*)\n([^`\n]*)`(?!`)/g, '$1\n$2'),
  blindTo('fences on the line of a list marker', /^(\s*(?:[-*]|\d+[.)]) )(?:```|~~~)/gm, '$1'),
  blindTo('fences', /^(?:```|~~~)/gm, ''),
  blindTo('info strings', /^(```|~~~)(?=[^`\n]*\/approve)/gm, ''),
  blindTo('indented code', /^ {4}/gm, ''),
  blindTo('lazy lines', /^(>.*)\n(?=[^>\n])/gm, '$1\n\n'),
  blindTo('quotes', /^> /gm, ''),
  blindTo('titles of links', /\]\(\/url "\n?/g, '](/url)\n'),
  blindTo('pre', /<\/?pre>/g, ''),
  blindTo('code elements', /<\/?code>/g, ''),
  blindTo('blockquote elements', /<\/?blockquote>/g, ''),
  blindTo('details', /<\/?details>/g, ''),
  blindTo('HTML comments', /<!--|-->/g, ''),
  blindTo('code around the start of an HTML comment', /<!--[\s\S]*?(?:-->|$)/g, ''),
  blindTo('code around a details tag', /<details>[\s\S]*?(?:<\/details>|$)/g, ''),
  blindTo('markers of lists', /^(?:[-*]|\d+[.)]) /gm, ''),
]

/** As comments were read until the parser came. */
function byExpressions(text: string): readonly string[] {
  const plain = text.normalize('NFKC').replace(/\r\n?/g, '\n')
  return plain
    .replace(/^ {0,3}(`{3,}|~{3,})[\s\S]*?(?:^ {0,3}\1.*$|$(?![\s\S]))/gm, '')
    .replace(/<!--[\s\S]*?(?:-->|$(?![\s\S]))/g, '')
    .replace(/<details[\s>][\s\S]*?(?:<\/details\s*>|$(?![\s\S]))/gi, '')
    .split('\n')
    .filter((line) => !/^\s{0,3}>/.test(line))
    .map((line) =>
      line
        .replace(/(`+)[\s\S]*?\1/g, ' ')
        .replace(/\p{Cf}/gu, '')
        .trim(),
    )
    .filter((line) => line !== '')
}
