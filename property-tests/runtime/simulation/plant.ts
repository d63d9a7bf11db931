/**
 * Runtimes with a planted bug, without a hook for it in the product: their sources are rewritten while node loads them,
 * under addresses of their own, next to the right ones. An edit that finds nothing to change is an error.
 */
import { registerHooks } from 'node:module'
import { plantedBugs } from './bugs.ts'
import type { PlantedBug } from './bugs.ts'
import type { CreateRuntime } from './processes.ts'

const runtimeFolder = new URL('../../../runtime/', import.meta.url).href

/** What is told apart by its class: of those there must be one. */
const sharedFiles = ['errors.ts', 'store/sql-error.ts', 'store/columns.ts']

export async function loadRuntime(bug?: PlantedBug): Promise<CreateRuntime> {
  if (bug) plantHooks()
  const address = `${runtimeFolder}create-runtime.ts${bug ? `?bug=${bug.name}` : ''}`
  const { createRuntime } = (await import(address)) as { readonly createRuntime: CreateRuntime }
  return createRuntime
}

let isPlanted = false

function plantHooks(): void {
  if (isPlanted) return
  isPlanted = true
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context)
      const name = bugOf(context.parentURL)
      const file = fileOf(resolved.url)
      return name && file && !sharedFiles.includes(file)
        ? { ...resolved, url: `${runtimeFolder}${file}?bug=${name}` }
        : resolved
    },
    load(url, context, next) {
      const loaded = next(url, context)
      const bug = plantedBugs.find((one) => one.name === bugOf(url))
      return bug ? { ...loaded, source: edited(bug, fileOf(url), String(loaded.source)) } : loaded
    },
  })
}

function bugOf(address: string | undefined): string | null {
  return address?.startsWith(runtimeFolder) ? new URL(address).searchParams.get('bug') : null
}

function fileOf(address: string): string | undefined {
  return address.startsWith(runtimeFolder) ? address.slice(runtimeFolder.length).split('?')[0] : undefined
}

function edited(bug: PlantedBug, file: string | undefined, source: string): string {
  return bug.edits
    .filter((edit) => edit.file === file)
    .reduce((text, { find, replace }) => {
      if (!find.test(text)) throw new Error(`${bug.name} finds ${find} in runtime/${file} no more`)
      return text.replace(find, replace)
    }, source)
}
