/** The lines that a browser shows of a comment's HTML, and how far each of them may decide. */
import type { DefaultTreeAdapterTypes as Tree } from 'parse5'
import { htmlTree } from './html-tree.ts'

interface ShownLine {
  readonly text: string
  /** Not the start of a line of its own, or perhaps not displayed as words: it may withdraw, never approve. */
  readonly isDoubtful: boolean
}

export interface Shown {
  readonly lines: readonly ShownLine[]
  /** Behind the summary of details that are closed: shown to who opens them. */
  readonly folded: readonly string[]
  /** A forge may display more or less than these (`html-tree.ts`). */
  readonly isSwallowed: boolean
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '))

/** Words of others and examples; an HTML comment is no element. */
const silent = set('blockquote q pre code kbd samp tt')
/** Around words they change nothing but their looks. Cells, struck words and elements that nobody knows are doubtful. */
const trusted = set(
  'a abbr b bdi bdo big br center cite div em font h1 h2 h3 h4 h5 h6 hr i img input ins li ol p small span strong sub sup u ul var wbr',
)
const blocks = set(
  'address article aside blockquote br caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr legend li main nav ol p pre section summary table tbody td tfoot th thead tr ul',
)
/** Where code or an image was, the words before and after are not one. */
const gaps = set('q code kbd samp tt img input')
/** Of Markdown, code and cells have them, and headings behind a `#`. */
const hiding = set('hidden style class')

/** Most comments are paragraphs without anything in them: a tree of them took twenty times the Markdown parser's time. */
const plainParagraphs = /^(?:<p>[^<&\0\r]*<\/p>\n?)*$/

export function shownLines(html: string): Shown {
  if (plainParagraphs.test(html)) return { lines: linesOfParagraphs(html), folded: [], isSwallowed: false }
  const { fragment, isSwallowed } = htmlTree(html)
  return { ...walk(fragment), isSwallowed }
}

function linesOfParagraphs(html: string): readonly ShownLine[] {
  const lines = html.split(/<\/?p>|\n/).filter((line) => line.trim() !== '')
  return lines.map((text) => ({ text, isDoubtful: false }))
}

/** Either a node to enter or what is done once its children are through; a deep tree would exhaust the call stack. */
type Step = readonly [node: Tree.ChildNode, isDoubtful: boolean] | (() => void)

function walk(fragment: Tree.DocumentFragment): Omit<Shown, 'isSwallowed'> {
  const page = new Page()
  const steps: Step[] = inOrder(fragment.childNodes, false)
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if (typeof step === 'function') step()
    else if (step[0].nodeName === '#text') page.write((step[0] as Tree.TextNode).value, step[1])
    else if ('tagName' in step[0]) for (const next of enter(page, step[0], step[1])) steps.push(next)
  }
  page.endLine()
  return page
}

function inOrder(nodes: readonly Tree.ChildNode[], isDoubtful: boolean): Step[] {
  return nodes.map((node): Step => [node, isDoubtful]).toReversed()
}

function enter(page: Page, element: Tree.Element, isDoubtful: boolean): Step[] {
  const { tagName } = element
  if (blocks.has(tagName)) page.endLine()
  if (gaps.has(tagName)) page.leaveGap()
  if (silent.has(tagName) && element.sourceCodeLocation?.endTag) return []
  if (isFolded(element)) return unfold(page, element, isDoubtful)
  if (tagName === 'li') page.beginItem()
  return [() => leave(page, tagName), ...inOrder(childrenOf(element), isDoubtful || isDoubted(element))]
}

/** What nobody closed runs on; its author may not have meant that, so its lines are doubtful and not folded. */
function isFolded({ tagName, attrs, sourceCodeLocation }: Tree.Element): boolean {
  return tagName === 'details' && sourceCodeLocation?.endTag !== undefined && !attrs.some(({ name }) => name === 'open')
}

/** Its first summary is displayed either way. */
function unfold(page: Page, details: Tree.Element, isDoubtful: boolean): Step[] {
  const summary = details.childNodes.find(({ nodeName }) => nodeName === 'summary')
  const rest = details.childNodes.filter((node) => node !== summary)
  return [
    () => page.endFold(),
    () => page.endLine(),
    ...inOrder(rest, true),
    () => page.beginFold(),
    ...(summary ? inOrder([summary], isDoubtful) : []),
  ]
}

function leave(page: Page, tagName: string): void {
  if (blocks.has(tagName)) page.endLine()
  if (tagName === 'li') page.endItem()
}

function childrenOf(element: Tree.Element): readonly Tree.ChildNode[] {
  return element.tagName === 'template' ? (element as Tree.Template).content.childNodes : element.childNodes
}

/** Also a silent one that nobody closed: a forge lets it run on, its author may not have meant it. */
function isDoubted({ tagName, attrs }: Tree.Element): boolean {
  return !trusted.has(tagName) || attrs.some(({ name }) => hiding.has(name))
}

class Page {
  readonly lines: ShownLine[] = []
  readonly folded: string[] = []
  #folds = 0
  #text = ''
  /** Asked for each gap of a line, so it is not looked up in the line. */
  #hasWords = false
  #isDoubtful = false
  /** Items of lists that have shown no line yet: their first one starts with a marker, not with its words. */
  #unbegun = 0

  write(text: string, isDoubtful: boolean): void {
    const [first = '', ...more] = text.split('\n')
    this.#add(first, isDoubtful)
    for (const line of more) {
      this.endLine()
      this.#add(line, isDoubtful)
    }
  }

  endLine(): void {
    const text = this.#unbegun > 0 ? this.#text.replace(/^\s*\[[ x]\]\s+(?=\S)/i, '') : this.#text
    if (this.#hasWords) {
      if (this.#folds > 0) this.folded.push(text)
      else {
        this.lines.push({ text, isDoubtful: this.#isDoubtful || this.#unbegun > 0 })
        this.#unbegun = 0
      }
    }
    this.#text = ''
    this.#hasWords = false
    this.#isDoubtful = false
  }

  /** A command behind it does not start its line. */
  leaveGap(): void {
    this.#isDoubtful ||= !this.#hasWords
    this.#text += ' '
  }

  beginFold(): void {
    this.#folds += 1
  }

  endFold(): void {
    this.#folds -= 1
  }

  beginItem(): void {
    this.#unbegun += 1
  }

  endItem(): void {
    this.#unbegun = Math.max(0, this.#unbegun - 1)
  }

  #add(text: string, isDoubtful: boolean): void {
    this.#text += text
    if (text.trim() === '') return
    this.#hasWords = true
    this.#isDoubtful ||= isDoubtful
  }
}
