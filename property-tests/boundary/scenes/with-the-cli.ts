/** Attacks that the real agent CLI takes part in, each of the class that it belongs to. All share the pods of one stage. */
import { suite, type Attack, type Suite } from '../attack.ts'
import { openPods, type PodScene } from '../stages/pods.ts'
import { configuration, filters, moving } from './git.ts'
import { leftovers, startUp } from './obeyed.ts'
import { links, swapped } from './links.ts'
import { processes, terminals } from './reached.ts'
import { deputies, underReview } from './forged.ts'

const byClass: Readonly<Record<string, readonly Attack<PodScene>[]>> = {
  '1 git configuration': configuration,
  '2 attributes and drivers': filters,
  '4 hooks and start-up files': startUp,
  '5 test-suites and package scripts': underReview,
  '6 symbolic links and file tools': links,
  '7 processes, memory and sockets': processes,
  '8 terminals': terminals,
  '10 deputies': deputies,
  '11 leftovers between pods': leftovers,
  // The last: it leaves the clone with a history of somebody else.
  '9 time of check and use': [...swapped, ...moving],
}

export const withTheCli: readonly Suite[] = Object.entries(byClass).map(([name, attacks]) =>
  suite(name, openPods, attacks, { shared: openPods, shortIn: 'review' }),
)
