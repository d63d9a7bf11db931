/**
 * What a checkout of a commit would write, read off git's list of its tree, and no further than the bounds: the tree of five
 * objects can name millions of files, a terabyte in all.
 */

/** Unless the operator says otherwise. */
export const mostCheckoutBytes = 4 * 1024 ** 3
const mostNames = 1_000_000
/** The index holds the whole path of each name. */
const mostPaths = 256 * 1024 ** 2

/** Folders count too: git walks through any number of them before it prints a file. */
export function listingOf(commit: string): readonly string[] {
  return ['ls-tree', '-r', '-t', '-l', '-z', '--full-tree', '--end-of-options', commit]
}

export class CheckoutSize {
  readonly #mostBytes: number
  #rest = ''
  #names = 0
  #paths = 0
  #bytes = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /** What is too large, once it is. */
  get fault(): string | undefined {
    if (this.#bytes > this.#mostBytes) return `more than ${this.#mostBytes} bytes`
    if (this.#names > mostNames) return `more than ${mostNames} names`
    return this.#paths > mostPaths ? `paths of more than ${mostPaths} bytes` : undefined
  }

  /** Takes what git prints next; answers whether it is too large by now. */
  readonly take = (text: string): boolean => {
    const records = (this.#rest + text).split('\0')
    this.#rest = records.pop() ?? ''
    for (const record of records) {
      const tab = record.indexOf('\t')
      this.#names += 1
      this.#paths += record.length - tab - 1
      // Of a folder it is a dash.
      this.#bytes += Number(record.slice(record.lastIndexOf(' ', tab), tab)) || 0
    }
    return this.fault !== undefined
  }
}
