import type { Profile, Suite, Wall } from './attack.ts'
import type { Outcome } from './verdict.ts'

interface Group {
  readonly suite: Suite
  readonly profile: Profile
  readonly down: readonly Wall[]
  readonly names: readonly string[]
}

const profiles: readonly Profile[] = ['implement', 'review']

/** The attacks of a suite and a profile share a stage; so do the controls that take down the same walls. */
export function groupsOf(suite: Suite, isShort: boolean): readonly Group[] {
  return profiles
    .flatMap((profile) => {
      const chosen = suite.attacks.filter((attack, index) => isDue(attack.profile, profile, isShort, index))
      const sets = [...new Set(chosen.map(({ walls }) => walls.join()))]
      const alike = sets.map((set) => chosen.filter(({ walls }) => walls.join() === set))
      const groups = [
        { down: [] as readonly Wall[], chosen },
        ...alike.map((some) => ({ down: some[0]!.walls, chosen: some })),
      ]
      return groups.map(({ down, chosen: some }) => ({ suite, profile, down, names: some.map(({ name }) => name) }))
    })
    .filter(({ names }) => names.length > 0)
}

/** The short form lives each attack in one kind of pod, by turns. */
function isDue(only: Profile | undefined, profile: Profile, isShort: boolean, index: number): boolean {
  if (only !== undefined) return only === profile
  return !isShort || profiles[index % profiles.length] === profile
}

export async function runAll(
  suites: readonly Suite[],
  options: { readonly isShort: boolean; readonly jobs: number; readonly told: (outcome: Outcome) => void },
): Promise<readonly Outcome[]> {
  const waiting = suites.flatMap((suite) => [...groupsOf(suite, options.isShort)])
  const outcomes: Outcome[] = []
  const take = (outcome: Outcome): void => {
    outcomes.push(outcome)
    options.told(outcome)
  }
  const work = async (): Promise<void> => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) await runGroup(group, take)
  }
  await Promise.all(Array.from({ length: options.jobs }, work))
  return outcomes
}

async function runGroup({ suite, profile, down, names }: Group, take: (outcome: Outcome) => void): Promise<void> {
  const open = new Set(names)
  const isControl = down.length > 0
  const told = (lived: Outcome['lived']): void => {
    open.delete(lived.name)
    take({ class: suite.class, profile, isControl, lived })
  }
  let trouble = 'its stage ended before'
  try {
    await suite.live({ profile, down: new Set(down) }, names, told)
  } catch (error) {
    trouble = (error as Error).message
  }
  for (const name of [...open]) told({ name, hasSucceeded: undefined, trouble })
}
