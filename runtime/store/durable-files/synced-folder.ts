import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { EmscriptenBuiltinFilesystem } from '@electric-sql/pglite/basefs'
import { addSync } from './add-sync.ts'
import { realDisk, type Disk } from './disk.ts'
import type { NodeFiles } from './node-files.ts'
import { syncTree } from './sync-tree.ts'
import { unpackTar } from './tar.ts'

type ModuleOptions = Parameters<EmscriptenBuiltinFilesystem['init']>[1]

/** Where PGlite looks for its data inside its own tree. */
const mountPoint = '/pglite/data'

/**
 * PGlite's files in a folder of the machine, on disk when Postgres says so. What this adds to PGlite's own `NodeFS`:
 *
 * 1. Syncs are done (`add-sync.ts`).
 * 2. A new database is made beside the folder, by initdb or from a template, synced whole and renamed: a folder that is
 *    there is complete.
 * 3. A folder that is there is synced whole before it is opened: a copy that somebody restored, or what a version that
 *    never synced left, may still be in the kernel's memory only.
 * 4. Postgres's own lock file goes first: who opens the folder holds a lock that tells more, and Postgres refuses to
 *    start over an empty one, which a process leaves that dies between making it and writing it.
 */
export class SyncedFolder extends EmscriptenBuiltinFilesystem {
  readonly folder: string
  /** The first sync that failed. From then on nothing may be acknowledged. */
  failure: unknown
  /** WAL segments that were begun, each of 16 MiB. */
  segmentsBegun = 0
  readonly #disk: Disk
  readonly #watch: (files: NodeFiles) => void
  readonly #template: () => Promise<Uint8Array | undefined>
  readonly #mount: { root: string }

  /** `watch` sees the file operations before anything is added to them. `template` gives a new database as a tar. */
  constructor(
    folder: string,
    disk: Disk = realDisk,
    watch: (files: NodeFiles) => void = () => undefined,
    template: () => Promise<Uint8Array | undefined> = () => Promise.resolve(undefined),
  ) {
    super(folder)
    this.folder = resolve(folder)
    this.#disk = disk
    this.#watch = watch
    this.#template = template
    this.#mount = { root: this.folder }
  }

  get #draft(): string {
    return `${this.folder}.new`
  }

  override async init(pg: PGlite, options: ModuleOptions): ReturnType<EmscriptenBuiltinFilesystem['init']> {
    this.pg = pg
    if (existsSync(join(this.folder, 'PG_VERSION'))) await this.#syncFound()
    else await this.#make()
    const mount: NonNullable<ModuleOptions['preRun']>[number] = ({ FS }) => {
      const files = FS.filesystems['NODEFS'] as unknown as NodeFiles
      this.#watch(files)
      addSync(files, this.#disk, {
        failed: (error) => void (this.failure ??= error),
        segmentBegun: () => void this.segmentsBegun++,
      })
      FS.mkdirTree(mountPoint)
      FS.mount(files as never, this.#mount, mountPoint)
    }
    return { emscriptenOpts: { ...options, preRun: [...(options.preRun ?? []), mount] } }
  }

  /** PGlite calls it after every query, and before all of them when a new database is whole and not yet started. */
  override async syncToFs(): Promise<void> {
    if (this.#mount.root !== this.folder) await this.#finishDraft()
  }

  override async closeFs(): Promise<void> {
    this.pg?.Module.FS.quit()
  }

  async #syncFound(): Promise<void> {
    rmSync(join(this.folder, 'postmaster.pid'), { force: true })
    await syncTree(this.folder, this.#disk)
    this.#disk.syncFolder(dirname(this.folder))
  }

  /** Without a template PGlite's initdb fills the draft. */
  async #make(): Promise<void> {
    this.#beginDraft()
    const template = await this.#template()
    if (!template) return
    unpackTar(template, this.#draft)
    rmSync(join(this.#draft, 'postmaster.pid'), { force: true })
    await this.#finishDraft()
  }

  #beginDraft(): void {
    if (existsSync(this.folder) && readdirSync(this.folder).length > 0) {
      throw new Error(`${this.folder} is not empty and holds no database`)
    }
    rmSync(this.#draft, { recursive: true, force: true })
    mkdirSync(this.#draft, { recursive: true })
    this.#mount.root = this.#draft
  }

  async #finishDraft(): Promise<void> {
    await syncTree(this.#draft, this.#disk)
    this.#disk.rename(this.#draft, this.folder)
    this.#disk.syncFolder(dirname(this.folder))
    this.#mount.root = this.folder
  }
}
