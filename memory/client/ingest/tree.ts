/** Which files there are and what they hold: of a commit by git's objects, where no work tree is needed, or of a folder. */
import {
  git,
  isNamedGenerated,
  judgeSource,
  listFiles,
  pickPaths,
  readSource,
  spawnReader,
  type Read,
  type Skipped,
  type SkipReason,
} from '../../extract/source-files.ts'

export interface Tree {
  /** In order. */
  readonly files: readonly string[]
  readonly skipped: readonly Skipped[]
  /** One answer for each of these files, in their order. */
  read(files: readonly string[], largestBytes: number): AsyncIterable<Read>
}

/** The id of the commit that `name` stands for. Undefined: there is none, or it has nothing of the folder `dir`. */
export async function findCommit(dir: string, name: string): Promise<string | undefined> {
  const { code, stdout } = await git(dir, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`])
  if (code !== 0) return undefined
  const commit = stdout.trim()
  // A folder that git ignores may lie in somebody's repository.
  const isInside = (await git(dir, ['rev-parse', '--show-prefix'])).stdout.trim() !== ''
  if (isInside && (await git(dir, ['ls-tree', '--end-of-options', commit])).stdout === '') return undefined
  return commit
}

/** Files as they lie there; what git ignores is none. */
export async function folderTree(dir: string): Promise<Tree> {
  const { files, skipped } = await listFiles(dir)
  return {
    files,
    skipped,
    async *read(wanted, largestBytes) {
      for (const file of wanted) yield await readSource(dir, file, { largestBytes })
    },
  }
}

const plainFile = /^100/

/** @throws Error where git does not know the commit. */
export async function commitTree(dir: string, commit: string): Promise<Tree> {
  const listed = await git(dir, ['ls-tree', '-r', '-z', '--end-of-options', commit])
  if (listed.code !== 0) throw new Error(`git cannot list the files of ${commit}: ${listed.stderr.trim()}`)
  const blobs = new Map<string, string>()
  const others: Skipped[] = []
  for (const entry of listed.stdout.split('\0').filter(Boolean)) {
    const [head = '', file = ''] = split(entry, '\t')
    const [mode = '', , id = ''] = head.split(' ')
    if (plainFile.test(mode)) blobs.set(file, id)
    else others.push({ file, reason: 'a link or no file' })
  }
  const { files, skipped } = pickPaths([...blobs.keys()])
  return {
    files,
    skipped: [...skipped, ...others],
    read: (wanted, largestBytes) =>
      readBlobs(
        dir,
        wanted.map((file) => ({ file, id: blobs.get(file)! })),
        largestBytes,
      ),
  }
}

function split(text: string, by: string): [string, string] {
  const at = text.indexOf(by)
  return [text.slice(0, at), text.slice(at + 1)]
}

interface Blob {
  readonly file: string
  readonly id: string
}

async function* readBlobs(dir: string, blobs: readonly Blob[], largestBytes: number): AsyncGenerator<Read> {
  const sizes = await sizesOf(dir, blobs)
  const reasonAgainst = ({ file, id }: Blob): SkipReason | undefined => {
    const size = sizes.get(id)
    if (isNamedGenerated(file)) return 'generated'
    if (size === undefined) return 'unreadable'
    return size > largestBytes ? 'too big' : undefined
  }
  const wanted = blobs.filter((blob) => reasonAgainst(blob) === undefined)
  const child = spawnReader(dir, ['cat-file', '--batch', '--buffer'], lines(wanted))
  child.stderr.resume()
  const output = new Output(child.stdout)
  try {
    for (const blob of blobs) {
      const reason = reasonAgainst(blob)
      if (reason !== undefined) yield { file: blob.file, reason }
      else {
        await output.line()
        const bytes = await output.bytes(sizes.get(blob.id) ?? 0)
        await output.line()
        yield judgeSource(blob.file, bytes, blob.id)
      }
    }
  } finally {
    child.kill()
  }
}

/** By id. One that is not there, as in a clone of a part, has none. */
async function sizesOf(dir: string, blobs: readonly Blob[]): Promise<ReadonlyMap<string, number>> {
  const format = '--batch-check=%(objectname) %(objectsize)'
  const { stdout } = await git(dir, ['cat-file', '--buffer', format], lines(blobs))
  const sizes = new Map<string, number>()
  for (const line of stdout.split('\n')) {
    const [id, size = ''] = split(line, ' ')
    if (/^\d+$/.test(size)) sizes.set(id, Number(size))
  }
  return sizes
}

function lines(blobs: readonly Blob[]): string {
  return blobs.map(({ id }) => `${id}\n`).join('')
}

/** Lines and counted bytes of what a program writes. */
class Output {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]()
  }

  async line(): Promise<void> {
    let end = this.#rest.indexOf('\n')
    while (end < 0) {
      await this.#more(1)
      end = this.#rest.indexOf('\n')
    }
    this.#rest = this.#rest.subarray(end + 1)
  }

  async bytes(count: number): Promise<Buffer> {
    await this.#more(count - this.#rest.length)
    const bytes = this.#rest.subarray(0, count)
    this.#rest = this.#rest.subarray(count)
    return bytes
  }

  async #more(count: number): Promise<void> {
    const chunks = [this.#rest]
    for (let left = count; left > 0;) {
      const next = await this.#chunks.next()
      if (next.done === true) throw new Error('git ended before all files were read')
      chunks.push(next.value)
      left -= next.value.length
    }
    this.#rest = Buffer.concat(chunks)
  }
}
