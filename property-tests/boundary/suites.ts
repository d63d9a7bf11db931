import type { Suite } from './attack.ts'
import { attributes } from './classes/attributes.ts'
import { configuration } from './classes/configuration.ts'
import { deputies } from './classes/deputies.ts'
import { executed } from './classes/executed.ts'
import { judgements, judgementsAtGitlab } from './classes/judgements.ts'
import { leftovers } from './classes/leftovers.ts'
import { links } from './classes/links.ts'
import { merges } from './classes/merges.ts'
import { movedBases } from './classes/moved-bases.ts'
import { pages } from './classes/pages.ts'
import { processes, processesWithoutOverlay } from './classes/processes.ts'
import { races } from './classes/races.ts'
import { startUp } from './classes/start-up.ts'
import { structure } from './classes/structure.ts'
import { threads } from './classes/threads.ts'
import { terminals } from './classes/terminals.ts'
import { underReview } from './classes/suites-under-review.ts'
import { uploadPack } from './classes/upload-pack.ts'
import { withTheCli } from './scenes/with-the-cli.ts'
import { words } from './classes/words.ts'

/** Those first that take longest. */
export const everySuite: readonly Suite[] = [
  ...withTheCli,
  configuration,
  attributes,
  structure,
  startUp,
  underReview,
  links,
  processes,
  processesWithoutOverlay,
  terminals,
  races,
  deputies,
  leftovers,
  words,
  threads,
  uploadPack,
  merges,
  movedBases,
  executed,
  pages,
  judgements,
  judgementsAtGitlab,
]
