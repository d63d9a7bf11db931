import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pinsOf } from '../pins/unpinned.ts'
import { readArgs, UsageError } from '../args.ts'

const usage = `usage: statewright check-pins DIR

The guard of a deployment repository: fails when a Project's skillsRef, a SKILLS_REF, or the image of the wrapper below DIR
is not pinned to a release tag vX.Y.Z. Reads every .yaml and .yml, hidden folders and node_modules aside. A folder
in which nothing is pinned at all fails too: the guard would be looking in the wrong place.`

/** @returns the exit code. */
export async function checkPins(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, {}, usage)
  if (parsed === undefined) return 0
  const [dir, ...more] = parsed.positionals
  if (dir === undefined || more.length > 0) throw new UsageError(usage)
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) throw new UsageError(`${dir} is no folder`)
  const files = yamlFiles(dir)
  const pins = files.flatMap((file) =>
    pinsOf(readFileSync(file, 'utf8')).map((pin) => ({ ...pin, file: relative(dir, file) })),
  )
  const faults = pins.filter(({ fault }) => fault !== undefined)
  for (const { file, line, what, fault } of faults) console.error(`${file}:${line}: ${what}: ${fault}`)
  if (pins.length === 0)
    console.error(`${files.length} files in ${dir}, and none names a skillsRef or the wrapper's image`)
  else console.log(`${pins.length} pins in ${files.length} files, ${faults.length} of them not to a release`)
  return pins.length === 0 || faults.length > 0 ? 1 : 0
}

function yamlFiles(dir: string): readonly string[] {
  return readdirSync(dir, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(dir, entry.name)
      if (entry.isDirectory()) return yamlFiles(path)
      return entry.isFile() && /\.ya?ml$/.test(entry.name) ? [path] : []
    })
}
