import { CheckoutSize, listingOf } from '../../../runtime/checkout-size.ts'
import { gitSucceeds, lastLines, type Git } from '../git.ts'
import { keptRef, oldRef, pinnedRef, remoteRef, repositoryDir, type Repository } from '../repository.ts'
import type { Gathered, ReconcileResult, Salvaged } from '../requests.ts'
import type { RepositoryConfig } from '../../boot/repositories.ts'
import { adoptWork, defaultBranch, makeBare, pin, refresh, takeWork, tips, type Bare } from './bare.ts'
import type { Inside } from './inside.ts'
import type { Wire } from './wire.ts'

export interface Checkout {
  readonly bare: Bare
  readonly result: ReconcileResult
  /** Sentences for the agent's instructions: what it must do or know first. */
  readonly findings: readonly string[]
  readonly repaired: Gathered
}

interface CheckoutOptions {
  readonly git: Git
  readonly inside: Inside
  readonly wire: Wire
  readonly bareDir: string
  readonly workspaceDir: string
  readonly taskBranch: string
  /** Of the files of one commit. */
  readonly mostBytes: number
  /** Names kept work; unique per boot. */
  readonly stamp: string
  readonly isReview: boolean
  readonly beforeClone: (url: string) => Promise<void>
  readonly afterClone: (dir: string) => Promise<void>
}

/** Where the bare repository keeps what came out of the old `.git`, until the fresh one has it. */
const incoming = 'refs/statewright/in/'

/**
 * Law B2: every boot gives every clone a fresh `.git`. What the old one holds comes over the wire, as from a stranger: into
 * the bare repository, checked, and from there into the fresh one, which then goes under the files that lie there.
 */
export async function checkOut(config: RepositoryConfig, options: CheckoutOptions): Promise<Checkout> {
  return new CheckingOut(config, options).run()
}

interface Carried {
  readonly isCarried: boolean
  readonly head?: string | undefined
  readonly salvaged?: Salvaged
}

class CheckingOut {
  readonly #config: RepositoryConfig
  readonly #options: CheckoutOptions
  readonly #dir: string

  constructor(config: RepositoryConfig, options: CheckoutOptions) {
    this.#config = config
    this.#options = options
    this.#dir = repositoryDir(options.workspaceDir, config)
  }

  async run(): Promise<Checkout> {
    const { git, inside, bareDir, stamp } = this.#options
    const { name, url } = this.#config
    const [bareAt, gathered] = await Promise.all([makeBare(git, bareDir, name), inside.ask('gather', { name, stamp })])
    const failure = await refresh(git, bareAt, url)
    const bare = { dir: bareAt, repository: await this.#resolve(bareAt, failure === undefined) }
    if (bare.repository.sha !== '') await pin(git, bareAt, url, bare.repository.sha)
    if (failure !== undefined && gathered.state !== 'usable') throw new Error(`git fetch: ${failure}`)
    const isNew = gathered.state !== 'usable'
    if (isNew) await this.#options.beforeClone(url)
    const carried = await this.#carry(bare, gathered, failure)
    const entered = await this.#enter(bare, carried, failure !== undefined)
    await this.#adopt(bare)
    if (isNew) await this.#options.afterClone(this.#dir)
    const fetchFindings = failure === undefined ? [] : [`The remote of ${name} could not be fetched: ${failure}`]
    const findings = [
      ...gathered.findings,
      ...describeRepair(name, gathered),
      ...entered.findings,
      ...fetchFindings,
      ...(await this.#largeFiles(bare)),
    ]
    return { bare, result: entered.result, findings, repaired: gathered }
  }

  async #resolve(bareAt: string, isFetched: boolean): Promise<Repository> {
    const { git, taskBranch } = this.#options
    const { name, url, base, branch, sha } = this.#config
    const resolved = base || (isFetched ? await defaultBranch(git, bareAt, url) : 'main')
    return { name, dir: this.#dir, url, base: resolved, branch: branch || taskBranch, sha }
  }

  /** Everything that the old `.git` holds, now in the bare repository. */
  async #carry(bare: Bare, gathered: Gathered, failure: string | undefined): Promise<Carried> {
    if (gathered.state === 'none') return { isCarried: true }
    if (gathered.state === 'usable') {
      const lost = await this.#keep(bare, this.#dir, gathered.refs)
      if (lost.length === 0) return { isCarried: true, head: gathered.head }
      // A torn object shows only when somebody reads it.
      if (failure !== undefined) throw new Error(`git fetch: ${failure}`)
    }
    return this.#rescue(bare)
  }

  async #rescue(bare: Bare): Promise<Carried> {
    const { inside, stamp } = this.#options
    const { name } = this.#config
    const rescue = `${this.#dir}.rescue`
    await inside.ask('begin', { name, as: 'rescue' })
    await this.#serve(bare, rescue)
    const salvaged = await inside.ask('salvage', { name, stamp })
    const lost = await this.#keep(bare, rescue, salvaged.refs)
    return { isCarried: lost.length === 0, head: salvaged.head, salvaged }
  }

