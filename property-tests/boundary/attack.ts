/**
 * An attack as data. One predicate judges it twice: with the walls up it must be false, and with the walls down that are said
 * to refuse it, it must be true. A wall that no attack misses proves nothing.
 */
export type Profile = 'implement' | 'review'

/** What can be taken down, for the control. */
export type Wall =
  /** The namespaces of commands and of the CLI. */
  | 'namespaces'
  /** Git beside the wrapper works on no clone (law B1). */
  | 'git-outside'
  /** What crosses the wire is limited, checked, and one ref (law B1). */
  | 'wire'
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
  | 'sanitised-input'
  /** How a comment is read. */
  | 'markdown'

export interface Attack<Scene> {
  readonly name: string
  /** Both, unless told. */
  readonly profile?: Profile
  /** What refuses it; where several stand together, all of them. */
  readonly walls: readonly [Wall, ...Wall[]]
  /** What an agent, or a test-suite of its, can do. */
  readonly plant: (scene: Scene) => unknown
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
}

export interface Suite {
  readonly class: string
  readonly attacks: readonly { readonly name: string; readonly profile?: Profile; readonly walls: readonly Wall[] }[]
  /** Lives the attacks of those names one after another on one stage. */
  live(setting: Setting, names: readonly string[], told: (lived: Lived) => void): Promise<void>
}

export interface Lived {
  readonly name: string
  /** Undefined: it could not be lived. */
  readonly hasSucceeded: boolean | undefined
  readonly trouble?: string
}

/** Longer than any of them takes on a machine that others use. */
const limitMs = 120_000

export function suite<Scene>(
  name: string,
  open: (setting: Setting) => Promise<Stage<Scene>>,
  attacks: readonly Attack<Scene>[],
): Suite {
  return {
    class: name,
    attacks,
    live: async (setting, names, told) => {
      const stage = await open(setting)
      try {
        for (const attack of attacks.filter((one) => names.includes(one.name))) told(await live(stage, attack))
      } finally {
        await stage.close()
      }
    },
  }
}

async function live<Scene>(stage: Stage<Scene>, attack: Attack<Scene>): Promise<Lived> {
  try {
    return { name: attack.name, hasSucceeded: await within(judge(stage, attack)) }
  } catch (error) {
    return { name: attack.name, hasSucceeded: undefined, trouble: (error as Error).message }
  }
}

async function judge<Scene>(stage: Stage<Scene>, { name, plant, provoke, succeeded }: Attack<Scene>): Promise<boolean> {
  const scene = await stage.scene(name)
  await plant(scene)
  await provoke?.(scene)
  return succeeded(scene)
}

function within<Answer>(work: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${limitMs} ms`)), limitMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
