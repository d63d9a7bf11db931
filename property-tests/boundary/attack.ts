/**
 * An attack as data. One predicate judges it twice: with the walls up it must be false, and with the walls down that are said
 * to refuse it, it must be true. A wall that no attack misses proves nothing.
 */
import type { Cluster } from './stages/cluster.ts'

export type Profile = 'implement' | 'review'

/** What can be taken down, for the control. */
export type Wall =
  /** The namespaces of commands and of the CLI. */
  | 'namespaces'
  /** Git beside the wrapper works on no clone (law B1). */
  | 'git-outside'
  /** What crosses does so by pipes that the wrapper reads, and in protocol version 0 (law B1). */
  | 'wire'
  /** One ref is taken, by its name. */
  | 'refspec'
  /** Each object is checked. */
  | 'fsck'
  /** Of refs, objects and bytes. */
  | 'limits'
  /** Of time. */
  | 'patience'
  /** What is pushed is what the bare repository holds, whatever the agent's side says. */
  | 'bare-tips'
  /** Each pod begins with a fresh `.git`, and with nothing that an agent obeys (law B2). */
  | 'fresh-start'
  /** What an earlier pod left and git does not track is no part of a reviewer's files (law B2). */
  | 'tracked-only'
  /** Only the model decides (law B3). */
  | 'attestation'
  | 'keys-of-the-loopback'
  | 'first-connection'
  /** Mount options of a view. */
  | 'read-only'
  | 'nosymfollow'
  | 'own-terminal'
  /** What of the CLI's environment a command sees. */
  | 'clean-environment'
  /** Git and hooks of the clone have no network. */
  | 'offline'
  | 'sanitised-input'
  /** How a comment is read. */
  | 'markdown'
  /** An edit or a deletion is its author's where an event names him (law B6). */
  | 'hands'
  /** An edit of title or body carries what was approved where an event names a trusted hand and what it changed (law B6). */
  | 'signed-text'
  /** Of a thread counts what each author wrote himself (law B6). */
  | 'judged-thread'
  /** What is the platform's own, and nobody's word, is so by its author (law B6). */
  | 'own-authorship'
  /** The Issue keeps what was withdrawn (LAW-24). */
  | 'withdrawals-kept'
  /** A push is judged by what its merge makes of the base (law B7). */
  | 'merged-tree'
  /** So is its merge, by the base of that moment (law B7). */
  | 'judged-merge'
  /** What neither a pod nor a maintainer pushed waits for a maintainer (REVIEW-3). */
  | 'who-pushed'
  /** A merge of the base is nobody's only where it is git's own (REVIEW-3). */
  | 'own-merges'
  /** A verdict is on a head against its base, and so is the merge (HEAD-1). */
  | 'judged-base'
  /** What the forge requires is read, and awaited (MERGE-4, MERGE-15). */
  | 'requirements'
  /** What a forge executes in an agent's words is made inert before it is posted (EXECUTED-1 to EXECUTED-3, EXECUTED-6, EXECUTED-7). */
  | 'inert-words'
  /** A commit whose message closes an issue or leaves out checks is refused (EXECUTED-5, EXECUTED-6). */
  | 'closing-messages'
  /** A person of the local forge is a key in the address, which no pod reads. */
  | 'link-of-a-person'
  /** A local pod sees nothing of its stack's folder (SECURITY-RULE-3). */
  | 'covered-folder'
  /** A transcript is a file of the CLI, opened through no link (TRANSCRIPT-7). */
  | 'own-transcript'
  /** Who calls the wrapper has a token for it. */
  | 'callers'
  /** A form counts with the forge's own origin. */
  | 'own-origin'
  /** What a page of the local forge tells of its address to others. */
  | 'referrer-policy'