  /** All at once, and one by one when something among them is bad; answers the refs that could not be taken. */
  async #keep(bare: Bare, clone: string, refs: readonly string[]): Promise<readonly string[]> {
    const { wire } = this.#options
    const take = async (refspecs: readonly string[]): Promise<boolean> =>
      (await wire({ direction: 'take', bare: bare.dir, clone, refspecs })).code === 0
    const all = ['refs/heads/', keptRef(''), oldRef('')]
    if (refs.length === 0 || (await take(all.map((prefix) => `+${prefix}*:${incoming}${prefix}*`)))) return []
    const lost: string[] = []
    for (const ref of refs) if (!(await take([`+${ref}:${incoming}${ref}`]))) lost.push(ref)
    return lost
  }

  async #enter(
    bare: Bare,
    carried: Carried,
    fetchFailed: boolean,
  ): Promise<{ result: ReconcileResult; findings: readonly string[] }> {
    const { inside, stamp, isReview } = this.#options
    const { name, base, branch, sha } = bare.repository
    const start = await this.#start(bare, fetchFailed)
    await this.#refuseLarge(bare, start)
    await inside.ask('begin', { name, as: 'fresh' })
    await this.#serve(bare, `${this.#dir}.cloning`)
    const { isCarried, head, salvaged } = carried
    return inside.ask('enter', {
      name,
      base,
      branch,
      sha,
      stamp,
      fetchFailed,
      isCarried,
      isReview,
      ...(start === undefined ? {} : { start }),
      ...(head === undefined ? {} : { head }),
      ...(salvaged === undefined ? {} : { salvaged }),
    })
  }

  /** Without its base, a new work branch begins where the remote's HEAD stands. */
  async #start(bare: Bare, fetchFailed: boolean): Promise<string | undefined> {
    const { git } = this.#options
    if (fetchFailed || (await tips(git, bare)).base !== undefined) return undefined
    return defaultBranch(git, bare.dir, bare.repository.url)
  }

  /** Each commit that may lie in the work tree: a merge has no more than its two sides. */
  async #refuseLarge(bare: Bare, start: string | undefined): Promise<void> {
    const { git, mostBytes } = this.#options
    const { remote, base } = await tips(git, bare)
    const known = [bare.repository.sha, remote ?? '', base ?? '', start === undefined ? '' : remoteRef(start)]
    for (const commit of new Set(known.filter((one) => one !== ''))) {
      const size = new CheckoutSize(mostBytes)
      await git(listingOf(commit), { cwd: bare.dir, until: size.take })
      if (size.fault === undefined) continue
      const limit = 'GIT_MOST_CHECKOUT_BYTES lets none so large in'
      throw new Error(`commit ${commit} of ${bare.repository.name} has ${size.fault}: ${limit}`)
    }
  }

  /** Neither side runs a filter of a repository's choice, so such a file would be pushed as it is. */
  async #largeFiles(bare: Bare): Promise<readonly string[]> {
    const { git } = this.#options
    const { name, sha } = bare.repository
    const { remote, base } = await tips(git, bare)
    const commit = sha || (remote ?? base)
    if (commit === undefined) return []
    const asked = ['grep', '--quiet', '--fixed-strings', '-e', 'filter=lfs', commit, '--', ':(glob)**/.gitattributes']
    if (!(await gitSucceeds(git, asked, { cwd: bare.dir }))) return []
    return [
      `${name} keeps files in Git LFS (see its .gitattributes), and the platform runs no git-lfs: such files are pointers here. Neither change nor add one; say so to a maintainer where the work needs it.`,
    ]
  }

  async #serve(bare: Bare, clone: string): Promise<void> {
    const same = ['refs/remotes/origin/*', 'refs/tags/*', pinnedRef('*')].map((ref) => `+${ref}:${ref}`)
    const kept = ['refs/heads/', keptRef(''), oldRef('')].map((prefix) => `+${incoming}${prefix}*:${prefix}*`)
    const served = await this.#options.wire({
      direction: 'serve',
      bare: bare.dir,
      clone,
      refspecs: [...same, ...kept],
    })
    if (served.code !== 0) throw new Error(`the clone could not be filled: ${lastLines(served.stderr)}`)
  }

  /** What the agent starts from, so that the first turn's end can tell what the turn did. */
  async #adopt(bare: Bare): Promise<void> {
    const { git, inside, wire } = this.#options
    const { name, branch } = bare.repository
    const { head } = await inside.ask('head', { name, branch })
    const known = await tips(git, bare)
    if (head === undefined) return
    if (head === known.remote || head === known.base) return adoptWork(git, bare, head)
    // What can't be taken now can't be published either, and the turn's end says so.
    await takeWork(wire, bare)
  }
}

function describeRepair(name: string, { aborted, kept }: Gathered): readonly string[] {
  if (aborted.length === 0) return []
  const files = kept ? ` The files as they stood are kept as ${kept}.` : ''
  return [`In ${name} an unfinished ${aborted.join(' and ')} was aborted.${files}`]
}
