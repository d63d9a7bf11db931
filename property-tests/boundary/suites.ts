import type { Suite } from './attack.ts'
import { attributes } from './classes/attributes.ts'
import { configuration } from './classes/configuration.ts'
import { deputies } from './classes/deputies.ts'
import { leftovers } from './classes/leftovers.ts'
import { links } from './classes/links.ts'
import { processes } from './classes/processes.ts'
import { races } from './classes/races.ts'
import { startUp } from './classes/start-up.ts'
import { structure } from './classes/structure.ts'
import { terminals } from './classes/terminals.ts'
import { underReview } from './classes/suites-under-review.ts'
import { uploadPack } from './classes/upload-pack.ts'
import { words } from './classes/words.ts'

export const everySuite: readonly Suite[] = [
  configuration,
  attributes,
  structure,
  startUp,
  underReview,
  links,
  processes,
  terminals,
  races,
  deputies,
  leftovers,
  words,
  uploadPack,
]