export interface Attack<Scene> {
  readonly name: string
  /** Both, unless told. */
  readonly profile?: Profile
  /** Lived in the long form alone. */
  readonly isDear?: boolean
  /** Without walls too, only a superuser of the machine could do it: a pod of a cluster has none. */
  readonly isOfSuperusers?: boolean
  /** What refuses it; where several stand together, all of them. */
  readonly walls: readonly [Wall, ...Wall[]]
  /** What an agent, or a test-suite of its, can do. */
  readonly plant: (scene: Scene) => unknown
  /** A race: its control is provoked until it is won, at most so often; the attack itself once. */
  readonly controlTries?: number
  /** The platform's ordinary work; none where the attack is one act. */
  readonly provoke?: (scene: Scene) => unknown
  readonly succeeded: (scene: Scene) => boolean | Promise<boolean>
}

/** Where attacks are lived: dear to open, so that many share one. */
export interface Stage<Scene> {
  /** What one attack has to itself. */
  scene(attack: string): Promise<Scene>
  close(): Promise<void>
}

export interface Setting {
  readonly profile: Profile
  readonly down: ReadonlySet<Wall>
  /** Where pods are; absent: processes of this machine. */
  readonly cluster?: Cluster
}

/** A stage whose scenes only its own suites know. */
type AnyStage = Stage<unknown>

export interface Suite {
  readonly class: string
  readonly attacks: readonly Pick<Attack<never>, 'name' | 'profile' | 'isDear' | 'isOfSuperusers' | 'walls'>[]
  /** Suites that name the same one share what was opened of it, where they take down the same walls. */
  readonly shared: unknown
  /** Where the short form lives all of it; by turns in both unless told. */
  readonly shortIn?: Profile
  open(setting: Setting): Promise<AnyStage>
  live(stage: AnyStage, name: string, isControl: boolean): Promise<Lived>
}

export interface Lived {
  readonly name: string
  /** Undefined: it could not be lived. */
  readonly hasSucceeded: boolean | undefined
  readonly trouble?: string
  /** Why nobody can live it as this user. */
  readonly skipped?: string
}

/** Thrown by a stage whose walls only root takes down. As root no stage throws it. */
export class NeedsRoot extends Error {
  override readonly name = 'NeedsRoot'

  constructor(walls: readonly Wall[]) {
    super(`only root takes down ${walls.join(' and ')}: mount wants user id 0`)
  }
}

/** `mounted`: walls that are mount options. Linux lets a user change those of its namespace; util-linux asks for user id 0 all the same. */
export function refuseWithoutRoot(down: ReadonlySet<Wall>, mounted: readonly Wall[]): void {
  const wanting = mounted.filter((wall) => down.has(wall))
  if (wanting.length > 0 && process.getuid?.() !== 0) throw new NeedsRoot(wanting)
}

/** Longer than any of them takes on a machine that others use. */
const limitMs = 120_000

export function suite<Scene>(
  name: string,
  open: (setting: Setting) => Promise<Stage<Scene>>,
  attacks: readonly Attack<Scene>[],
  sharing: Pick<Suite, 'shared' | 'shortIn'> = { shared: attacks },
): Suite {
  return {
    class: name,
    attacks,
    open,
    ...sharing,
    live: (stage, attack, isControl) =>
      live(
        stage as Stage<Scene>,
        attacks.find((one) => one.name === attack)!,
        isControl,
      ),
  }
}

async function live<Scene>(stage: Stage<Scene>, attack: Attack<Scene>, isControl: boolean): Promise<Lived> {
  try {
    return { name: attack.name, hasSucceeded: await within(judge(stage, attack, isControl)) }
  } catch (error) {
    return { name: attack.name, hasSucceeded: undefined, trouble: (error as Error).message }
  }
}

async function judge<Scene>(
  stage: Stage<Scene>,
  { name, plant, provoke, succeeded, controlTries = 1 }: Attack<Scene>,
  isControl: boolean,
): Promise<boolean> {
  const scene = await stage.scene(name)
  await plant(scene)
  for (let tries = isControl ? controlTries : 1; tries > 0; tries--) {
    await provoke?.(scene)
    if (await succeeded(scene)) return true
  }
  return false
}

function within<Answer>(work: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${limitMs} ms`)), limitMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
