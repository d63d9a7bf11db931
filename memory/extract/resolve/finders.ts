import { cModules } from './c-modules.ts'
import { ecmascriptModules } from './ecmascript-modules.ts'
import { goModules } from './go-modules.ts'
import { javaModules } from './java-modules.ts'
import type { ModuleFinder, Repository } from './modules.ts'
import { pythonModules } from './python-modules.ts'
import { rustModules } from './rust-modules.ts'

/** By the family of a language. */
export const finders: Readonly<Record<string, (repository: Repository) => ModuleFinder>> = {
  ecmascript: ecmascriptModules,
  python: pythonModules,
  go: goModules,
  java: javaModules,
  rust: rustModules,
  c: cModules,
}
