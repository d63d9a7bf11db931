import { judgeComment } from '../../../machines/rules/approval-grammar.ts'
import { suite, type Attack, type Setting, type Stage, type Suite } from '../attack.ts'

/** A comment, and how it is read. */
interface Comment {
  judge: (text: string) => string
  text: string
}

/** Line by line, whatever a line is part of; a hidden part runs to the end. */
function naive(text: string): string {
  const lines = text.replace(/(?:<details>|<!--)[\s\S]*$/, '').split('\n')
  const said = lines.map((line) => judgeComment(line.replace(/^[\s>*\d.`-]+|[`\s]+$|<[^>]*>/g, '')))
  return ['withdraws', 'approves'].find((judgement) => said.includes(judgement as never)) ?? 'none'
}

async function openComments({ down }: Setting): Promise<Stage<Comment>> {
  const judge = down.has('markdown') ? naive : judgeComment
  return { scene: async () => ({ judge, text: '' }), close: async () => undefined }
}

function comment(name: string, text: string, succeeded: (judgement: string) => boolean): Attack<Comment> {
  return {
    name,
    walls: ['markdown'],
    plant: (scene) => (scene.text = text),
    succeeded: ({ judge, text: said }) => succeeded(judge(said)),
  }
}

const granted = (name: string, text: string): Attack<Comment> =>
  comment(`an approval in ${name}`, text, (judgement) => judgement === 'approves')
const unheard = (name: string, text: string): Attack<Comment> =>
  comment(`a withdrawal behind ${name}`, text, (judgement) => judgement !== 'withdraws')

const fence = '```'
const attacks: readonly Attack<Comment>[] = [
  granted('a fence', `Later I would write:\n\n${fence}\n/approve\n${fence}`),
  granted('a fence of tildes', 'Later I would write:\n\n~~~\n/approve\n~~~'),
  granted('a fence within a longer one', `${fence}${fence}\n${fence}\n/approve\n${fence}\n${fence}${fence}`),
  granted('inline code', 'I might say `/approve` one day.\n\n`/approve`'),
  granted('indented code', 'Later:\n\n    /approve'),
  granted('a quote', '> /approve\n\nWho wrote this?'),
  granted('a fence of a list item', `I have not decided.\n\n1. ${fence}\n   /approve\n   ${fence}\n2. and then wait.`),
  granted('code over several lines', 'Not yet: `this\n/approve\nthat`'),
  granted('preformatted text', '<pre>\n/approve\n</pre>'),
  granted('a quote that goes on', '> Somebody said\n/approve'),
  granted("a quote between GitLab's fences", 'They wrote:\n\n>>>\n/approve\n>>>\n\nI do not know.'),
  granted("a quote between GitLab's longer fences, with a list", '- What of this?\n\n  >>>>\n  /approve\n  >>>>>'),
  granted('a fenced quote within another', '>>>>\nMaria:\n>>>\n/approve\n>>>\n>>>>'),
  granted('front matter', '---\n/approve\n---\n\nPasted from the wiki.'),
  unheard('a word that looks like the begin of details', 'The `<details>` of the plan are wrong.\n\n/hold'),
  unheard('a word that looks like the begin of a comment', 'The `<!--` is wrong.\n\n/hold'),
]

export const words: Suite = suite('12 words of people', openComments, attacks)
