import { circles } from './circles.ts'
import { deadPaths } from './dead-paths.ts'
import { largeFolders } from './large-folders.ts'
import { longFunctions } from './long-functions.ts'
import type { Ratchet } from './ratchet.ts'
import { saidNames } from './said-names.ts'
import { straySupport } from './stray-support.ts'
import { unused } from './unused.ts'
import { weight } from './weight.ts'

export const ratchets: readonly Ratchet[] = [
  circles,
  deadPaths,
  largeFolders,
  longFunctions,
  saidNames,
  straySupport,
  unused,
  weight,
]
