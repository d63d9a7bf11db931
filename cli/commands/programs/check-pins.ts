import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pinsOf } from '../../pins/unpinned.ts'
import { readArgs, UsageError } from '../../args.ts'
import { print, printError } from '../../output/terminal.ts'

const usage = `usage: statewright check-pins DIR

Checks a deployment repository. Each skillsRef, SKILLS_REF and image of the wrapper below DIR must be a release tag vX.Y.Z.
The command reads every .yaml and .yml file, except in hidden folders and node_modules.

Exit code 0: every pin is a release. 1: a pin is not a release, or DIR has no pin at all and is probably the wrong folder.`

/** @returns the exit code. */
export async function checkPins(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, {}, usage)
  if (parsed === undefined) return 0
  const [dir, ...more] = parsed.positionals
  if (dir === undefined || more.length > 0) throw new UsageError(usage)
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) throw new UsageError(`${dir} is not a folder`)
  const files = yamlFiles(dir)
  const pins = files.flatMap((file) =>
    pinsOf(readFileSync(file, 'utf8')).map((pin) => ({ ...pin, file: relative(dir, file) })),
  )
  const faults = pins.filter(({ fault }) => fault !== undefined)
  for (const { file, line, what, fault } of faults) printError(`${file}:${line}: ${what}: ${fault}`)
  if (pins.length === 0)
    printError(`${files.length} files in ${dir}, and none names a skillsRef or the wrapper's image`)
  else print(`${pins.length} pins in ${files.length} files, ${faults.length} of them not to a release`)
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
