/** HTML as a browser's tree. Its size grows with the text alone, whatever the text is. */
import { defaultTreeAdapter, parseFragment, type DefaultTreeAdapterTypes as Tree } from 'parse5'

interface HtmlTree {
  readonly fragment: Tree.DocumentFragment
  /** A comment or a tag that never ends has swallowed the rest, or the tree would have outgrown the text. */
  readonly isSwallowed: boolean
}

/**
 * A browser copies each formatting element that nobody closed into each paragraph below it: 64 KiB of them make
 * millions. A table's cell implies three elements around it, and a few copies are a slip of people.
 */
const elementsForEachTag = 4
const elementsForAll = 200

class Outgrown extends Error {}

export function htmlTree(html: string): HtmlTree {
  let isSwallowed = false
  try {
    const fragment = parseFragment(html, {
      scriptingEnabled: false,
      sourceCodeLocationInfo: true,
      treeAdapter: boundedAdapter(elementsForAll + elementsForEachTag * countOf('<', html)),
      onParseError: ({ code }) => {
        isSwallowed ||= code.startsWith('eof-in-')
      },
    })
    return { fragment, isSwallowed }
  } catch (error) {
    if (!(error instanceof Outgrown)) throw error
    return { fragment: defaultTreeAdapter.createDocumentFragment(), isSwallowed: true }
  }
}

/** Only of elements does anybody ask where they end; the places of texts took half of the time. */
function boundedAdapter(mostElements: number): typeof defaultTreeAdapter {
  let elements = 0
  return {
    ...defaultTreeAdapter,
    createElement(...parts) {
      elements += 1
      if (elements > mostElements) throw new Outgrown('more elements than the text has tags for')
      return defaultTreeAdapter.createElement(...parts)
    },
    setNodeSourceCodeLocation(node, location) {
      if ('tagName' in node) defaultTreeAdapter.setNodeSourceCodeLocation(node, location)
    },
  }
}

export function countOf(sign: string, text: string): number {
  let count = 0
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + sign.length)) count += 1
  return count
}
