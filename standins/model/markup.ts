/**
 * A tolerant reader of the bundle's markup: elements, attributes, five entities. The renderer escapes every text
 * node (BUNDLE-TEXT-1), so a bare `<` that opens no element is kept as text.
 */
export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Element[]
  readonly text: string
}

interface OpenElement {
  name: string
  attributes: Record<string, string>
  children: Element[]
  text: string
}

const token = /<(\/?)([a-zA-Z_][\w-]*)((?:\s+[\w:-]+="[^"]*")*)\s*(\/?)>|[^<]+|</g
const attribute = /([\w:-]+)="([^"]*)"/g
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescapeText(text: string): string {
  return text.replace(
    /&(amp|lt|gt|quot|apos|#(\d+)|#x([0-9a-fA-F]+));/g,
    (whole, name: string, decimal?: string, hex?: string) => {
      if (decimal !== undefined) return fromCodePoint(Number.parseInt(decimal, 10), whole)
      if (hex !== undefined) return fromCodePoint(Number.parseInt(hex, 16), whole)
      return entities[name] ?? whole
    },
  )
}

function fromCodePoint(code: number, otherwise: string): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : otherwise
}

/** Reads the whole text as the content of one nameless root. A stray end tag is skipped, a missing one is implied. */
export function readMarkup(source: string): Element {
  const open: OpenElement[] = [{ name: '', attributes: {}, children: [], text: '' }]
  for (const match of source.matchAll(token)) {
    const [whole, slash, name, attributes, selfClosing] = match
    if (name === undefined) top(open).text += unescapeText(whole)
    else if (slash === '/') closeTo(open, name)
    else {
      open.push({ name, attributes: readAttributes(attributes ?? ''), children: [], text: '' })
      if (selfClosing === '/') closeTop(open)
    }
  }
  while (open.length > 1) closeTop(open)
  return top(open)
}

function top(open: readonly OpenElement[]): OpenElement {
  return open[open.length - 1] as OpenElement
}

function closeTop(open: OpenElement[]): void {
  const done = open.pop() as OpenElement
  top(open).children.push(done)
}

function closeTo(open: OpenElement[], name: string): void {
  const depth = open.findLastIndex((element) => element.name === name)
  if (depth < 1) return
  while (open.length > depth) closeTop(open)
}

function readAttributes(source: string): Record<string, string> {
  return Object.fromEntries(
    [...source.matchAll(attribute)].map(([, name, value]) => [name ?? '', unescapeText(value ?? '')]),
  )
}

export function childrenNamed(element: Element, name: string): readonly Element[] {
  return element.children.filter((child) => child.name === name)
}

/** Every element of this name at any depth, in document order. */
export function findAll(element: Element, name: string): readonly Element[] {
  return element.children.flatMap((child) =>
    child.name === name ? [child, ...findAll(child, name)] : findAll(child, name),
  )
}

/** The text of the first child of this name, without the blanks that a renderer's layout puts around it. */
export function childText(element: Element, name: string): string {
  return childrenNamed(element, name)[0]?.text.trim() ?? ''
}
